/* ElastoPlastic: LuGre with a stiction zone in which the bristle is purely elastic, so that nothing drifts.
 *
 *     g     = mu(|v|) N,   z_max = g/sigma0                                       Pennestri et al. 2016, eqs 11, 15
 *     dz/dt = v (1 - alpha(z, v) |z|/z_max)                                       eq 14
 *     F     = sigma0 z + sigma1 dz/dt + F_v                                       eq 13, F_v: common/viscous.h
 *
 * The share of sliding alpha is 0 as long as |z| <= z_ba or the bristle is being unloaded (sgn v != sgn z); it rises from 0 to 1
 * with half a sine wave between z_ba and z_max, and is 1 beyond (eq 15).
 *
 * Separated (N <= 0): F = 0 and the bristle relaxes, dz/dt = -sigma0/sigma1 z.
 * F has the sign of the sliding velocity and is subtracted from the body's equation of motion.
 *
 * Not modelled: hysteresis of motions within the stiction zone (they are elastic), passivity for a large damping.
 */
#include "ElastoPlastic.h"
#include "common/bristle_element.h"
#include "common/dahl_bristle.h"
#include "common/step.h"
#include "common/stribeck.h"
#include "common/viscous.h"

/* eq 15 for a bristle that is being loaded. z_ba may come near z_max or lie above it, at speed or under a small normal force; the
 * zone between them is kept a thousandth of z_max wide. */
static double sliding_share(double deflection, double z_ba, double z_max) {
    const double z_begin = fmin(z_ba, (1 - 1e-3) * z_max);
    return sine_step(deflection, z_begin, 0, z_max, 1);
}

static double friction_force(const Parameters *p, const Inputs *u, const States *x, States *dx) {
    const double g = stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, fabs(u->v)) * u->N;
    const double z_max = saturation_length(g, p->sigma0, p->sigma1 / p->sigma0, u->v);
    double share = 0;
    if (u->v * x->z > 0) share = sliding_share(fabs(x->z), p->z_ba, z_max);
    dx->z = u->v * (1 - share * fabs(x->z) / z_max);
    return p->sigma0 * x->z + p->sigma1 * dx->z + viscous_force(p, u->N, u->v);
}
