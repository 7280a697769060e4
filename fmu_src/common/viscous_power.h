/* A viscous part that grows with a power of the speed. */
#ifndef BRISTLE_VISCOUS_POWER_H
#define BRISTLE_VISCOUS_POWER_H

#include <math.h>

/* of the reference speed, below which the power becomes a line */
static const double LINEAR_PART = 1e-4;

/* Factor that makes a force proportional to the speed a grow with its power n: (s^2 +
 * LINEAR_PART^2)^((n-1)/2), s = a/v_n. Multiplied by s it is odd, rises everywhere and has a finite
 * slope at rest. The exponent 1 needs no pow. */
static double power_factor(double a, double v_n, double n) {
    if (n == 1) return 1;
    const double s = a / v_n;
    return pow(s * s + LINEAR_PART * LINEAR_PART, 0.5 * (n - 1));
}

/* Slope: with q = s^2 + LINEAR_PART^2 the factor times (n-1) s s_slope/q + n_slope ln(q)/2, also at
 * n = 1. */
static double power_factor_slopes(double a, double a_slope, double v_n, double v_n_slope, double n,
                                  double n_slope, double *result_slope) {
    const double value = power_factor(a, v_n, n);
    *result_slope = 0;
    if (n != 1 || n_slope != 0) {
        const double s = a / v_n, q = s * s + LINEAR_PART * LINEAR_PART;
        const double s_slope = (a_slope - s * v_n_slope) / v_n;
        *result_slope = value * ((n - 1) * s * s_slope / q + 0.5 * n_slope * log(q));
    }
    return value;
}

#endif
