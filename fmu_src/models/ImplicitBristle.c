/* ImplicitBristle: a massless bristle whose force balance with the friction at its tip is solved,
 * not approximated.
 *
 *     mu(|v_S|) N sgn v_S = sigma0 z + sigma1 dz/dt,   v_S = v - dz/dt    Rill 2023, eqs 1, 2, 3, 5
 *
 * With F* = sigma0 z + sigma1 v, the force if the tip stuck, and a = |v_S|:
 *
 *     stick   |F*| <= F_s = mu_s N:   v_S = 0, F = F*
 *     slip    sgn v_S = sgn F*,       H(a) = mu(a) N + sigma1 a = |F*|
 *     mu(a) = Stribeck curve + F_v(a)/N                                   eq 4
 *
 * H changes the sign of its curvature once, at a = a_i: it is concave below and convex above (for
 * alpha <= 1, a_i = 0). Where sigma1 + nu N + sigma2 is small it falls in between, from a fold a_1
 * <= a_i to a fold a_2 >= a_i, and |F*| between H(a_2) and H(a_1) has a slow and a fast solution.
 * The mode selects one of them: SlowSlip on [0, a_1], Slip on [a_2, infinity); without folds they
 * meet at a_i. On each piece Newton's iteration starts on the side from which it converges
 * monotonically, so it cannot fail.
 *
 * By direction (common/direction.h) the side of F* is that of stick and slip, which have their own
 * F_s and H on either side.
 *
 * Separated (N <= 0): F = 0 and the bristle relaxes, dz/dt = -sigma0/sigma1 z (eq 6). F has the
 * sign of the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "ImplicitBristle.h"
#include "common/bristle.h"
#include "common/directed_viscous.h"
#include "common/direction.h"
#include "common/heat.h"
#include "common/hysteresis.h"
#include "common/resolution.h"
#include "common/scalar.h"
#include "common/stribeck.h"

enum { ITERATIONS_AT_MOST = 100 };

/* Speed at which H changes the sign of its curvature: v_A ((alpha - 1)/alpha)^(1/alpha); none for
 * alpha <= 1, where it is convex from rest on. */
static double inflection(const Parameters *p) {
    if (p->alpha <= 1) return 0;
    if (p->alpha == 2) return 0.70710678118654752 * p->v_A;
    return p->v_A * pow((p->alpha - 1) / p->alpha, 1 / p->alpha);
}

/* s^alpha for alpha > 1; the exponent 2, which many users choose, needs no pow. */
static double power(double s, double alpha) {
    return alpha == 2 ? s * s : pow(s, alpha);
}

/* The side to which a force points: 1 or -1. */
static int side_of(double F) {
    return F < 0 ? -1 : 1;
}

/* Force at which the tip begins to slide towards a side. */
static double static_limit(const Parameters *p, double N, int side) {
    return limit_towards(p, p->mu_s * N, side);
}

/* One side of the tip under a normal force. */
typedef struct {
    double N;       /* the normal force as it limits dry friction */
    double damping; /* all that rises with the speed: the bristle's damping and the viscous part */
} Tip;

static Tip tip_towards(const Parameters *p, double N, int side) {
    return (Tip){limit_towards(p, N, side),
                 p->sigma1 + viscous_towards(p, viscous_damping(p, N), side)};
}

/* H(a) and its slope: the force |F*| at which the tip slides with the speed a. */
static double balance(const Parameters *p, Tip tip, double a, double *rise) {
    const double s = a / p->v_A;
    const double fading = decay(s, p->alpha);
    const double steepness = p->alpha == 1 ? 1 : p->alpha == 2 ? s : pow(s, p->alpha - 1);
    const double drop = (p->mu_s - p->mu_d) * tip.N;
    *rise = fading > 0 ? tip.damping - drop / p->v_A * p->alpha * steepness * fading : tip.damping;
    return p->mu_d * tip.N + drop * fading + tip.damping * a;
}

/* The fold s of a curve that falls steeply at rest, alpha < 1: over y = ln s, phi = level - (1 -
 * alpha) y - exp(alpha y) is concave and falls, so from a point where it is negative Newton's
 * iteration runs down to its zero. */
static double steep_fold(double level, double alpha) {
    double y = log(fmax(level, 1)) / alpha;
    for (int i = 0; i < ITERATIONS_AT_MOST; i++) {
        const double q = exp(alpha * y);
        const double step = (q + (1 - alpha) * y - level) / (1 - alpha + alpha * q);
        y -= step;
        if (!(step > 1e-15 * fmax(1, fabs(y)))) break;
    }
    return exp(y);
}

/* The speed at which H has a fold: a_1 for falling = 0, a_2 for falling = 1; the inflection if H
 * always rises. In s = a/v_A the fold solves phi(s) = ln(alpha s^(alpha-1) exp(-s^alpha)) - ln lift
 * = 0, and phi is concave: from a point outside the folds, where phi < 0, Newton's iteration runs
 * monotonically to the nearer one. For alpha <= 1 the first fold lies at rest, and for alpha little
 * above 1 next to it, at a speed that may be less than any number. */
static double fold(const Parameters *p, Tip tip, int falling) {
    const double a_i = inflection(p), alpha = p->alpha;
    double rise;
    balance(p, tip, a_i, &rise);
    if (!(rise < 0)) return a_i;
    const double lift = tip.damping * p->v_A / ((p->mu_s - p->mu_d) * tip.N);
    const double level = log(alpha / lift);
    if (alpha <= 1 && !falling) return 0;
    if (alpha < 1) return steep_fold(level, alpha) * p->v_A;
    /* (alpha - 1) ln s is at most s^alpha/e */
    double s = falling ? pow(fmax(1, 1.6 * level), 1 / alpha) : pow(lift / alpha, 1 / (alpha - 1));
    for (int i = 0; i < ITERATIONS_AT_MOST && s > 0; i++) {
        const double q = power(s, alpha);
        const double step = (level + (alpha - 1) * log(s) - q) * s / (alpha - 1 - alpha * q);
        s -= step;
        if (fabs(step) <= 1e-15 * s) break;
    }
    return s * p->v_A;
}

/* Speed of the tip on the piece of H that the mode names; constant beyond the ends of the piece. */
static double slip_speed(const Parameters *p, double N, double F, int side, int mode) {
    const Tip tip = tip_towards(p, N, side);
    double rise;
    if (mode == MODE_SLOWSLIP) {
        const double a_1 = fold(p, tip, 0);
        if (F <= static_limit(p, N, side)) return 0;
        if (F >= balance(p, tip, a_1, &rise)) return a_1;
        double a = 0;
        for (int i = 0; i < ITERATIONS_AT_MOST; i++) {
            const double missing = F - balance(p, tip, a, &rise);
            const double next = fmin(a + missing / rise, a_1);
            if (!(next > a)) break;
            a = next;
        }
        return a;
    }
    const double a_i = inflection(p);
    double a = (F - p->mu_d * tip.N) / tip.damping;
    for (int i = 0; i < ITERATIONS_AT_MOST; i++) {
        const double excess = balance(p, tip, a, &rise) - F;
        if (a < a_i || rise <= 0) return fold(p, tip, 1);
        const double step = excess / rise;
        if (!(step > 1e-16 * a)) break;
        a -= step;
    }
    return a;
}

/* H' at the speed a that a force F gives: on a piece H(a) equals F up to rounding. Zero beyond the
 * ends of the piece, where the speed does not depend on F. */
static double rise_under(const Parameters *p, Tip tip, double F, double a) {
    double rise;
    const double H = balance(p, tip, a, &rise);
    return fabs(H - F) > 1e-12 * F ? 0 : fmax(rise, 0);
}

/* Slope of the implicit function: H'(a) da = dF - dH at constant a; zero beyond its piece. */
static double slip_speed_slopes(const Parameters *p, const Parameters *p_slope, double N,
                                double N_slope, double F, double F_slope, int side, int mode,
                                double *result_slope) {
    const double a = slip_speed(p, N, F, side, mode);
    const double rise = rise_under(p, tip_towards(p, N, side), F, a);
    double fading_slope;
    *result_slope = 0;
    if (rise == 0) return a;
    const double s = a / p->v_A;
    const double fading =
        decay_slopes(s, -s / p->v_A * p_slope->v_A, p->alpha, p_slope->alpha, &fading_slope);
    const double curve = p->mu_d + (p->mu_s - p->mu_d) * fading;
    const double curve_slope = p_slope->mu_d + (p_slope->mu_s - p_slope->mu_d) * fading +
                               (p->mu_s - p->mu_d) * fading_slope;
    const double mu =
        limit_towards(p, curve, side) + viscous_towards(p, viscous_friction(p, a), side);
    double mu_slope = limit_towards(p, curve_slope, side);
    double damping_slope = p_slope->sigma1 + viscous_towards(p, viscous_damping(p_slope, N), side);
    if (side < 0) {
        mu_slope += p_slope->kappa * curve;
        damping_slope += p_slope->kappa_v * viscous_damping(p, N);
    }
    *result_slope = (F_slope - N_slope * mu - N * mu_slope - damping_slope * a) / rise;
    return a;
}

/* Whether a force is less than half of what slip needs at any speed: a host that handles events
 * with outdated inputs has kept the mode then, and the speed of the fold would push the body
 * along. */
static int is_far_below_slip(const Parameters *p, double N, double F) {
    return fabs(F) < 0.5 * limit_towards(p, p->mu_d * N, F);
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    if (u->N <= 0 || m->mode == MODE_SEPARATED) {
        dx->z = relaxation_rate(p->sigma0, p->sigma1, x->z);
        contact_outputs(u, 0, u->v - dx->z, y);
        heat_output(p->sigma0 * x->z * dx->z, y);
        return;
    }
    const double F_star = p->sigma0 * x->z + p->sigma1 * u->v;
    double v_S = 0;
    if (m->mode != MODE_STICK && !(m->mode == MODE_SLIP && is_far_below_slip(p, u->N, F_star)))
        v_S = copysign(slip_speed(p, u->N, fabs(F_star), side_of(F_star), m->mode), F_star);
    dx->z = u->v - v_S;
    contact_outputs(u, F_star - p->sigma1 * v_S, v_S, y);
    heat_output(p->sigma0 * x->z * dx->z, y);
}

/* Force |F*| at a fold: the first, at which the mode SlowSlip changes to Slip, with a jump or
 * without, or the second, at which Slip changes to SlowSlip or Stick. */
static double fold_force(const Parameters *p, double N, int side, int falling) {
    const Tip tip = tip_towards(p, N, side);
    double rise;
    const double H = balance(p, tip, inflection(p), &rise);
    return rise < 0 ? balance(p, tip, fold(p, tip, falling), &rise) : H;
}

/* Whether Slip continues. Where the damping is small against friction, the force of steady slip
 * differs from that at which slip ends by less than the hysteresis; the speed of the tip tells them
 * apart. */
static int slip_continues(const Parameters *p, double N, double F, int side) {
    return is_above(F, fold_force(p, N, side, 1)) ||
           is_moving(slip_speed(p, N, F, side, MODE_SLIP),
                     fmax(fold(p, tip_towards(p, N, side), 1), p->v_A));
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    g[0] = contact_indicator(u->N);
    g[1] = 1;
    g[2] = 1;
    if (u->N <= 0 || m->mode == MODE_SEPARATED) return;
    const double F_star = p->sigma0 * x->z + p->sigma1 * u->v, F = fabs(F_star);
    const int side = side_of(F_star);
    const double F_s = static_limit(p, u->N, side);
    if (m->mode == MODE_STICK) g[1] = below_indicator(F, F_s);
    if (m->mode == MODE_SLOWSLIP) {
        g[1] = above_indicator(F, F_s);
        g[2] = below_indicator(F, fold_force(p, u->N, side, 0));
    }
    if (m->mode == MODE_SLIP) g[1] = above_indicator(F, fold_force(p, u->N, side, 1));
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    if (u->N <= 0) {
        m->mode = MODE_SEPARATED;
        return 0;
    }
    const double F_star = p->sigma0 * x->z + p->sigma1 * u->v, F = fabs(F_star);
    const int side = side_of(F_star);
    const double F_s = static_limit(p, u->N, side);
    if (m->mode == MODE_SLIP && slip_continues(p, u->N, F, side)) return 0;
    if (m->mode == MODE_SLOWSLIP ? !is_above(F, F_s)
                                 : is_below(F, F_s)) /* the first fold is at F_s or above */
        m->mode = MODE_STICK;
    else
        m->mode = is_below(F, fold_force(p, u->N, side, 0)) ? MODE_SLOWSLIP : MODE_SLIP;
    return 0;
}

/* A deflection changes the force and, in slip, the speed of the tip, 1/H' times as much. Near a
 * fold, where H' vanishes, that determines when the tip jumps; inputs under which the piece has
 * ended say nothing of it. */
static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    if (u->N <= 0) return;
    length->z = resolved_deflection(lower_limit(p, p->mu_s * u->N, x->z, u->v) / p->sigma0, x->z);
    if (m->mode != MODE_SLIP && m->mode != MODE_SLOWSLIP) return;
    const double F_star = p->sigma0 * x->z + p->sigma1 * u->v, F = fabs(F_star);
    const int side = side_of(F_star);
    const Tip tip = tip_towards(p, u->N, side);
    const double rise = rise_under(p, tip, F, slip_speed(p, u->N, F, side, m->mode));
    length->z *= fmin(rise / tip.damping, 1);
}
