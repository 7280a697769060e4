/* HuntCrossley: normal force of a point that is pressed into a surface, with a damping that grows
 * with the penetration.
 *
 *     N = K s^P_K + D s^P_D d(delta)/dt,   s = delta/delta_0       Colantonio et al. 2022, eq 19
 *
 * Without penetration (delta <= 0) N = 0; and N is never negative: surfaces that move apart faster
 * than they spring back are separated.
 */
#include "HuntCrossley.h"
#include "common/hunt_crossley.h"
#include "common/contact_events.h"

static double normal_force(const Parameters *p, const Inputs *u) {
    return unclipped_force(p, u->delta, u->delta_rate);
}

static double approach(const Parameters *p, const Inputs *u) {
    (void)p;
    return u->delta_rate;
}

/* Moves the bodies into each other by a displacement, and adds to its rate. */
static void move_contact(Inputs *u, double displacement, double rate) {
    u->delta += displacement;
    u->delta_rate += rate;
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)m;
    (void)dx;
    const SpringDamper forces = spring_and_damper(p, u->delta, u->delta_rate);
    y->N = hunt_crossley(forces);
    y->P = y->N * u->delta_rate;
    y->Q = contact_heat(forces, u->delta_rate);
}
