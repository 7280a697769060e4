/* Integrates an assembly without any library, by the stepper of the FMUs' own co-simulation: RODAS
 * with the exact Jacobian, error control, and events that are located. It can stop and continue at
 * any time, because the playground draws in between; `bristle sweep` runs systems by it on machines
 * that have no SUNDIALS. */
#ifndef INTEGRATOR_H
#define INTEGRATOR_H

#include "assembly.h"

#ifndef INTEGRATOR_ROOM
/* takes some 250 kB of the stack; the page has a smaller stack, and sets less */
#define INTEGRATOR_ROOM 64
#endif

/* at most */
enum { INTEGRATOR_STATES = INTEGRATOR_ROOM, INTEGRATOR_INDICATORS = 64 };

typedef struct {
    Assembly *assembly;
    double t, step, longest_step, tolerance;
    long steps, events;
    long events_checked;
    double time_checked;
    void (*on_row)(void *context, double t, const double *x,
                   bool event); /* after each step, and before and after each event */
    void *context;
} Integrator;

/* Begins from the assembly as it is initialized at the time t. */
bool integrator_begin(Integrator *integrator, Assembly *assembly, double t, double tolerance,
                      Message *message);

/* Integrates towards the time `until`, with at most so many trial steps. */
bool integrator_advance(Integrator *integrator, double until, int trials, Message *message);

/* An event from outside: the page has changed something. Between begin_change and end_change the
 * element is in event mode. */
bool integrator_begin_change(Integrator *integrator, Message *message);
bool integrator_end_change(Integrator *integrator, Message *message);

#endif
