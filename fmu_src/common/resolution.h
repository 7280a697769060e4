/* Error control by the force: a model says how far a state may be off for an error of about what
 * the contact carries, and the tolerance is taken of that. */
#ifndef BRISTLE_RESOLUTION_H
#define BRISTLE_RESOLUTION_H

#include <math.h>

/* Of a deflection that carries the limit at `full`; beyond it, where the normal force has fallen,
 * nothing more is felt. */
static double resolved_deflection(double full, double z) {
    return fmax(full, fabs(z));
}

/* What is left of that under a damper: at the speed a an error of a deflection is felt by the
 * spring and, through the state equation, by the damper. Not less than a hundredth, or a step under
 * a tight tolerance would not end within its trials. */
static double felt_by_damper(double limit, double sigma1, double a) {
    return fmax(1 / (1 + sigma1 * a / limit), 1e-2);
}

/* Of a deflection with a damper under a constant limit, however much that makes of it. */
static double damped_deflection(double limit, double sigma0, double sigma1, double a) {
    return limit / (sigma0 * (1 + sigma1 * a / limit));
}

#endif
