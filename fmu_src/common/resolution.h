/* Error control by the force: a model says how far a state may be off for an error of about what
 * the contact carries, and the tolerance is relative to that. */
#ifndef BRISTLE_RESOLUTION_H
#define BRISTLE_RESOLUTION_H

#include <math.h>

/* Resolution of a deflection that carries the limit at `full`; beyond it, where the normal force
 * has fallen, of the deflection itself. */
static double resolved_deflection(double full, double z) {
    return fmax(full, fabs(z));
}

/* Factor of that with a damper: at the speed a an error of the deflection changes the force of the
 * spring and, through the state equation, that of the damper. Not less than a hundredth, or a step
 * with a tight tolerance would not end within its trials. */
static double damper_factor(double limit, double sigma1, double a) {
    return fmax(1 / (1 + sigma1 * a / limit), 1e-2);
}

/* Resolution of a deflection with a damper under a constant limit, with any factor. */
static double damped_deflection(double limit, double sigma0, double sigma1, double a) {
    return limit / (sigma0 * (1 + sigma1 * a / limit));
}

#endif
