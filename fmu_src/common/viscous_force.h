/* The viscous part of friction as a force, by direction and as a power of the speed.
 *
 *     F_v = (nu N + sigma2) v ((v/v_n)^2 + 1e-8)^((n_v - 1)/2),   kappa_v times as much for v < 0
 */
#ifndef BRISTLE_VISCOUS_FORCE_H
#define BRISTLE_VISCOUS_FORCE_H

#include "common/directed_viscous.h"
#include "common/viscous_power.h"

/* The whole viscous part at the velocity v under the normal force N, with the sign of v. */
static double viscous_force(const Parameters *p, double N, double v) {
    return viscous_towards(p, viscous_damping(p, N), v) * v * power_factor(v, p->v_n, p->n_v);
}

#endif
