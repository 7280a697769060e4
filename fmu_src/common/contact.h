/* Contact and lift-off, and the outputs every scalar friction element has. */
#ifndef BRISTLE_CONTACT_H
#define BRISTLE_CONTACT_H

/* Event indicator of contact: positive in contact, negative when separated, with a gap around zero,
 * so that it rests nowhere near zero, not even for a normal force of exactly zero. */
static double contact_indicator(double N) {
    return N > 0 ? N + 1 : N - 1;
}

/* Outputs of a contact that transmits the friction force F while the surfaces slide with v_S. */
static void contact_outputs(const Inputs *u, double F, double v_S, Outputs *y) {
    y->F = F;
    y->mu = u->N > 0 ? F / u->N : 0;
    y->v_S = v_S;
    y->P = F * u->v;
}

#endif
