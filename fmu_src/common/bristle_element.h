/* A friction element with one bristle: the model defines its law in contact; without contact the
 * bristle relaxes. It stores sigma0 z^2/2. */
#ifndef BRISTLE_BRISTLE_ELEMENT_H
#define BRISTLE_BRISTLE_ELEMENT_H

#include "common/bristle_force.h"
#include "common/contact_events.h"
#include "common/heat.h"
#include "common/scalar.h"

/* Friction force in contact, N > 0, where dx->z is set too. */
static double friction_force(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                             States *dx);

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    double F = 0;
    if (u->N > 0)
        F = friction_force(p, u, x, m, dx);
    else
        dx->z = relaxation_rate(p->sigma0, p->sigma1, x->z);
    contact_outputs(u, F, u->v - dx->z, y);
    heat_output(p->sigma0 * x->z * dx->z, y);
}

#endif
