/* A deflection that follows the motion and is held at a limit, so that a reversal takes effect at
 * once. */
#ifndef BRISTLE_HELD_DEFLECTION_H
#define BRISTLE_HELD_DEFLECTION_H

#include <math.h>

/* Fraction of the range over which the deflection slows down before its limit, so that a solver
 * sees no jump. */
static const double LAST_PART = 1e-3;

/* Rate of the deflection x under the motion v. Where the limit has fallen below |x|, the motion
 * brings x back to it. */
static double held_rate(double limit, double x, double v) {
    if (x * v <= 0) return v;
    return v * fmax(-1, fmin((1 - fabs(x) / limit) / LAST_PART, 1));
}

#endif
