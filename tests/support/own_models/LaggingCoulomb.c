/* LaggingCoulomb: Coulomb friction whose coefficient follows the curve after a time.
 *
 *     T_l dc/dt = mu_d exp(-k_T theta) tanh(v/v_r) - c,   F = c N
 * Separated (N <= 0): F = 0.
 */
#include <math.h>

#include "LaggingCoulomb.h"
#include "common/contact_events.h"
#include "common/direction.h"
#include "common/scalar.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)m;
    dx->c =
        (limit_towards(p, p->mu_d * exp(-p->k_T * u->theta), u->v) * tanh(u->v / p->v_r) - x->c) /
        p->T_l;
    double F = 0;
    if (u->N > 0) F = x->c * u->N;
    contact_outputs(u, F, u->v, y);
}
