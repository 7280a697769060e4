/* WrapLoad: the normal force with which a friction element holds as much as a rope, belt or band
 * that is wrapped around a drum.
 *
 *     N = T (e^(mu theta) - 1)/mu       Euler and Eytelwein; T: tension on the slack side
 *
 * Then mu N is the difference of the two tensions. The given end is slack while the drum slides in
 * the positive direction. In the negative direction it is the tight one, and the difference is
 *
 *     T (1 - e^(-mu theta)) = e^(-mu theta) mu N,
 *
 * which is the friction of an element whose backwardFrictionRatio is e^(-mu theta).
 */
#include <math.h>

#include "WrapLoad.h"
#include "common/load.h"

static const double LARGEST_EXPONENT = 100; /* e^100: more than any rope, and any load, can bear */

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)m;
    (void)dx;
    const double wrap = fmin(p->mu_d * fmax(u->theta, 0), LARGEST_EXPONENT);
    y->dT = fmax(u->T, 0) * expm1(wrap);
    y->N = y->dT / p->mu_d;
    y->kappa = exp(-wrap);
}
