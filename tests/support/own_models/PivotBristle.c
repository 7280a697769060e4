/* PivotBristle: T = 2/3 mu_d N R k phi, dphi/dt = omega - |omega| k phi. Separated (N <= 0): T =
 * 0. */
#include <math.h>

#include "PivotBristle.h"
#include "common/contact_events.h"

static double normal_force(const Parameters *p, const Inputs *u) {
    (void)p;
    return u->N;
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)m;
    dx->phi = u->omega - fabs(u->omega) * p->k * x->phi;
    y->T = 0;
    if (u->N > 0) y->T = 2.0 / 3.0 * p->mu_d * u->N * p->R * p->k * x->phi;
    y->P = y->T * u->omega;
}
