#define _POSIX_C_SOURCE 200809L
#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

/* Cuts the next cell off a line, without the blanks and quotes around it. */
static char *next_cell(const Table *table, char **remainder) {
    char *cell = *remainder;
    char *end = cell + strcspn(cell, (const char[]){table->separator, '\r', '\n', '\0'});
    *remainder = *end == table->separator ? end + 1 : NULL;
    *end = '\0';
    while (isspace((unsigned char)*cell) || *cell == '"') cell++;
    while (end > cell && (isspace((unsigned char)end[-1]) || end[-1] == '"')) *--end = '\0';
    return cell;
}

static bool read_names(Table *table, char *line, const char *path, Message *message) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    char *remainder = strncmp(line, byte_order_mark, 3) == 0 ? line + 3 : line;
    table->separator = strchr(remainder, ';') ? ';' : strchr(remainder, '\t') ? '\t' : ',';
    if (strcmp(next_cell(table, &remainder), "time") != 0)
        return fail(message, "%s: the first column is not named \"time\".", path);
    while (remainder) {
        table->names =
            grown_array(table->names, (size_t)table->n_columns + 2, sizeof *table->names);
        table->names[table->n_columns++] = copied(next_cell(table, &remainder));
        table->names[table->n_columns] = NULL;
    }
    return table->n_columns > 0 || fail(message, "%s: there is no column beside \"time\".", path);
}

static bool read_row(Table *table, char *line, int number, const char *path, Message *message) {
    const int width = table->n_columns;
    double *const times = grown_array(table->times, (size_t)table->n_rows + 1, sizeof *times);
    table->times = times;
    table->values = grown_array(table->values, ((size_t)table->n_rows + 1) * (size_t)width,
                                sizeof *table->values);
    char *remainder = line;
    for (int i = -1; i < width; i++) {
        if (!remainder)
            return fail(message, "%s, line %d: there are fewer cells than names.", path, number);
        char *end, *cell = next_cell(table, &remainder);
        char *comma = table->separator == ',' ? NULL : strchr(cell, ',');
        if (comma) *comma = '.'; /* a decimal comma */
        const double value = strtod(cell, &end);
        if (end == cell || *end || !isfinite(value))
            return fail(message, "%s, line %d: \"%s\" is not a number.", path, number, cell);
        if (i < 0)
            times[table->n_rows] = value;
        else
            table->values[table->n_rows * width + i] = value;
    }
    if (remainder)
        return fail(message, "%s, line %d: there are more cells than names.", path, number);
    if (table->n_rows > 0 && times[table->n_rows] < times[table->n_rows - 1])
        return fail(message, "%s, line %d: the time goes back.", path, number);
    table->n_rows++;
    return true;
}

bool table_read(Table *table, const char *path, Message *message) {
    FILE *file = fopen(path, "r");
    if (!file) return fail(message, "%s: %s.", path, strerror(errno));
    memset(table, 0, sizeof *table);
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    for (int number = 1; good && getline(&line, &size, file) >= 0; number++) {
        if (line[strspn(line, " \t\r\n")] == '\0') continue;
        good = table->names ? read_row(table, line, number, path, message)
                            : read_names(table, line, path, message);
    }
    free(line);
    fclose(file);
    if (good && table->n_rows < 2)
        good = fail(message, "%s: a motion needs at least two rows.", path);
    if (good && table->times[0] > 0)
        good = fail(message, "%s: the first row is later than time 0.", path);
    if (!good) table_free(table);
    return good;
}

void table_free(Table *table) {
    for (int i = 0; i < table->n_columns; i++) free(table->names[i]);
    free(table->names);
    free(table->times);
    free(table->values);
    memset(table, 0, sizeof *table);
}

double table_value(const Table *table, int interval, int column, double t) {
    const int last = table->n_rows - 2;
    const int i = interval < last ? interval : last;
    const double t0 = table->times[i], t1 = table->times[i + 1];
    const double a = table->values[i * table->n_columns + column],
                 b = table->values[(i + 1) * table->n_columns + column];
    return t < t1 ? a + (b - a) * (t - t0) / (t1 - t0) : b;
}
