/* SecondOrderBristle: a bristle with a mass, on a friction curve that is shifted so that stick
 * needs no creep.
 *
 *     F_0  = sigma0 z + sigma1 v                      Rill 2023, eq 25: force in stick
 *     dv   = sgn(F_0) v_r (1 - sqrt(1 - |F_0|/F_s))   eq 22: shift, v_r for |F_0| > F_s
 *     F    = F_reg(v_S + dv),  v_S = v - dz/dt        eq 21, Listing 4: parabola, Stribeck
 *     m_b d2z/dt2 = F - sigma0 z - sigma1 dz/dt       eqs 23, 24: m_b = sigma1^2 / (4 sigma0)
 *
 * In stick v_S = 0 and F = F_0: the bristle holds the load without motion. Separated (N <= 0): F =
 * 0 and the bristle relaxes aperiodically. F has the sign of the sliding velocity and is subtracted
 * from the body's equation of motion.
 */
#include "SecondOrderBristle.h"
#include "common/contact_events.h"
#include "common/regularization.h"
#include "common/resolution.h"
#include "common/scalar.h"

/* Shift of the friction curve that makes it meet F_0 at v_S = 0; ratio = F_0/F_s. */
static double stick_shift(double v_r, double ratio) {
    return copysign(v_r * (1 - sqrt(fmax(1 - fabs(ratio), 0))), ratio);
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)m;
    const double v_S = u->v - x->w;
    double F = 0;
    if (u->N > 0) {
        const double F_0 = p->sigma0 * x->z + p->sigma1 * u->v;
        const double shifted =
            v_S + stick_shift(p->v_r, F_0 / limit_towards(p, p->mu_s * u->N, F_0));
        F = parabolic_friction(p, u->N, shifted);
    }
    const double F_bristle = p->sigma0 * x->z + p->sigma1 * x->w;
    dx->z = x->w;
    dx->w = (F - F_bristle) * (4 * p->sigma0 / (p->sigma1 * p->sigma1));
    contact_outputs(u, F, v_S, y);
}

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N <= 0) return;
    length->z = resolved_deflection(lower_limit(p, p->mu_s * u->N, x->z, u->v) / p->sigma0, x->z);
    length->w = p->v_r;
}
