/* Friction made continuous at rest: a parabola through zero that meets the Stribeck curve at the
 * speed v_r.
 *
 *     mu_s N xi (2 - xi), xi = a/v_r    for a = |v| <= v_r     Rill 2023, eq 21
 *     mu(a - v_r) N + F_v(a - v_r)      above                  shifted_curve.h
 */
#ifndef BRISTLE_REGULARIZATION_H
#define BRISTLE_REGULARIZATION_H

#include "common/shifted_curve.h"

/* Friction force under the normal force N, with the sign of the sliding velocity. */
static double parabolic_friction(const Parameters *p, double N, double v) {
    const double xi = fabs(v) / p->v_r;
    if (fabs(v) >= p->v_r) return shifted_curve(p, N, v, p->v_r);
    return copysign(p->mu_s * xi * (2 - xi) * limit_towards(p, N, v), v);
}

#endif
