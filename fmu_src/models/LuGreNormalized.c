/* LuGreNormalized: LuGre per unit of normal force, for contacts whose normal force varies.
 *
 *     g     = mu(|v|)                                        Colantonio et al. 2022, eq 10
 *     dz/dt = v - sigma0 |v|/g z                             eq 9
 *     F     = (sigma0 z + sigma1 dz/dt) N + F_v              eq 11, F_v: common/viscous.h
 *
 * The deflection does not depend on the normal force; the friction force follows it at once.
 *
 * Bounded as LuGre, per unit of normal force.
 *
 * It stores N sigma0 z^2/2; what a rising normal force adds to that is neither power nor heat.
 *
 * Separated (N <= 0): F = 0 and the bristle relaxes, dz/dt = -sigma0/sigma1 z. F has the sign of
 * the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "LuGreNormalized.h"
#include "common/bristle_force.h"
#include "common/contact_events.h"
#include "common/heat.h"
#include "common/printed_law.h"
#include "common/resolution.h"
#include "common/scalar.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    double F = 0, stored_power = 0;
    dx->z = relaxation_rate(p->sigma0, p->sigma1, x->z);
    if (u->N > 0) {
        const double g =
            limit_towards(p, stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, fabs(u->v)), u->v);
        dx->z = u->v - p->sigma0 * x->z * fabs(u->v) / g;
        F = bristle_force(p, m->law == LAW_PRINTED, p->sigma1, p->mu_s, u->v, x->z, dx->z) * u->N +
            viscous_force(p, u->N, u->v);
        stored_power = p->sigma0 * x->z * dx->z * u->N;
    }
    contact_outputs(u, F, u->v - dx->z, y);
    heat_output(stored_power, y);
}

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N > 0)
        length->z = damped_deflection(lower_limit(p, p->mu_s, x->z, u->v), p->sigma0, p->sigma1,
                                      fabs(u->v));
}
