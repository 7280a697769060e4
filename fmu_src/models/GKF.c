/* GKF: general kinetic friction, a linear rise through rest and the Stribeck curve beyond it.
 *
 *     stick   F = mu_s N v/v_r                 for |v| < v_r   Colantonio et al. 2022, eq 38,
 *                                                              its sgn V dropped
 *     slip    F = (mu(|v|) + nu |v|) N sgn v   above           eq 38 with |V|/V_st for eps/V_st;
 *                                                              v_r is eps
 *
 * A film adds sigma2 v in contact (common/viscous.h). The jump between the two, and the mode that
 * marks it, are those of common/general_kinetic.h.
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "GKF.h"
#include "common/directed_viscous.h"
#include "common/direction.h"
#include "common/general_kinetic.h"
#include "common/heat.h"
#include "common/scalar.h"
#include "common/slip_direction.h"

static const char *check(const Parameters *p) {
    if (!lines_meet(p, (Side){1, 1}))
        return "viscousFriction times regularizationVelocity must be less than staticFriction.";
    if (!lines_meet(p, (Side){p->kappa, p->kappa_v}))
        return "backwardViscousRatio times viscousFriction times regularizationVelocity must be "
               "less than "
               "backwardFrictionRatio times staticFriction.";
    return NULL;
}

/* Factors of the side to which the sign of `towards` points. */
static Side side_of(const Parameters *p, double towards) {
    return (Side){limit_towards(p, 1, towards), viscous_towards(p, 1, towards)};
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    double F = 0;
    if (u->N > 0) {
        double mu = 0;
        if (m->mode == MODE_STICK) mu = limit_towards(p, p->mu_s * u->v / p->v_r, u->v);
        const int direction = true_direction(m->mode, u->v, p->v_r);
        if (direction != 0) mu = direction * slip_friction(p, side_of(p, direction), fabs(u->v));
        F = mu * u->N + viscous_towards(p, film_damping(p), u->v) * u->v;
    }
    contact_outputs(u, F, u->v, y);
    heat_output(0, y);
}

/* The last indicator detects a mode that a host has kept by handling events with outdated inputs:
 * stick beyond its band, slip within it. */
static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)x;
    g[0] = contact_indicator(u->N);
    g[1] = 1;
    g[2] = 1;
    if (m->mode == MODE_STICK) {
        const double limit = stick_limit(p, side_of(p, u->v), fabs(u->v));
        g[1] = below_indicator(fabs(u->v), limit);
        g[2] = below_indicator(fabs(u->v), 2 * limit);
    }
    const int direction = slip_direction(m->mode);
    if (direction == 0) return;
    g[1] = above_indicator(direction * u->v, p->v_r);
    g[2] = part_of_limit(direction * u->v, p->v_r);
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)x;
    if (u->N <= 0) {
        m->mode = MODE_SEPARATED;
        return 0;
    }
    if (m->mode == MODE_STICK && is_below(fabs(u->v), stick_limit(p, side_of(p, u->v), fabs(u->v))))
        return 0;
    if (is_above(slip_direction(m->mode) * u->v, p->v_r)) return 0;
    if (is_below(fabs(u->v), p->v_r))
        m->mode = MODE_STICK;
    else
        m->mode = slip_towards(u->v);
    return 0;
}
