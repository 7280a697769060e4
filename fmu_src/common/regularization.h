/* Friction made continuous at rest: a parabola through zero that meets the Stribeck curve at the speed v_r.
 *
 *     mu_s xi (2 - xi), xi = a/v_r      for a = |v| <= v_r     Rill 2023, eq 21
 *     mu(a - v_r) + nu (a - v_r)        above                  Listing 4
 */
#ifndef BRISTLE_REGULARIZATION_H
#define BRISTLE_REGULARIZATION_H

#include <math.h>

#include "common/stribeck.h"

/* Friction coefficient with the sign of the sliding velocity. */
static double parabolic_friction(double mu_s, double mu_d, double v_A, double alpha, double nu, double v_r, double v) {
    const double a = fabs(v);
    if (a < v_r) {
        const double xi = a / v_r;
        return copysign(mu_s * xi * (2 - xi), v);
    }
    return copysign(stribeck(mu_s, mu_d, v_A, alpha, a - v_r) + nu * (a - v_r), v);
}

#endif
