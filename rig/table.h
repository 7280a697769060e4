/* A table of numbers over time, read from a CSV file with names in its first line. */
#ifndef TABLE_H
#define TABLE_H

#include "message.h"

typedef struct {
    int n_rows, n_columns; /* without the column of times */
    char **names;          /* ends with NULL */
    double *times;         /* never falling; a repeated time is a jump */
    double *values;        /* row by row */
    /* of cells: comma, semicolon or tab; beside the last two a comma in a number is a decimal
     * one */
    char separator;
} Table;

bool table_read(Table *table, const char *path, Message *message);
void table_free(Table *table);

/* Value of a column in the interval that begins with a row, linear up to the next; the last value
 * stays. */
double table_value(const Table *table, int interval, int column, double t);

#endif
