/* Results of several models as one CSV file in long format: one line per model and time, empty
 * cells where a model has no such variable. */
#ifndef RESULTS_H
#define RESULTS_H

#include "message.h"

typedef struct {
    FILE *file;
    const char *path;
    int n_columns;
    char **columns; /* of all models; ends with NULL */
    int *places;    /* of the columns in the present model's row; -1 where it has none */
    const char *model;
} Results;

/* Columns are collected first, then the file is opened. A path of "-" is the standard output. */
void results_add_columns(Results *results, const char *const *columns);
bool results_open(Results *results, const char *path, Message *message);
void results_begin(Results *results, const char *model, const char *const *columns);
void results_write(Results *results, const double *row);
bool results_close(Results *results, Message *message);

#endif
