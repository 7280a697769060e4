/* RecurDynRegularized: the friction curve of RecurDyn without its stick-slip part; it knows one
 * coefficient.
 *
 *     F = N STEP5(v, -v_s, -mu_s, v_s, mu_s)   Schuderer et al. 2023, section 3.1;
 *                                              constant for |v| >= v_s
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "RecurDynRegularized.h"
#include "common/friction_curve.h"
#include "common/step.h"

static double friction_curve(const Parameters *p, double N, double v) {
    return p->mu_s * odd_step5(v / p->v_s) * limit_towards(p, N, v);
}
