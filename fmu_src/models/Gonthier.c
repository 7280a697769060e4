/* Gonthier: a bristle that sticks below the Stribeck velocity and slides above it, with a static
 * force that grows with the time of rest.
 *
 *     s        = exp(-(v/v_A)^2)                            Pennestri et al. 2016, eq 22:
 *                                                           1 in stick, 0 in sliding
 *     dz/dt    = s v + (1 - s) (F_c - sigma0 z)/sigma1      eqs 21, 23, 24
 *     F_c      = mu_d N dir(v, v_t)                         eqs 25, 26: Coulomb, smooth at rest
 *     ds_dw/dt = (s - s_dw)/tau                             eq 28:
 *                                                           tau_dw rising, sigma1/sigma0 falling
 *     F        = sat(sigma0 z + sigma1 dz/dt, F_max) + F_v  eqs 20, 29, 30; F_v: common/viscous.h
 *     F_max    = (mu_d + (mu_s - mu_d) s_dw) N              eq 27
 *
 * Separated (N <= 0): F = 0, the bristle relaxes, dz/dt = -sigma0/sigma1 z, and the time of rest is
 * forgotten as fast. F has the sign of the sliding velocity and is subtracted from the body's
 * equation of motion.
 */
#include "Gonthier.h"
#include "common/bristle.h"
#include "common/contact_events.h"
#include "common/direction.h"
#include "common/scalar.h"
#include "common/static_resolution.h"
#include "common/step.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)m;
    if (u->N <= 0) {
        dx->z = relaxation_rate(p->sigma0, p->sigma1, x->z);
        dx->s_dw = relaxation_rate(p->sigma0, p->sigma1, x->s_dw);
        contact_outputs(u, 0, u->v - dx->z, y);
        return;
    }
    const double s = decay(fabs(u->v) / p->v_A, 2);
    const double F_c = limit_towards(p, p->mu_d * u->N, u->v) * odd_step3(u->v / p->v_t);
    dx->z = s * u->v + (1 - s) * (F_c - p->sigma0 * x->z) / p->sigma1;
    dx->s_dw = (s - x->s_dw) / (s >= x->s_dw ? p->tau_dw : p->sigma1 / p->sigma0);

    const double F_br = p->sigma0 * x->z + p->sigma1 * dx->z;
    const double F_max = fmax(p->mu_d + (p->mu_s - p->mu_d) * x->s_dw, 0) * u->N;
    const double F = copysign(fmin(fabs(F_br), limit_towards(p, F_max, F_br)), F_br) +
                     viscous_force(p, u->N, u->v);
    contact_outputs(u, F, u->v - dx->z, y);
}
