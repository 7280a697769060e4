/* VelocityBased: friction that rises to its static value within a small speed and falls to its
 * dynamic value beyond.
 *
 *     F = N STEP(v, -v_s, -mu_s, v_s, mu_s)         for |v| <= v_s   Pennestri et al. 2016,
 *                                                                    section 2.2, Fig. 4
 *     F = N STEP(|v|, v_s, mu_s, v_d, mu_d) sgn v   above            STEP is the cubic step,
 *                                                                    constant outside
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "VelocityBased.h"
#include "common/friction_curve.h"
#include "common/step.h"

static double friction_curve(const Parameters *p, double N, double v) {
    const double a = fabs(v), L = limit_towards(p, N, v);
    if (a < p->v_s) return p->mu_s * odd_step3(v / p->v_s) * L;
    return copysign(step3(a, p->v_s, p->mu_s, p->v_d, p->mu_d) * L, v);
}
