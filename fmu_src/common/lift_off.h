/* Lift-off of a contact with modes, where its states are set to zero. */
#ifndef BRISTLE_LIFT_OFF_H
#define BRISTLE_LIFT_OFF_H

/* Whether surfaces part that have touched before. At the start, with a fresh mode, states keep their initial values. */
static int lifts_off(int mode, double N) {
    return N <= 0 && mode != 0 && mode != MODE_SEPARATED;
}

#endif
