/* Normal force of a point that is pressed into a surface.
 *
 *     N = K s^P_K + D s^P_D d(delta)/dt,   s = delta/delta_0   Colantonio et al. 2022, eq 19,
 *                                                              for delta > 0 and never negative
 *
 * The paper's K and D have units that change with the exponents. Divided by a reference penetration
 * delta_0 they do not: K is the elastic force and D the damping at that penetration; delta_0 = 1 m
 * makes them the numbers of the paper.
 */
#ifndef BRISTLE_HUNT_CROSSLEY_H
#define BRISTLE_HUNT_CROSSLEY_H

#include <math.h>

static double spring_force(const Parameters *p, double delta) {
    return p->K * pow(delta / p->delta_0, p->P_K);
}

static double damper_force(const Parameters *p, double delta, double rate) {
    return p->D * pow(delta / p->delta_0, p->P_D) * rate;
}

/* The force before it is cut off where it would pull; negative without contact. */
static double unclipped_force(const Parameters *p, double delta, double rate) {
    if (delta <= 0) return delta;
    return spring_force(p, delta) + damper_force(p, delta, rate);
}

static double hunt_crossley(const Parameters *p, double delta, double rate) {
    if (delta <= 0) return 0;
    return fmax(unclipped_force(p, delta, rate), 0);
}

/* Power that turns into heat, N d(delta)/dt minus what the spring stores: that of the damper or,
 * where the force is cut off, what the spring releases. */
static double contact_heat(const Parameters *p, double delta, double rate) {
    if (delta <= 0) return 0;
    return fmax(damper_force(p, delta, rate), -spring_force(p, delta)) * rate;
}

#endif
