/* Friction that differs by the direction of sliding: its limits are multiplied by kappa in the
 * negative direction.
 *
 * A contact carries forces from -kappa F_s to F_s. The side is chosen by the sign of the quantity
 * that passes through zero in the formula: the sliding velocity or, in stick, the force; so nothing
 * jumps where the side changes. With kappa = 1 all results are the same bit for bit as without it.
 */
#ifndef BRISTLE_DIRECTION_H
#define BRISTLE_DIRECTION_H

#include <math.h>

/* Limit of friction towards a side, the sign of `towards`: a force, a coefficient or the length of
 * a spring that carries it. */
static double limit_towards(const Parameters *p, double limit, double towards) {
    return towards < 0 ? p->kappa * limit : limit;
}

/* A force, or the length of a spring that carries it, between its limits on both sides. */
static double between_limits(const Parameters *p, double value, double limit) {
    const double least = -p->kappa * limit;
    return value > limit ? limit : value < least ? least : value;
}

/* The lower of the limits of two sides: that of a deflection, and that to which the motion leads
 * it. */
static double lower_limit(const Parameters *p, double limit, double deflection, double motion) {
    return fmin(limit_towards(p, limit, deflection), limit_towards(p, limit, motion));
}

#endif
