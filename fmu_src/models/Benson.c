/* Benson: Coulomb's law with a sliding friction that falls exponentially from its static to its
 * dynamic value.
 *
 *     stick   F = F_ext up to |F_ext| = F_s = mu_s N
 *     slip    F = (F_d + (F_s - F_d) exp(-c |v|)) sgn v   Pennestri et al. 2016, eq 3
 *     with F_d = mu_d N
 *
 * How stick begins, ends and keeps the velocity at zero: common/ideal_stick.h. Separated (N <= 0):
 * F = 0. F has the sign of the sliding velocity and is subtracted from the body's equation of
 * motion.
 */
#include "Benson.h"
#include "common/ideal_stick.h"

static double sliding_force(const Parameters *p, double N, int side, double a) {
    return limit_towards(p, (p->mu_d + (p->mu_s - p->mu_d) * exp(-p->c * a)) * N, side);
}
