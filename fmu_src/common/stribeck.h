/* The Stribeck curve: friction that falls with the speed of sliding from its static to its dynamic
 * value.
 *
 *     mu(a) = mu_d + (mu_s - mu_d) exp(-(a/v_A)^alpha),   a = |v| >= 0
 *
 * Rill 2023, eq 4 (its viscous part nu a is added by the models that have one there).
 */
#ifndef BRISTLE_STRIBECK_H
#define BRISTLE_STRIBECK_H

#include <math.h>

/* exp(-s^alpha) for s >= 0. The exponents 1 and 2, which most users choose, need no pow, and fast
 * sliding, where the result rounds to zero, needs no exp, which is slow there. */
static double decay(double s, double alpha) {
    const double q = alpha == 2 ? s * s : alpha == 1 ? s : pow(s, alpha);
    return q > 746 ? 0 : exp(-q);
}

/* Slope of decay: -exp(-q) dq with q = s^alpha, dq = q (alpha_slope ln s + alpha s_slope / s). A
 * constant exponent, as in every step of the solver, needs no logarithm. At s = 0 the limit from
 * the right: q and q ln s vanish, q/s is 1 for alpha = 1 and 0 above. */
static double decay_slopes(double s, double s_slope, double alpha, double alpha_slope,
                           double *result_slope) {
    const double value = decay(s, alpha);
    if (value == 0 || s == 0) {
        *result_slope = s == 0 && alpha == 1 ? -s_slope : 0;
        return value;
    }
    const double q_over_s = alpha == 2 ? s : alpha == 1 ? 1 : pow(s, alpha - 1);
    const double by_exponent = alpha_slope == 0 ? 0 : alpha_slope * s * log(s);
    *result_slope = -value * q_over_s * (alpha * s_slope + by_exponent);
    return value;
}

static double stribeck(double mu_s, double mu_d, double v_A, double alpha, double a) {
    return mu_d + (mu_s - mu_d) * decay(a / v_A, alpha);
}

#endif
