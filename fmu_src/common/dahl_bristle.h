/* Bristles after Dahl: the deflection follows the motion and saturates at the length z_max.
 *
 *     dz/dt = v sgn(w) |w|^delta,   w = 1 - sgn(v) z/z_max          Piatkowski 2014, eq 2
 *
 * The bristles have no damping, so a separate time constant, tau, determines how they relax without
 * contact.
 */
#ifndef BRISTLE_DAHL_BRISTLE_H
#define BRISTLE_DAHL_BRISTLE_H

#include <math.h>

#include "common/slowing.h"

/* sgn(w) |w|^delta. The exponents 1 and 2 need no pow. */
static double signed_power(double w, double delta) {
    if (delta == 1) return w;
    if (delta == 2) return w * fabs(w);
    return copysign(pow(fabs(w), delta), w);
}

/* Slope: |w|^(delta-1) (delta w_slope + delta_slope w ln|w|). At w = 0 it is w_slope for delta = 1
 * and 0 above. A constant exponent needs no logarithm. */
static double signed_power_slopes(double w, double w_slope, double delta, double delta_slope,
                                  double *result_slope) {
    if (w == 0) {
        *result_slope = delta == 1 ? w_slope : 0;
        return signed_power(w, delta);
    }
    const double a = fabs(w);
    const double power = delta == 1 ? 1 : delta == 2 ? a : pow(a, delta - 1);
    const double by_exponent = delta_slope == 0 ? 0 : delta_slope * w * log(a);
    *result_slope = power * (delta * w_slope + by_exponent);
    return signed_power(w, delta);
}

/* Length at which bristles of the stiffness sigma0 carry the force g. */
static double saturation_length(double g, double sigma0) {
    return fmax(g / sigma0, NO_LENGTH);
}

/* Rate of the deflection; the bristles have the time constant tau. Where the slope of the power is
 * unbounded, the law is continued linearly, since no solver can follow it: within a millionth of
 * the range before the limit for delta < 1, and beyond a thousand times the limit (the normal force
 * is nearly zero). */
static double dahl_rate(double z_max, double delta, double tau, double v, double z) {
    const double side = copysign(1, v);
    const double path = fmax(z_max, SHORTEST * tau * fabs(v));
    if (fabs(z) > 1e3 * z_max) return v * (z_max - side * z) / path * pow(1e3, delta - 1);
    const double w = 1 - side * z / z_max, pace = v * (z_max / path);
    if (delta < 1 && fabs(w) < 1e-6) return pace * w * pow(1e-6, delta - 1);
    return pace * signed_power(w, delta);
}

#endif
