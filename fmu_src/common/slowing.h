/* Bristles that slide under a normal force that has all but vanished.
 *
 * In sliding a deflection tends to its limit over a path of the length of the limit. The path
 * becomes short with the normal force, and the rate grows without bound: every solver stalls there.
 * So a deflection follows in no less than a millionth of the bristle's own time constant. Only the
 * rate is bounded; the limit stays as printed, and with it the force of steady sliding.
 */
#ifndef BRISTLE_SLOWING_H
#define BRISTLE_SLOWING_H

#include <math.h>

/* time in which a deflection follows, as a part of the bristle's own time constant */
static const double SHORTEST = 1e-6;
/* stands for a limit of zero, so that nothing is divided by it */
static const double NO_LENGTH = 1e-290;

/* Rate of a deflection that saturates at the limit: v - |v| z/limit. Limit, tau and z may be given
 * multiplied by a stiffness. */
static double saturating_rate(double limit, double tau, double v, double z) {
    const double a = fabs(v), shortest = SHORTEST * tau;
    if (shortest * a < limit) return v - z * a / limit;
    return (copysign(limit, v) - z) / shortest;
}

/* Factor of the printed rate: 1, unless the distance slid in the shortest time, at the speed |v|,
 * is longer than the limit. Both may be given as forces instead, multiplied by a stiffness. */
static double slowing(double limit, double tau, double v) {
    const double path = SHORTEST * tau * fabs(v);
    return path > limit ? limit / path : 1;
}

#endif
