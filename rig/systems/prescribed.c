/* prescribed: any motion, read from a file.
 *
 * The file (--input) has the columns time and inputs of the FMU by their names: normalForce,
 * relativeVelocity … Values are linear between rows; two rows of the same time are a jump. No body
 * moves: the results are the element's answer.
 *
 *     dx/dt = relativeVelocity            displacement, where the file has that column
 *     da/dt = relativeAngularVelocity     angle, likewise
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "system.h"

/* Value of a column in the interval that begins with a row, linear up to the next; the last value
 * stays. */
static double table_value(const Table *table, int interval, int column, double t) {
    const int last = table->n_rows - 2;
    const int i = interval < last ? interval : last;
    const double t0 = table->times[i], t1 = table->times[i + 1];
    const double a = table->values[i * table->n_columns + column],
                 b = table->values[(i + 1) * table->n_columns + column];
    return t < t1 ? a + (b - a) * (t - t0) / (t1 - t0) : b;
}

static void inputs(const Instant *m, const double *x, double *u) {
    (void)x;
    for (int i = 0; i < m->table->n_columns; i++) u[i] = table_value(m->table, m->phase, i, m->t);
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    (void)x;
    (void)y;
    const char *const velocities[] = {"relativeVelocity", "relativeAngularVelocity"};
    for (int k = 0; k < 2; k++) {
        dx[k] = 0;
        for (int i = 0; i < m->table->n_columns; i++)
            if (strcmp(m->table->names[i], velocities[k]) == 0)
                dx[k] = table_value(m->table, m->phase, i, m->t);
    }
}

static double event_time(const Instant *m) {
    return m->phase < m->table->n_rows - 1 ? m->table->times[m->phase + 1] : INFINITY;
}

const System system_prescribed = {
    .name = "prescribed",
    .title = "Any motion from a file: the answer of the element alone",
    .source = "The file given by --input",
    .interval = 1e-3,
    .states =
        QUANTITIES({"displacement", "m", 1e-3, "Displacement since the beginning"},
                   {"angle", "rad", 1e-3, "Angle since the beginning, of an element that turns"}),
    .contacts = CONTACTS({"contact", NULL, NULL, (const char *const[]){NULL}}),
    .reads_table = true,
    .inputs = inputs,
    .rates = rates,
    .event_time = event_time,
};
