/* Integration of a coupling by CVODE: backward differentiation formulas, the FMUs' exact part of
 * the Jacobian, roots of all event indicators, events. */
#ifndef HOST_H
#define HOST_H

#include "coupling.h"

typedef struct {
    /* interval 0: a row of results for every step of the solver */
    double stop, interval, tolerance;
    void (*on_row)(void *context, const double *row);
    void (*on_progress)(void *context, double fraction); /* after every step */
    void *context;
    const volatile int *interrupted; /* ends the run early when it becomes other than 0 */
} Experiment;

typedef struct {
    long steps, evaluations, jacobians, events;
    double wall_seconds;
} Statistics;

/* From the initialized coupling to the end. */
bool host_run(Coupling *coupling, const Experiment *experiment, Statistics *statistics,
              Message *message);

#endif
