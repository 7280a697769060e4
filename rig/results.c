#include "results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static int find(const char *const *columns, const char *name) {
    for (int i = 0; columns && columns[i]; i++)
        if (strcmp(columns[i], name) == 0) return i;
    return -1;
}

void results_add_columns(Results *results, const char *const *columns) {
    for (; *columns; columns++) {
        if (find((const char *const *)results->columns, *columns) >= 0) continue;
        results->columns =
            grown_array(results->columns, (size_t)results->n_columns + 2, sizeof *results->columns);
        results->columns[results->n_columns++] = copied(*columns);
        results->columns[results->n_columns] = NULL;
    }
}

bool results_open(Results *results, const char *path, Message *message) {
    results->path = path;
    results->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!results->file) return fail(message, "%s: %s.", path, strerror(errno));
    results->places = new_array((size_t)results->n_columns, sizeof *results->places);
    fputs("model", results->file);
    for (int i = 0; i < results->n_columns; i++) fprintf(results->file, ",%s", results->columns[i]);
    fputc('\n', results->file);
    return true;
}

void results_begin(Results *results, const char *model, const char *const *columns) {
    results->model = model;
    for (int i = 0; i < results->n_columns; i++)
        results->places[i] = find(columns, results->columns[i]);
}

void results_write(Results *results, const double *row) {
    fputs(results->model, results->file);
    for (int i = 0; i < results->n_columns; i++)
        if (results->places[i] < 0)
            fputc(',', results->file);
        else
            fprintf(results->file, ",%.12g", row[results->places[i]]);
    fputc('\n', results->file);
}

bool results_close(Results *results, Message *message) {
    bool good = true;
    if (results->file) {
        good = !ferror(results->file) && fflush(results->file) == 0;
        if (results->file != stdout && fclose(results->file) != 0) good = false;
        if (!good)
            fail(message, "%s: the results cannot be written: %s.", results->path, strerror(errno));
    }
    for (int i = 0; i < results->n_columns; i++) free(results->columns[i]);
    free(results->columns);
    free(results->places);
    memset(results, 0, sizeof *results);
    return good;
}
