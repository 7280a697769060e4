/* Integrates a coupling without any library, by the stepper of the FMUs' own co-simulation: RODAS
 * with the exact Jacobian, error control, and events that are located. It can stop and go on at any
 * time, for the playground draws in between; `bristle sweep` runs systems by it on machines that
 * have no SUNDIALS. */
#ifndef INTEGRATOR_H
#define INTEGRATOR_H

#include "coupling.h"

#ifndef INTEGRATOR_ROOM
/* of which the stack holds some 250 kB; the page, with less of a stack, says less */
#define INTEGRATOR_ROOM 64
#endif

/* at most */
enum { INTEGRATOR_STATES = INTEGRATOR_ROOM, INTEGRATOR_INDICATORS = 64 };

typedef struct {
    Coupling *coupling;
    double t, step, longest_step, tolerance;
    long steps, events;
    long events_watched;
    double time_watched;
    void (*on_row)(void *context, double t, const double *x,
                   bool event); /* after each step, and before and after each event */
    void *context;
} Integrator;

/* From the coupling as it is initialized at the time t. */
bool integrator_begin(Integrator *integrator, Coupling *coupling, double t, double tolerance,
                      Message *message);

/* Goes on towards the time `until`, with so many trial steps at most. */
bool integrator_advance(Integrator *integrator, double until, int trials, Message *message);

/* An event from outside: the page has changed something. Between begin_change and end_change the
 * element is in event mode. */
bool integrator_begin_change(Integrator *integrator, Message *message);
bool integrator_end_change(Integrator *integrator, Message *message);

#endif
