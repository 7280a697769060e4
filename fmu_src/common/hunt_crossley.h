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

/* s^e for s > 0; the exponent 3/2, that of a sphere, needs no pow. */
static double contact_power(double s, double e) {
    return e == 1.5 ? s * sqrt(s) : pow(s, e);
}

/* A constant exponent needs no logarithm. */
static double contact_power_slopes(double s, double s_slope, double e, double e_slope,
                                   double *result_slope) {
    const double value = contact_power(s, e);
    const double by_exponent = e_slope == 0 ? 0 : e_slope * log(s);
    *result_slope = value > 0 ? value * (e * s_slope / s + by_exponent) : 0;
    return value;
}

/* Forces of spring and damper; zero without contact. */
typedef struct {
    double spring, damper;
} SpringDamper;

static SpringDamper spring_and_damper(const Parameters *p, double delta, double rate) {
    if (delta <= 0) return (SpringDamper){0, 0};
    const double s = delta / p->delta_0;
    return (SpringDamper){p->K * contact_power(s, p->P_K), p->D * contact_power(s, p->P_D) * rate};
}

/* The force before it is cut off where it would pull; negative without contact. */
static double unclipped_force(const Parameters *p, double delta, double rate) {
    const SpringDamper forces = spring_and_damper(p, delta, rate);
    return delta <= 0 ? delta : forces.spring + forces.damper;
}

static double hunt_crossley(SpringDamper forces) {
    return fmax(forces.spring + forces.damper, 0);
}

/* Power that becomes heat, N d(delta)/dt minus what the spring stores: that of the damper or, where
 * the force is cut off, what the spring releases. */
static double contact_heat(SpringDamper forces, double rate) {
    return fmax(forces.damper, -forces.spring) * rate;
}

#endif
