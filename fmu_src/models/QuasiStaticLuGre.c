/* QuasiStaticLuGre: the LuGre model with its bristles in equilibrium: the Stribeck curve and an
 * ideal stick.
 *
 *     stick   F = F_ext up to |F_ext| = F_s = mu_s N
 *     slip    F = (F_d + (F_s - F_d) exp(-(|v|/v_A)^alpha)) sgn v + F_v
 *     with F_d = mu_d N                                   Pennestri et al. 2016, eq 12
 *
 * F_v: common/viscous.h. How stick begins, ends and keeps the velocity at zero:
 * common/ideal_stick.h. Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is
 * subtracted from the body's equation of motion.
 */
#include "QuasiStaticLuGre.h"
#include "common/ideal_stick.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

static double sliding_force(const Parameters *p, double N, int side, double a) {
    return limit_towards(p, stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, a) * N, side) +
           side * viscous_force(p, N, side * a);
}
