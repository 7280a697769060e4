/* AdamsRegularized: the friction curve of Adams without its stick-slip part.
 *
 *     F = N STEP5(v, -v_s, -mu_s, v_s, mu_s)         for |v| <= v_s   Schuderer et al. 2023,
 *                                                                     section 3.1
 *     F = N STEP5(|v|, v_s, mu_s, v_d, mu_d) sgn v   above            STEP5 is the quintic step,
 *                                                                     constant outside
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "AdamsRegularized.h"
#include "common/friction_curve.h"
#include "common/step.h"

static double friction_curve(const Parameters *p, double N, double v) {
    const double a = fabs(v), L = limit_towards(p, N, v);
    if (a < p->v_s) return p->mu_s * odd_step5(v / p->v_s) * L;
    return copysign(step5(a, p->v_s, p->mu_s, p->v_d, p->mu_d) * L, v);
}
