/* A host with a fixed step, as co-simulation masters are: it sets the present inputs, asks for a
 * step, and holds the resulting force over the step,
 *
 *     v[n+1] = v[n] + h dv/dt(x[n], v[n], F[n]),     x[n+1] = x[n] + h dx/dt(v[n+1])
 *
 * Time events of the system count from the next step on. */
#ifndef FIXED_STEP_H
#define FIXED_STEP_H

#include "assembly.h"

typedef struct {
    Assembly *assembly;
    double t, step;
    long steps;
    void (*on_row)(const double *row); /* at the start of each step, with the force of the step */
} FixedStep;

/* Begins from an assembly with an element that was instantiated for co-simulation. */
bool fixed_step_begin(FixedStep *host, Assembly *assembly, double step, Message *message);

/* Advances towards the time `until`, by at most so many steps. */
bool fixed_step_advance(FixedStep *host, double until, int steps, Message *message);

#endif
