/* StickSlip: a spring-like force at rest that changes into Coulomb friction as the speed rises.
 *
 *     F = (1 - |beta|) mu_s N q(x/x_s) + mu_d N beta     Pennestri et al. 2016, eqs 16-18, Table 1
 *     beta  = q(v/v_t)
 *     q(u)  = STEP(u, -1, -1, 1, 1) = (3 u - u^3)/2,     -1 and 1 outside, eq 19
 *     dx/dt = v, held at x_s (the Delta_max of the paper, which has no law for it)
 *
 * Free, x is the integral of v without a limit: a motion back is felt only after the whole path. x
 * comes to rest at x_s over the last thousandth of its path, where q differs from 1 by less than
 * 2e-6.
 *
 * Separated (N <= 0): F = 0 and the deflection decays in the time in which it builds up at v_t,
 * dx/dt = -v_t/x_s x. F has the sign of the sliding velocity and is subtracted from the body's
 * equation of motion.
 */
#include "StickSlip.h"
#include "common/contact_events.h"
#include "common/direction.h"
#include "common/displacement_resolution.h"
#include "common/held_deflection.h"
#include "common/scalar.h"
#include "common/step.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    if (u->N <= 0) {
        dx->x = -p->v_t / p->x_s * x->x;
        contact_outputs(u, 0, u->v - dx->x, y);
        return;
    }
    dx->x = m->limit == LIMIT_FREE ? u->v : held_rate(p->x_s, x->x, u->v);
    const double beta = odd_step3(u->v / p->v_t);
    const double q = limit_towards(p, odd_step3(x->x / p->x_s), x->x);
    const double mu = (1 - fabs(beta)) * p->mu_s * q + limit_towards(p, p->mu_d * beta, u->v);
    contact_outputs(u, mu * u->N, u->v - dx->x, y);
}
