/* The Stribeck curve beyond a speed below which another law makes friction continuous at rest.
 *
 *     mu(a - edge) N + F_v(a - edge),  a = |v| >= edge     Rill 2023, Listing 4; viscous_force.h
 */
#ifndef BRISTLE_SHIFTED_CURVE_H
#define BRISTLE_SHIFTED_CURVE_H

#include <math.h>

#include "common/direction.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

/* Friction force under the normal force N, with the sign of the sliding velocity; static friction
 * at the edge. */
static double shifted_curve(const Parameters *p, double N, double v, double edge) {
    const double beyond = fabs(v) - edge, L = limit_towards(p, N, v);
    return copysign(stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, beyond) * L, v) +
           viscous_force(p, N, copysign(beyond, v));
}

#endif
