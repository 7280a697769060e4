/* SmoothCoulomb: Coulomb's friction with its jump at rest replaced by a hyperbolic tangent.
 *
 *     F = mu_d N tanh(v/v_d)                            Pennestri et al. 2016, eq 4 (printed as the force on the body)
 *
 * Separated (N <= 0): F = 0.
 * F has the sign of the sliding velocity and is subtracted from the body's equation of motion.
 */
#include <math.h>

#include "SmoothCoulomb.h"
#include "common/friction_curve.h"

static double friction_curve(const Parameters *p, double N, double v) {
    return p->mu_d * tanh(v / p->v_d) * limit_towards(p, N, v);
}
