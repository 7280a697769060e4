/* SimpackRegularized: the friction curve of Simpack, made of sine waves.
 *
 *     F = mu_s N sin(pi/2 v/v_s)            for |v| <= v_s   Schuderer et al. 2023, section 3.1
 *     F = (mu_d + (mu_s - mu_d) (1 + cos(pi s))/2) N sgn v   above
 *     s = (|v| - v_s)/(v_d - v_s), at most 1
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "SimpackRegularized.h"
#include "common/friction_curve.h"
#include "common/step.h"

static double friction_curve(const Parameters *p, double N, double v) {
    const double a = fabs(v), L = limit_towards(p, N, v);
    if (a < p->v_s) return p->mu_s * odd_sine_step(v / p->v_s) * L;
    return copysign(sine_step(a, p->v_s, p->mu_s, p->v_d, p->mu_d) * L, v);
}
