/* Awrejcewicz: continuous stick that balances the load, with the load as an input.
 *
 *     |v| <= v_s:  F = s + A (F_s sgn v - s),               Awrejcewicz et al. 2008, as restated
 *                  s = F_ext limited to -F_s ... F_s,       by Marques et al. 2016; four cases
 *                  A = xi^2 (3 - 2 xi),  xi = |v|/v_s       there, one formula here
 *     |v| >  v_s:  F = (mu(|v| - v_s) N + F_v(|v| - v_s)) sgn v
 *     F_s = mu_s N
 *
 * The law leaves sliding friction open; the shifted Stribeck curve (common/shifted_curve.h) begins
 * at F_s, so nothing jumps at the edge of the band. At rest F is the load itself, up to the limit.
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity outside of the band and is
 * subtracted from the body's equation of motion.
 */
#include "Awrejcewicz.h"
#include "common/contact_events.h"
#include "common/direction.h"
#include "common/heat.h"
#include "common/scalar.h"
#include "common/shifted_curve.h"

static double friction_force(const Parameters *p, double N, double v, double F_ext) {
    const double xi = fabs(v) / p->v_s, F_s = p->mu_s * N;
    if (xi > 1) return shifted_curve(p, N, v, p->v_s);
    const double A = xi * xi * (3 - 2 * xi), s = between_limits(p, F_ext, F_s);
    return s + A * (copysign(limit_towards(p, F_s, v), v) - s);
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)m;
    (void)dx;
    double F = 0;
    if (u->N > 0) F = friction_force(p, u->N, u->v, u->F_ext);
    contact_outputs(u, F, u->v, y);
    heat_output(0, y);
}
