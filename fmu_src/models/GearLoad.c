/* GearLoad: the normal force with which friction is a fraction of the torque that a gear transmits.
 *
 *     T_f = c |tau|,   N = T_f/(mu r)
 *     c = c_b  at rest and where the load drives back, omega tau <= 0
 *     c = c_f  where the gear drives its load, omega tau > 0, from the transition velocity on
 *     c_f = 1/eta_f - 1,  c_b = 1 - eta_b          from efficiencies
 *
 * tau: torque on the side of the load, positive where it drives the load in the positive direction.
 * A friction element with the coefficient mu at the radius r has the torque T_f under N. At rest it
 * is the load that friction has to hold, so c_b applies; c_b >= 1 is a gear that locks itself.
 */
#include "GearLoad.h"
#include "common/load.h"
#include "common/step.h"

static double forward_loss(const Parameters *p, const Modes *m) {
    return m->losses == LOSSES_EFFICIENCIES ? 1 / p->eta_f - 1 : p->c_f;
}

static double backward_loss(const Parameters *p, const Modes *m) {
    return m->losses == LOSSES_EFFICIENCIES ? 1 - p->eta_b : p->c_b;
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    const double c_f = forward_loss(p, m), c_b = backward_loss(p, m);
    const double driving = u->tau < 0 ? -u->omega : u->omega; /* speed in the direction of tau */
    const double torque = smooth_magnitude(u->tau, 0, p->w);
    y->c = step3(driving, 0, c_b, p->omega_t, c_f);
    y->T_f = y->c * torque;
    y->N = y->T_f / (p->mu_d * p->r);
    y->eta = 1 - c_b;
}
