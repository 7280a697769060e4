/* SimpackStickSlip: a spring and a damper in stick, Coulomb's dynamic friction in slip.
 *
 *     stick   F = c_f x + d_f v,  dx/dt = v,  up to |c_f x| = mu_s N   Schuderer et al. 2023,
 *                                                                      section 3, Fig. 4
 *     slip    F = mu_d N in the direction of the slip,  until v = 0
 *
 * A slip has the direction of the motion or, where the limit has fallen for a body at rest, that of
 * x. It ends when the speed has fallen to v_0, a 1e-4 part of the speed v_f = mu_s N/d_f at which
 * the damper alone carries the static limit; x then starts anew, at 0 or where the spring carries
 * the force of sliding. A slip that begins below v_0 may not end by that: its motion is Starting
 * until it has passed 5 v_0.
 *
 * The paper compares the spring alone with the limit, since its damper adds little. But what the
 * damper adds is not bounded where the normal force falls: here stick also ends above v_f, and
 * surfaces that meet faster than that slip at once. So |F| <= 2 mu_s N.
 *
 * Separated (N <= 0): F = 0 and x = 0. F has the sign of the sliding velocity and is subtracted
 * from the body's equation of motion.
 */
#include "SimpackStickSlip.h"
#include "common/direction.h"
#include "common/hysteresis.h"
#include "common/scalar.h"
#include "common/slip_direction.h"

/* Speed towards a side, v_f. */
static double damper_speed(const Parameters *p, double N, double towards) {
    return limit_towards(p, p->mu_s * N, towards) / p->d_f;
}

/* Spring force at which slip begins in the direction of the deflection x. */
static double spring_limit(const Parameters *p, double N, double x) {
    return limit_towards(p, p->mu_s * N, x);
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    double F = 0;
    dx->x = 0;
    if (u->N > 0) {
        if (m->mode == MODE_STICK) {
            F = p->c_f * x->x + p->d_f * u->v;
            dx->x = u->v;
        } else {
            const int direction = true_direction(m->mode, u->v, damper_speed(p, u->N, u->v));
            F = limit_towards(p, direction * p->mu_d * u->N, direction);
        }
    }
    contact_outputs(u, F, u->v - dx->x, y);
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    g[0] = contact_indicator(u->N);
    g[1] = 1;
    g[2] = 1;
    if (u->N <= 0) return;
    const int direction = slip_direction(m->mode);
    const double v_0 = REST * damper_speed(p, u->N, direction);
    const double along = direction * u->v;
    if (m->mode == MODE_STICK) {
        g[1] = below_indicator(p->c_f * fabs(x->x), spring_limit(p, u->N, x->x));
        g[2] = below_indicator(fabs(u->v), damper_speed(p, u->N, u->v));
    } else if (m->motion == MOTION_STARTING) {
        g[1] = below_indicator(-along, v_0);
        g[2] = below_indicator(along, 5 * v_0);
    } else if (m->mode != MODE_SEPARATED) {
        g[1] = above_indicator(along, v_0);
    }
}

/* Whether a slip continues; ends the start of its motion where that is over. */
static int slip_continues(Modes *m, double v_0, double v) {
    const double along = slip_direction(m->mode) * v;
    if (m->motion == MOTION_STARTING) {
        if (starts_moving(along, 5 * v_0)) m->motion = MOTION_GOING;
        return !starts_moving(-along, v_0);
    }
    return is_moving(along, v_0);
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    const int before = m->mode;
    const int direction = slip_direction(before);
    if (u->N <= 0) {
        m->mode = MODE_SEPARATED;
        m->motion = MOTION_GOING;
        if (!lifts_off(before, MODE_SEPARATED, u->N)) return 0;
        x->x = 0;
        return 1;
    }
    if (direction != 0 && slip_continues(m, REST * damper_speed(p, u->N, direction), u->v))
        return 0;
    const double v_f = damper_speed(p, u->N, u->v), v_0 = REST * v_f;
    m->motion = MOTION_GOING;
    if (!is_below(fabs(u->v), v_f)) {
        m->mode = slip_towards(u->v);
        return 0;
    }
    m->mode = MODE_STICK;
    if (direction != 0) {
        x->x = m->restart == RESTART_PRELOADED
                   ? limit_towards(p, direction * p->mu_d * u->N, direction) / p->c_f
                   : 0;
        return 1;
    }
    if (!is_below(p->c_f * fabs(x->x), spring_limit(p, u->N, x->x))) {
        const int moving = is_moving(fabs(u->v), v_0);
        m->mode = slip_towards(moving ? u->v : x->x);
        if (!moving) m->motion = MOTION_STARTING;
    }
    return 0;
}
