/* Coulomb: the classic law with ideal stick, which has the load as an input.
 *
 *     stick   F = F_ext up to |F_ext| = F_s = mu_s N                    Pennestri et al. 2016, eq 1
 *     slip    F = F_d sgn v,  F_d = mu_d N                              eqs 1, 2
 *
 * How stick begins, ends and keeps the velocity at zero: common/ideal_stick.h.
 * Separated (N <= 0): F = 0.
 * F has the sign of the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "Coulomb.h"
#include "common/ideal_stick.h"

static double sliding_force(const Parameters *p, double N, int side, double a) {
    (void)a;
    return limit_towards(p, p->mu_d * N, side);
}
