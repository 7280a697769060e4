/* StaticRegularized: a friction coefficient that is a continuous function of the velocity, no
 * memory.
 *
 *     F = mu_s N (v/v_r) (2 - |v|/v_r)               for |v| <= v_r   Rill 2023, eq 21
 *     F = (mu(|v| - v_r) N + F_v(|v| - v_r)) sgn v   above            Listing 4 with f0 = 0;
 *                                                                     F_v: common/viscous.h
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "StaticRegularized.h"
#include "common/friction_curve.h"
#include "common/regularization.h"

static double friction_curve(const Parameters *p, double N, double v) {
    return parabolic_friction(p, N, v);
}
