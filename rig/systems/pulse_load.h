/* What the systems with a load that is switched on and off in turn have in common: F_E = F_I in the
 * even phases, up to a number of pulses, 0 in between. Each phase lasts tau. */
#ifndef PULSE_LOAD_H
#define PULSE_LOAD_H

#include "one_mass.h"

enum { LOAD = OWN_PARAMETERS, DURATION, PULSES };

static const Quantity pulse_outputs[] = {{"load", "N", 1, "Load on the mass"},
                                         {NULL, NULL, 0, NULL}};

static double applied_force(const Instant *m, const double *x) {
    (void)x;
    return m->phase % 2 == 0 && m->phase < 2 * m->p[PULSES] ? m->p[LOAD] : 0;
}

static double counterpart_velocity(const Instant *m) {
    (void)m;
    return 0;
}

static double pulse_event_time(const Instant *m) {
    return m->phase < 2 * m->p[PULSES] ? m->p[DURATION] * (m->phase + 1) : INFINITY;
}

#endif
