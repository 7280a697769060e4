/* Dahl: Coulomb friction whose force reverses over a path instead of at once.
 *
 *     F     = sigma0 z                      Pennestri et al. 2016, eq 7
 *     dz/dt = v sgn(w) |w|^delta_D          eq 8 in the form of Piatkowski 2014, eq 2
 *     w     = 1 - sgn(v) sigma0 z/F_d
 *
 * with F_d = mu_d N. The force is a function of the path alone, not of the speed. With the option
 * Bounded |F| <= F_d, which it exceeds only where the normal force has fallen. The heat is never
 * negative at the printed rate; where a bristle follows more slowly, under hardly any normal force
 * (common/slowing.h), it is bounded by zero.
 *
 * Separated (N <= 0): F = 0 and the bristles relax, dz/dt = -z/tau_r (they have no damping that
 * would determine how fast). F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "Dahl.h"
#include "common/reversal_events.h"
#include "common/dahl_bristle.h"
#include "common/direction.h"
#include "common/heat.h"
#include "common/printed_law.h"
#include "common/resolution.h"
#include "common/scalar.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    double F = 0;
    dx->z = -x->z / p->tau_r;
    if (u->N > 0) {
        const double F_d = p->mu_d * u->N;
        dx->z = dahl_rate(saturation_length(limit_towards(p, F_d, u->v), p->sigma0), p->delta_D,
                          p->tau_r, u->v, x->z);
        F = p->sigma0 * x->z;
        if (m->law != LAW_PRINTED) F = between_limits(p, F, F_d);
    }
    contact_outputs(u, F, u->v - dx->z, y);
    heat_output(fmin(p->sigma0 * x->z * dx->z, y->P), y);
}

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N > 0)
        length->z =
            resolved_deflection(lower_limit(p, p->mu_d * u->N, x->z, u->v) / p->sigma0, x->z);
}
