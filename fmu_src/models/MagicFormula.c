/* MagicFormula: Pacejka's one expression for rise, peak and fall of friction over the velocity.
 *
 *     F = mu_s N sin(C atan(B v - E (B v - atan(B v))))   Pennestri et al. 2016,
 *                                                         eq 5 (all of it inside atan)
 *
 * The peak is mu_s N if C > 1; fast sliding has mu_s N sin(C pi/2) if E < 1. C < 2 and E <= 1 keep
 * the sign of v.
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include <math.h>

#include "MagicFormula.h"
#include "common/friction_curve.h"

static double friction_curve(const Parameters *p, double N, double v) {
    const double s = p->B * v;
    return p->mu_s * sin(p->C * atan((1 - p->E) * s + p->E * atan(s))) * limit_towards(p, N, v);
}
