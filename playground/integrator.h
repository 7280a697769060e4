/* Integrates a system with its friction element: RODAS with the exact Jacobian, error control, and events that are located. It can stop
 * and go on at any time, for the page draws in between. */
#ifndef INTEGRATOR_H
#define INTEGRATOR_H

#include "coupling.h"

enum { INTEGRATOR_STATES = 24, INTEGRATOR_INDICATORS = 32 }; /* at most */

typedef struct {
    Coupling *coupling;
    double t, step, longest_step, tolerance;
    bool signs[INTEGRATOR_INDICATORS];
    long steps, events, forced; /* forced: steps that were taken although they miss the tolerance */
    long events_watched;
    double time_watched;
    void (*on_row)(double t, const double *x); /* after each step, and before and after each event */
} Integrator;

/* From the coupling as it is initialized at the time t. */
bool integrator_begin(Integrator *integrator, Coupling *coupling, double t, double tolerance, Message *message);

/* Goes on towards the time `until`, with so many trial steps at most. */
bool integrator_advance(Integrator *integrator, double until, int trials, Message *message);

/* An event from outside: the page has changed something. Between begin_change and end_change the element is in event mode. */
bool integrator_begin_change(Integrator *integrator, Message *message);
bool integrator_end_change(Integrator *integrator, Message *message);

#endif
