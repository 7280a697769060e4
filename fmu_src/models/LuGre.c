/* LuGre: elastic bristles whose deflection z follows the motion until it saturates at the Stribeck
 * curve.
 *
 *     g     = mu(|v|) N                            Rill 2023, eq 16
 *     dz/dt = v - sigma0 |v|/g z                   eq 17
 *     F     = sigma0 z + sigma1 dz/dt + F_v        eq 15, Listing 5 (type 2); F_v: common/viscous.h
 *
 * With the option Bounded spring and damper together carry no more than mu_s N and do not push the
 * body along while the bristle springs back, so that they create no energy (common/spring_back.h).
 *
 * Separated (N <= 0): F = 0 and the bristle relaxes, dz/dt = -sigma0/sigma1 z (eq 6). F has the
 * sign of the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "LuGre.h"
#include "common/bristle_element.h"
#include "common/damped_resolution.h"
#include "common/printed_law.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

static double damping_at(const Parameters *p, double a) {
    (void)a;
    return p->sigma1;
}

static double friction_force(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                             States *dx) {
    const double g =
        limit_towards(p, stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, fabs(u->v)) * u->N, u->v);
    dx->z = lugre_rate(p->sigma0, p->sigma1, g, u->v, x->z);
    return bristle_force(p, m->law == LAW_PRINTED, p->sigma1, p->mu_s * u->N, u->v, x->z, dx->z) +
           viscous_force(p, u->N, u->v);
}
