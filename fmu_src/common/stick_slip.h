/* The stick-slip element of Adams and RecurDyn, which differ in where the speed v_d comes from.
 *
 *     stick   |v| <= v_s:  mu = mu_s ((1 - |beta|) q(x/x_s) + beta),     Schuderer et al. 2023,
 *                          beta = q(v/v_s)                               eqs 2-5
 *     slip    |v| >  v_s:  mu = STEP5(|v|, v_s, mu_s, v_d, mu_d) sgn v   eq 2
 *     F = mu N                                                           eq 3
 *
 * q(u) = (15 u - 10 u^3 + 3 u^5)/8 is STEP5(u, -1, -1, 1, 1), odd and constant outside. x is what
 * the body has moved since stick began: dx/dt = v, held at x_s, so that a motion back is felt at
 * once. Slip leaves x alone and the return to stick sets it to 0. The law is continuous where the
 * modes meet: there beta = 1, and x has no influence.
 *
 * By direction (direction.h) the part of x has its side from x, that of the velocity from v.
 *
 * x comes to rest at x_s over the last thousandth of its path. q differs from 1 by less than 3e-9
 * there, and a solver meets no jump.
 */
#ifndef BRISTLE_STICK_SLIP_H
#define BRISTLE_STICK_SLIP_H

#include <math.h>

#include "common/direction.h"
#include "common/displacement_resolution.h"
#include "common/held_deflection.h"
#include "common/scalar.h"
#include "common/step.h"
#include "common/velocity_band.h"

/* Speed at which friction has come down to its dynamic value. */
static double dynamic_velocity(const Parameters *p);

static double stick_friction(const Parameters *p, double x, double v) {
    const double beta = odd_step5(v / p->v_s), q = odd_step5(x / p->x_s);
    return p->mu_s * ((1 - fabs(beta)) * limit_towards(p, q, x) + limit_towards(p, beta, v));
}

static double slip_friction(const Parameters *p, double v) {
    return copysign(
        limit_towards(p, step5(fabs(v), p->v_s, p->mu_s, dynamic_velocity(p), p->mu_d), v), v);
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    double F = 0;
    dx->x = 0;
    if (u->N > 0) {
        if (m->mode == MODE_STICK) {
            F = stick_friction(p, x->x, u->v) * u->N;
            dx->x = held_rate(p->x_s, x->x, u->v);
        }
        if (m->mode == MODE_SLIP) F = slip_friction(p, u->v) * u->N;
    }
    contact_outputs(u, F, u->v - dx->x, y);
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)x;
    band_indicators(u, m->mode, p->v_s, g);
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    const int before = m->mode;
    m->mode = band_mode(u, before, p->v_s);
    const int sticks_again = before == MODE_SLIP && m->mode == MODE_STICK;
    if (!sticks_again && !lifts_off(before, MODE_SEPARATED, u->N)) return 0;
    x->x = 0;
    return 1;
}

#endif
