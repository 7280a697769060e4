/* Friction made continuous at rest: a parabola through zero that meets the Stribeck curve at the
 * speed v_r.
 *
 *     mu_s N xi (2 - xi), xi = a/v_r    for a = |v| <= v_r     Rill 2023, eq 21
 *     mu(a - v_r) N + F_v(a - v_r)      above                  Listing 4; F_v: viscous_force.h
 */
#ifndef BRISTLE_REGULARIZATION_H
#define BRISTLE_REGULARIZATION_H

#include <math.h>

#include "common/direction.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

/* Friction force under the normal force N, with the sign of the sliding velocity. */
static double parabolic_friction(const Parameters *p, double N, double v) {
    const double a = fabs(v), beyond = a - p->v_r, L = limit_towards(p, N, v);
    if (beyond < 0) {
        const double xi = a / p->v_r;
        return copysign(p->mu_s * xi * (2 - xi) * L, v);
    }
    return copysign(stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, beyond) * L, v) +
           viscous_force(p, N, copysign(beyond, v));
}

#endif
