/* Contact of a scalar friction element: its event indicator and the outputs all of them have. */
#ifndef BRISTLE_CONTACT_H
#define BRISTLE_CONTACT_H

#include "common/contact_indicator.h"

/* Outputs of a contact that transmits the friction force F while the surfaces slide with v_S. */
static void contact_outputs(const Inputs *u, double F, double v_S, Outputs *y) {
    y->F = F;
    y->mu = u->N > 0 ? F / u->N : 0;
    y->v_S = v_S;
    y->P = F * u->v;
}

#endif
