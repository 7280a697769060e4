/* GuideLoad: the normal force for the friction of a prismatic joint, from its reactions.
 *
 *     N = sqrt(F_2^2 + F_3^2) + sqrt(M_2^2 + M_3^2)/X + |M_1|/R       axis 1 is that of the motion
 *     X = max(X_0 + c s, X_min),  c = 0, 1 or -1
 *
 * A bending moment is carried by two forces at the ends of the overlap X, a torsional moment by
 * forces at the reaction arm R. The overlap changes with the position s where one part leaves the
 * other.
 */
#include <math.h>
#include <stddef.h>

#include "GuideLoad.h"
#include "common/load.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    const double w = p->w;
    y->X = fmax(p->X_0 + p->c * u->s, p->X_min);
    y->N_f = m->force == FORCE_ON ? smooth_magnitude(u->F[1], u->F[2], w) : 0;
    y->N_b = m->bending == BENDING_ON ? smooth_magnitude(u->M[1], u->M[2], w * y->X) / y->X : 0;
    y->N_t = m->torsion == TORSION_ON ? smooth_magnitude(u->M[0], 0, w * p->R) / p->R : 0;
    y->N = y->N_f + y->N_b + y->N_t;
}

static const char *advice(const Parameters *p, const Inputs *u, const States *x, const Modes *m) {
    (void)x;
    if (m->bending != BENDING_ON || p->X_0 + p->c * u->s >= p->X_min) return NULL;
    return "The overlap is shorter than minimumOverlap, which is taken instead: a bending moment "
           "presses no harder.";
}
