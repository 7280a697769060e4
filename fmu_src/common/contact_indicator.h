/* Contact as an event indicator. */
#ifndef BRISTLE_CONTACT_INDICATOR_H
#define BRISTLE_CONTACT_INDICATOR_H

/* Positive in contact, negative when separated, with a gap around zero,
 * so that it rests nowhere near zero, not even for a normal force of exactly zero. */
static double contact_indicator(double N) {
    return N > 0 ? N + 1 : N - 1;
}

#endif
