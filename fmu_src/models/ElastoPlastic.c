/* ElastoPlastic: LuGre with a stiction zone in which the bristle is purely elastic, so that nothing
 * drifts.
 *
 *     g     = mu(|v|) N,   z_max = g/sigma0          Pennestri et al. 2016, eqs 11, 15
 *     dz/dt = v (1 - alpha(z, v) |z|/z_max)          eq 14
 *     F     = sigma0 z + sigma1 dz/dt + F_v          eq 13, F_v: common/viscous.h; bounded as LuGre
 *
 * The share of sliding alpha is 0 as long as |z| <= z_ba or the bristle is being unloaded (sgn v !=
 * sgn z); it rises from 0 to 1 with half a sine wave between z_ba and z_max, and is 1 beyond (eq
 * 15).
 *
 * Separated (N <= 0): F = 0 and the bristle relaxes, dz/dt = -sigma0/sigma1 z. F has the sign of
 * the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "ElastoPlastic.h"
#include "common/bristle_element.h"
#include "common/printed_law.h"
#include "common/resolution.h"
#include "common/step.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

/* z_ba may come near z_max or lie above it, at speed or under a small normal force; the zone
 * between them is kept a hundredth of z_max wide. */
static double zone_begin(double z_ba, double z_max) {
    return fmin(z_ba, (1 - 1e-2) * z_max);
}

/* eq 15 for a bristle that is being loaded. */
static double sliding_share(double deflection, double z_ba, double z_max) {
    return sine_step(deflection, zone_begin(z_ba, z_max), 0, z_max, 1);
}

/* eq 14. Where the friction force nearly vanishes, the time constant with which the bristle tends
 * to z_max is bounded from below. That bound acts at the corner of the zone first, and everywhere
 * where z_max is less than the distance slid in that time. */
static double elasto_plastic_rate(const Parameters *p, double g, double v, double z) {
    const double shortest = SHORTEST * p->sigma1 / p->sigma0, path = shortest * fabs(v),
                 z_max = g / p->sigma0;
    const double left = z_max - copysign(1, v) * z;
    if (path >= z_max) return copysign(1, v) * fmin(fabs(v), left / shortest);
    double share = 0;
    if (v * z > 0) share = sliding_share(fabs(z), limit_towards(p, p->z_ba, v), z_max);
    const double part = 1 - share * fabs(z) / z_max;
    return fabs(part) * path <= fabs(left) ? v * part : copysign(1, v) * left / shortest;
}

static double friction_force(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                             States *dx) {
    const double g =
        limit_towards(p, stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, fabs(u->v)) * u->N, u->v);
    dx->z = elasto_plastic_rate(p, g, u->v, x->z);
    return bristle_force(p, m->law == LAW_PRINTED, p->sigma1, p->mu_s * u->N, u->v, x->z, dx->z) +
           viscous_force(p, u->N, u->v);
}

/* In the zone in which sliding sets in, which may be narrow, the rate changes by the whole of v. */
static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N <= 0) return;
    const double g =
        lower_limit(p, stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, fabs(u->v)) * u->N, x->z, u->v);
    const double z_max = g / p->sigma0, z_ba = lower_limit(p, p->z_ba, x->z, u->v);
    length->z = fabs(x->z) > z_max ? fabs(x->z) : z_max - zone_begin(z_ba, z_max);
    length->z *= damper_factor(g, p->sigma1, fabs(u->v));
}
