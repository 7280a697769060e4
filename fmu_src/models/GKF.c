/* GKF: general kinetic friction, a linear rise through rest and the Stribeck curve beyond it.
 *
 *     stick   F = mu_s N v/v_r                      for |v| < v_r     Colantonio et al. 2022, eq 38, its sgn V dropped
 *     slip    F = (mu(|v|) + nu |v|) N sgn v        above             eq 38 with |V|/V_st for eps/V_st; v_r is eps
 *
 * The curve has fallen a little at v_r already, so the law jumps there from mu_s to mu(v_r) + nu v_r. The mode tells
 * the pieces apart and changes by an event only; until then each piece goes on smoothly, whatever a solver tries.
 *
 * No motion can stay at a jump downwards. Viscous friction that outweighs the fall of the curve makes it a jump
 * upwards, at which a load between the two values would switch to and fro without end: stick therefore follows its line
 * up to where it meets the curve, slip its curve down to v_r. They meet if the line is steeper than nu: mu_s > nu v_r.
 *
 * Separated (N <= 0): F = 0.
 * F has the sign of the sliding velocity and is subtracted from the body's equation of motion.
 *
 * Not modelled: stick without motion (a body under load creeps with a speed below v_r), pre-sliding displacement.
 */
#include <math.h>
#include <stddef.h>

#include "GKF.h"
#include "common/contact.h"
#include "common/stribeck.h"

/* A mode ends this far beyond the speed at which the next one begins, as a part of v_r; an event takes it from half the way
 * on, so that the place where a solver stops need not be exact. */
static const double HYSTERESIS = 1e-6;

/* Friction coefficient of slip with the speed a. */
static double slip_friction(const Parameters *p, double a) {
    return stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, a) + p->nu * a;
}

static const char *check(const Parameters *p) {
    if (p->nu * p->v_r < p->mu_s) return NULL;
    return "viscousFriction times regularizationVelocity must be less than staticFriction.";
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m, States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    double mu = 0;
    if (u->N > 0) {
        if (m->mode == MODE_STICK) mu = p->mu_s * u->v / p->v_r;
        if (m->mode == MODE_SLIPFORWARD) mu = slip_friction(p, fabs(u->v));
        if (m->mode == MODE_SLIPBACKWARD) mu = -slip_friction(p, fabs(u->v));
    }
    contact_outputs(u, mu * u->N, u->v, y);
}

/* How far the speed a is from the end of stick, as a part of v_r. */
static double stick_reserve(const Parameters *p, double a) {
    return fmax(1, slip_friction(p, a) / p->mu_s) * (1 + HYSTERESIS) - a / p->v_r;
}

/* How far the speed v along the direction of slip is from the end of slip, as a part of v_r. */
static double slip_reserve(const Parameters *p, double v) {
    return v / p->v_r - (1 - HYSTERESIS);
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m, double *g) {
    (void)x;
    g[0] = contact_indicator(u->N);
    g[1] = 1;
    if (m->mode == MODE_STICK) g[1] = stick_reserve(p, fabs(u->v));
    if (m->mode == MODE_SLIPFORWARD) g[1] = slip_reserve(p, u->v);
    if (m->mode == MODE_SLIPBACKWARD) g[1] = slip_reserve(p, -u->v);
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)x;
    if (u->N <= 0) {
        m->mode = MODE_SEPARATED;
        return 0;
    }
    const double near = HYSTERESIS / 2;
    if (m->mode == MODE_STICK && stick_reserve(p, fabs(u->v)) > near) return 0;
    if (m->mode == MODE_SLIPFORWARD && slip_reserve(p, u->v) > near) return 0;
    if (m->mode == MODE_SLIPBACKWARD && slip_reserve(p, -u->v) > near) return 0;
    if (fabs(u->v) < p->v_r)
        m->mode = MODE_STICK;
    else
        m->mode = u->v > 0 ? MODE_SLIPFORWARD : MODE_SLIPBACKWARD;
    return 0;
}
