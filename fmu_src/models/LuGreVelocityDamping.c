/* LuGreVelocityDamping: LuGre whose bristle damping fades with the speed.
 *
 *     g     = mu(|v|) N                                             Rill 2023, eq 16
 *     dz/dt = v - sigma0 |v|/g z                                    eq 17
 *     F     = sigma0 z + sigma1 exp(-(|v|/v_A)^alpha) dz/dt + F_v   Listing 5 (type 5);
 *                                                                   F_v: common/viscous.h
 *
 * Bounded as LuGre.
 *
 * Separated (N <= 0): F = 0 and the bristle relaxes, dz/dt = -sigma0/sigma1 z (eq 6). F has the
 * sign of the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "LuGreVelocityDamping.h"
#include "common/bristle_element.h"
#include "common/damped_resolution.h"
#include "common/printed_law.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

static double damping_at(const Parameters *p, double a) {
    return p->sigma1 * decay(a / p->v_A, p->alpha);
}

static double friction_force(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                             States *dx) {
    const double fading = decay(fabs(u->v) / p->v_A, p->alpha);
    const double g = limit_towards(p, (p->mu_d + (p->mu_s - p->mu_d) * fading) * u->N, u->v);
    dx->z = lugre_rate(p->sigma0, p->sigma1, g, u->v, x->z);
    return bristle_force(p, m->law == LAW_PRINTED, p->sigma1 * fading, p->mu_s * u->N, u->v, x->z,
                         dx->z) +
           viscous_force(p, u->N, u->v);
}
