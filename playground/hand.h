/* The visitor's hand on the body of a system: it pulls the body, presses it down or lifts it.
 *
 *     F_H = f + k (s - x) - d v   while it holds the body, else f   s: where the hand is
 *     N_H                         adds to the normal force,
 *                                 or pushes down where the system has a height
 *
 * system_in_hand gives the system with this hand in it, and with one state more: the work that
 * friction has taken at its first contact; the others are loads.
 */
#ifndef HAND_H
#define HAND_H

#include "system.h"

enum { CONTACTS_AT_MOST = 4 };

typedef struct {
    double holds, place, stiffness, damping; /* holds: 1 or 0 */
    double force, press;
} Hand;

extern Hand hand;

typedef enum { HAND_PULLS = 1, HAND_PRESSES = 2 } Grip; /* its possible actions in a system */

const System *system_in_hand(const System *system);
int system_grip(const System *system);

#endif
