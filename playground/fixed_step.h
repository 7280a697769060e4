/* A host with a fixed step, as co-simulation masters are: it gives the element the inputs of now,
 * asks for a step, and holds the force that comes back over the step,
 *
 *     v[n+1] = v[n] + h dv/dt(x[n], v[n], F[n]),     x[n+1] = x[n] + h dx/dt(v[n+1])
 *
 * Time events of the system count from the next step on. */
#ifndef FIXED_STEP_H
#define FIXED_STEP_H

#include "coupling.h"

typedef struct {
    Coupling *coupling;
    double t, step;
    long steps;
    void (*on_row)(const double *row); /* at the start of each step, with the force of the step */
} FixedStep;

/* From a coupling with an element that was instantiated for co-simulation. */
bool fixed_step_begin(FixedStep *host, Coupling *coupling, double step, Message *message);

/* Goes on towards the time `until`, with so many steps at most. */
bool fixed_step_advance(FixedStep *host, double until, int steps, Message *message);

#endif
