/* SmoothCoulomb: Coulomb's friction with its jump at rest replaced by a continuous rise.
 *
 *     F = mu_d N r(v/v_d),  r(s) = tanh(s)   Pennestri et al. 2016,
 *                                            eq 4 (printed as the force on the body)
 *
 * Section 2.1 also names linear, exponential and trigonometric smoothing without printing them.
 * Here they have the same slope at rest, dr/ds = 1:
 *
 *     linear        r = s, limited to -1 ... 1
 *     exponential   r = (1 - exp(-|s|)) sgn s
 *     arctangent    r = 2/pi atan(pi/2 s)
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include <math.h>

#include "SmoothCoulomb.h"
#include "common/contact_events.h"
#include "common/direction.h"
#include "common/heat.h"
#include "common/scalar.h"
#include "common/step.h"

/* The sign of s, made continuous. */
static double smoothed_sign(double s, int smoothing) {
    if (smoothing == SMOOTHING_LINEAR) return fmin(fmax(s, -1), 1);
    if (smoothing == SMOOTHING_EXPONENTIAL) return copysign(-expm1(-fabs(s)), s);
    if (smoothing == SMOOTHING_ARCTANGENT) return atan(HALF_PI * s) / HALF_PI;
    return tanh(s);
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    double F = 0;
    if (u->N > 0)
        F = p->mu_d * smoothed_sign(u->v / p->v_d, m->smoothing) * limit_towards(p, u->N, u->v);
    contact_outputs(u, F, u->v, y);
    heat_output(0, y);
}
