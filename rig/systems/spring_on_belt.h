/* What the systems of a mass on a moving belt that a spring holds back have in common: F_E = -k
 * x. */
#ifndef SPRING_ON_BELT_H
#define SPRING_ON_BELT_H

#include "one_mass.h"

enum { STIFFNESS = OWN_PARAMETERS, BELT_SPEED, OWN_BELT_PARAMETERS };

static double applied_force(const Instant *m, const double *x) {
    return -m->p[STIFFNESS] * x[POSITION];
}

static double counterpart_velocity(const Instant *m) {
    return m->p[BELT_SPEED];
}

static void moving_with_the_belt(const double *p, double *x) {
    x[POSITION] = 0;
    x[VELOCITY] = p[BELT_SPEED];
}

static inline double spring_energy(const Instant *m, const double *x) {
    return 0.5 * m->p[STIFFNESS] * x[POSITION] * x[POSITION];
}

#endif
