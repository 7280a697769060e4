/* The contact of every scalar friction element: its normal force is an input, and it has these
 * outputs. */
#ifndef BRISTLE_SCALAR_H
#define BRISTLE_SCALAR_H

#include "common/contact.h"

static double normal_force(const Parameters *p, const Inputs *u) {
    (void)p;
    return u->N;
}

/* Outputs of a contact that transmits the friction force F while the surfaces slide with v_S. */
static void contact_outputs(const Inputs *u, double F, double v_S, Outputs *y) {
    y->F = F;
    y->mu = u->N > 0 ? F / u->N : 0;
    y->v_S = v_S;
    y->P = F * u->v;
}

#endif
