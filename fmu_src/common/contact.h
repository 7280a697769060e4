/* Whether surfaces touch: the event indicator of a contact, and its lift-off. */
#ifndef BRISTLE_CONTACT_H
#define BRISTLE_CONTACT_H

/* Positive in contact, negative when separated, with a gap around zero,
 * so that it never stays near zero, not even for a normal force of exactly zero. */
static double contact_indicator(double N) {
    return N > 0 ? N + 1 : N - 1;
}

/* Whether surfaces that touched before separate now, in a model with a mode `separated`; its states
 * are then reset to zero. At the start, with a fresh mode, states keep their initial values. */
static int lifts_off(int mode, int separated, double N) {
    return N <= 0 && mode != 0 && mode != separated;
}

#endif
