/* LuGreModified: the first-step solution of the bristle's force balance, with its damping kept.
 *
 *     g     = mu(|v|) N + F_v(|v|)                      Rill 2023, eq 19 (its leading v is nu);
 *                                                       F_v: common/viscous.h
 *     dz/dt = (v g - |v| sigma0 z) / (g + |v| sigma1)   eq 18
 *     F     = sigma0 z + sigma1 dz/dt                   eq 20
 *
 * With the option Bounded |F| <= mu_s N + F_v, which it exceeds only where the normal force has
 * fallen.
 *
 * Separated (N <= 0): dz/dt = -sigma0/sigma1 z, which eq 18 gives for N = 0 and v != 0, so F = 0. F
 * has the sign of the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "LuGreModified.h"
#include "common/bristle_element.h"
#include "common/printed_law.h"
#include "common/static_resolution.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

static double friction_force(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                             States *dx) {
    const double a = fabs(u->v);
    const double curve =
        limit_towards(p, stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, a) * u->N, u->v);
    const double viscous = viscous_force(p, u->N, u->v);
    /* not fabs, which has no slope where there is no viscous part */
    const double g = curve + (u->v < 0 ? -viscous : viscous);
    dx->z = (u->v * g - a * p->sigma0 * x->z) / (g + a * p->sigma1);
    const double F = p->sigma0 * x->z + p->sigma1 * dx->z;
    if (m->law == LAW_PRINTED) return F;
    const double F_s = p->mu_s * u->N;
    const double highest = F_s + viscous_force(p, u->N, a),
                 lowest = viscous_force(p, u->N, -a) - limit_towards(p, F_s, -1);
    return fmax(lowest, fmin(F, highest));
}
