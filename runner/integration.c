/* Runs of systems by the rig's own integrator, which needs no other library. */
#include <math.h>

#include "integrator.h"
#include "systems.h"

enum { TRIALS_AT_ONCE = 1000, TRIALS_AT_MOST = 20000000 };

/* Values of a parameter set that are out of range are left out without a message. */
void warn(const char *format, ...) {
    (void)format;
}

typedef struct {
    SystemRun *run;
    Assembly *assembly;
} Recorder;

static void store_row(const Recorder *recorder, double t, const double *x) {
    const double *row = assembly_row(recorder->assembly, t, x);
    if (row) systems_store_row(recorder->run, row);
}

static void on_row(void *context, double t, const double *x, bool event) {
    const Recorder *recorder = context;
    if (event || recorder->run->interval <= 0) store_row(recorder, t, x);
}

bool systems_integrate(SystemRun *run, Assembly *assembly, Message *message) {
    Recorder recorder = {run, assembly};
    Integrator integrator = {.on_row = on_row, .context = &recorder};
    if (!integrator_begin(&integrator, assembly, 0, run->tolerance, message)) return false;
    const bool on_grid = run->interval > 0;
    long trials = 0;
    for (double next = 1; integrator.t < run->stop; next++) {
        const double until = on_grid ? fmin(next * run->interval, run->stop) : run->stop;
        while (integrator.t < until) {
            if (!integrator_advance(&integrator, until, TRIALS_AT_ONCE, message)) return false;
            trials += TRIALS_AT_ONCE;
            if (trials > TRIALS_AT_MOST) return fail(message, "the run takes too many steps.");
        }
        if (on_grid) store_row(&recorder, integrator.t, assembly->x);
    }
    /* Drops the row after an event at the very end. */
    while (run->n_rows > 1 && run->rows[(run->n_rows - 2) * (size_t)run->n_columns] >= run->stop)
        run->n_rows--;
    return true;
}
