/* GeneralizedMaxwellSlip: four spring and slider elements in parallel, each of which sticks or
 * slips independently (Al-Bender et al. 2005).
 *
 *     stick   dF_i/dt = k_i v                          until |F_i| = alpha_i s(v)
 *     slip    dF_i/dt = C (alpha_i sgn v - F_i/s(v))   until v comes to zero
 *     F    = F_1 + ... + F_4 + sigma1 v k_stick/k + F_v
 *     s(v) = (mu_d + (mu_s - mu_d) exp(-(|v|/v_A)^alpha)) N
 *
 * F_v: common/viscous.h. k_stick/k is the part of the stiffness that sticks, v - v_S the rate of
 * the mean elastic deflection: the sum of all dF_i/dt over the sum of all k_i. alpha_i is the share
 * of an element in the whole: the parameters are divided by their sum. An element that slips has
 * the direction of its slip as its mode. It sticks again, with the force that it has, when the
 * motion stops or turns round (a 1e-9 part of v_A counts as motion). At rest it slips only while
 * its force is at the limit or above, where N falls, and until the limit has risen by a thousandth.
 * The law is made for a constant normal force: where N falls faster than C lets the forces follow,
 * an element carries no more than alpha_i mu_s N of its F_i, which the law never exceeds otherwise.
 * Damper and elements together carry no more than mu_s N.
 *
 * It stores the sum of F_i^2/(2 k_i), which is lost at once at lift-off.
 *
 * Separated (N <= 0): F = 0 and F_i = 0. F has the sign of the sliding velocity and is subtracted
 * from the body's equation of motion.
 */
#include "GeneralizedMaxwellSlip.h"
#include "common/direction.h"
#include "common/elements.h"
#include "common/heat.h"
#include "common/hysteresis.h"
#include "common/resolution.h"
#include "common/scalar.h"
#include "common/slip_direction.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

static const double STANDSTILL = 1e-9; /* largest speed that is no motion, as a part of v_A */
/* Fraction of the limit from which a slip may continue at rest: more than a solver's error takes
 * from a force that follows a falling limit, so that it does not stick and slip in turn. */
static const double AT_LIMIT = 0.999;
static const double SHORTEST_TIME = 1e-9; /* s, in which a slipping element follows */

/* s(v) */
static double sliding_friction(const Parameters *p, const Inputs *u) {
    return stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, fabs(u->v)) * u->N;
}

/* Rate with which a slipping element follows its share of s. Its time constant s/C vanishes with
 * the normal force, where every solver stalls, and is kept above a nanosecond. */
static double following_rate(double C, double alpha_i, double s, double F) {
    if (SHORTEST_TIME * C < s) return C * (alpha_i - F / s);
    return (alpha_i * s - F) / SHORTEST_TIME;
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    double F = 0, slipped = 0, sticking = 0, stored_power = 0;
    const double s = sliding_friction(p, u);
    for (int i = 0; i < ELEMENTS; i++) {
        dx->F_e[i] = 0;
        if (u->N > 0) {
            const double alpha_i = element_share(p, i);
            const int direction = slip_direction(m->mode[i]);
            F += between_limits(p, x->F_e[i], alpha_i * p->mu_s * u->N);
            if (m->mode[i] == MODE_STICK) {
                dx->F_e[i] = p->k[i] * u->v;
                sticking += p->k[i];
            }
            if (direction != 0) {
                dx->F_e[i] = following_rate(p->C, direction * alpha_i,
                                            limit_towards(p, s, direction), x->F_e[i]);
                slipped += p->k[i] * u->v - dx->F_e[i];
            }
            stored_power += x->F_e[i] * dx->F_e[i] / p->k[i];
        }
    }
    const double v_S = u->N > 0 ? slipped / sum(p->k) : u->v;
    if (u->N > 0) {
        const double damper = p->sigma1 * u->v * sticking / sum(p->k);
        F = between_limits(p, F + damper, p->mu_s * u->N) + viscous_force(p, u->N, u->v);
    }
    contact_outputs(u, F, v_S, y);
    heat_output(stored_power, y);
}

/* Force at which an element begins to slip towards a side: alpha_i s. */
static double element_limit(const Parameters *p, double s, int i, double towards) {
    return limit_towards(p, element_share(p, i) * s, towards);
}

/* Force down to which a slip may continue at rest. */
static double limit_at_rest(const Parameters *p, double s, int i, double towards) {
    return AT_LIMIT * element_limit(p, s, i, towards);
}

/* The side to which an element can begin to slip, by its sign: that of the motion or, at rest, of
 * its force. */
static double pushed_towards(double F, double v, double v_0) {
    return fabs(v) > v_0 ? v : F;
}

/* Force that can make an element slip to the side to which it is pushed. */
static double pushing_force(double F, double towards) {
    return F * copysign(1, towards);
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    const double v_0 = STANDSTILL * p->v_A, s = sliding_friction(p, u);
    for (int i = 0; i < ELEMENTS; i++) {
        const double towards = pushed_towards(x->F_e[i], u->v, v_0);
        g[i] = 1;
        if (u->N > 0 && m->mode[i] == MODE_STICK)
            g[i] =
                below_indicator(pushing_force(x->F_e[i], towards), element_limit(p, s, i, towards));
        const int direction = slip_direction(m->mode[i]);
        if (u->N > 0 && direction != 0)
            g[i] = direction * x->F_e[i] > limit_at_rest(p, s, i, direction)
                       ? below_indicator(-direction * u->v, v_0)
                       : above_indicator(direction * u->v, v_0);
    }
    g[ELEMENTS] = contact_indicator(u->N);
}

static int element_mode(const Parameters *p, const Inputs *u, double s, int i, int mode, double F) {
    const double v_0 = STANDSTILL * p->v_A;
    const int direction = slip_direction(mode);
    const int at_limit = is_below(-direction * u->v, v_0) &&
                         is_above(direction * F, limit_at_rest(p, s, i, direction));
    if (direction != 0 && (is_moving(direction * u->v, v_0) || at_limit)) return mode;
    const double towards = pushed_towards(F, u->v, v_0);
    return is_below(pushing_force(F, towards), element_limit(p, s, i, towards)) ? MODE_STICK
                                                                                : slip_towards(F);
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    const double s = sliding_friction(p, u);
    int reset = 0;
    for (int i = 0; i < ELEMENTS; i++) {
        if (lifts_off(m->mode[i], MODE_SEPARATED, u->N)) {
            x->F_e[i] = 0;
            reset = 1;
        }
        if (u->N <= 0) {
            m->mode[i] = MODE_SEPARATED;
        } else {
            m->mode[i] = element_mode(p, u, s, i, m->mode[i], x->F_e[i]);
        }
    }
    return reset;
}

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N <= 0) return;
    for (int i = 0; i < ELEMENTS; i++)
        length->F_e[i] =
            resolved_deflection(lower_limit(p, p->mu_s * u->N, x->F_e[i], u->v), x->F_e[i]);
}
