/* A deflection that follows the motion and is held at a limit, so that a motion back is felt at once. */
#ifndef BRISTLE_HELD_DEFLECTION_H
#define BRISTLE_HELD_DEFLECTION_H

#include <math.h>

/* Part of the way to the limit over which the deflection comes to rest, so that a solver meets no jump. */
static const double LAST_PART = 1e-3;

/* Rate of the deflection x under the motion v. Where the limit has come down below |x|, the motion takes x back to it. */
static double held_rate(double limit, double x, double v) {
    if (x * v <= 0) return v;
    return v * fmax(-1, fmin((1 - fabs(x) / limit) / LAST_PART, 1));
}

#endif
