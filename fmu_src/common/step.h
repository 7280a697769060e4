/* Smooth steps between two levels, as multibody packages have them.
 *
 *     STEP     cubic polynomial, continuous slope         Pennestri et al. 2016,
 *                                                         eq 19 with its lost factor 3 - 2u
 *     STEP5    quintic polynomial, continuous curvature   Schuderer et al. 2023, section 3.1
 *     sine     half a wave, continuous slope              the same (Simpack)
 *
 * step(x, x0, h0, x1, h1) runs from h0 at x0 to h1 at x1 and is constant outside. odd_step(u) runs
 * from -1 at u = -1 to 1 at u = 1, written so that it is exactly odd and accurate near zero.
 */
#ifndef BRISTLE_STEP_H
#define BRISTLE_STEP_H

#include <math.h>

static const double HALF_PI = 1.5707963267948966;

static double step3(double x, double x0, double h0, double x1, double h1) {
    if (x <= x0) return h0;
    if (x >= x1) return h1;
    const double u = (x - x0) / (x1 - x0);
    return h0 + (h1 - h0) * u * u * (3 - 2 * u);
}

static double step5(double x, double x0, double h0, double x1, double h1) {
    if (x <= x0) return h0;
    if (x >= x1) return h1;
    const double u = (x - x0) / (x1 - x0);
    return h0 + (h1 - h0) * u * u * u * (10 - u * (15 - 6 * u));
}

static double sine_step(double x, double x0, double h0, double x1, double h1) {
    if (x <= x0) return h0;
    if (x >= x1) return h1;
    const double s = sin(HALF_PI * (x - x0) / (x1 - x0));
    return h0 + (h1 - h0) * s * s;
}

static double odd_step3(double u) {
    if (fabs(u) >= 1) return copysign(1, u);
    return 0.5 * u * (3 - u * u);
}

static double odd_step5(double u) {
    if (fabs(u) >= 1) return copysign(1, u);
    return 0.125 * u * (15 - u * u * (10 - 3 * u * u));
}

/* For |u| <= 1. */
static double odd_sine_step(double u) {
    return sin(HALF_PI * u);
}

#endif
