/* Runs of systems by the integrator that needs no other library. */
#include <math.h>

#include "integrator.h"
#include "systems.h"

enum { TRIALS_AT_ONCE = 1000, TRIALS_AT_MOST = 20000000 };

/* What a set has and the element does not take is left out without a message. */
void warn(const char *format, ...) {
    (void)format;
}

typedef struct {
    SystemRun *run;
    Coupling *coupling;
} Watch;

static void keep_row(const Watch *watch, double t, const double *x) {
    const double *row = coupling_row(watch->coupling, t, x);
    if (row) systems_keep_row(watch->run, row);
}

static void on_row(void *context, double t, const double *x, bool event) {
    const Watch *watch = context;
    if (event || watch->run->interval <= 0) keep_row(watch, t, x);
}

bool systems_integrate(SystemRun *run, Coupling *coupling, Message *message) {
    Watch watch = {run, coupling};
    Integrator integrator = {.on_row = on_row, .context = &watch};
    if (!integrator_begin(&integrator, coupling, 0, run->tolerance, message)) return false;
    const bool on_grid = run->interval > 0;
    long trials = 0;
    for (double next = 1; integrator.t < run->stop; next++) {
        const double until = on_grid ? fmin(next * run->interval, run->stop) : run->stop;
        while (integrator.t < until) {
            if (!integrator_advance(&integrator, until, TRIALS_AT_ONCE, message)) return false;
            trials += TRIALS_AT_ONCE;
            if (trials > TRIALS_AT_MOST) return fail(message, "the run takes too many steps.");
        }
        if (on_grid) keep_row(&watch, integrator.t, coupling->x);
    }
    /* An event at the very end is behind it. */
    while (run->n_rows > 1 && run->rows[(run->n_rows - 2) * (size_t)run->n_columns] >= run->stop)
        run->n_rows--;
    return true;
}
