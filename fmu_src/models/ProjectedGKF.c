/* ProjectedGKF: general kinetic friction in a plane of any orientation.
 *
 *     v_t = v - (n v) n                                       Colantonio et al. 2022, eq 18
 *     stick   F = mu_s N v_t/v_r     for |v_t| < v_r          eq 38, its sgn V dropped
 *     slip    F = (mu(|v_t|) + nu |v_t|) N v_t/|v_t|  above   eq 38 with |V|/V_st for eps/V_st;
 *                                                             v_r is eps
 *
 * A film adds sigma2 v_t in contact. On a line it is GKF; the jump at v_r, the mode and its
 * hysteresis are the same (common/general_kinetic.h). Slip continues smoothly below v_r while a
 * solver locates the event; below half of it, where the direction would soon be undefined, the
 * force decreases with v_t.
 *
 * Separated (N <= 0): F = 0. F has the direction of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "ProjectedGKF.h"
#include "common/contact.h"
#include "common/general_kinetic.h"
#include "common/heat.h"
#include "common/spatial.h"

static const Side BOTH = {1, 1};

static const char *check(const Parameters *p) {
    if (lines_meet(p, BOTH)) return NULL;
    return "viscousFriction times regularizationVelocity must be less than staticFriction.";
}

static const char *check_inputs(const Parameters *p, const Inputs *u) {
    (void)p;
    if (u->N <= 0 || length(vector(u->n)) > 0) return NULL;
    return "contactNormal has zero length while the surfaces touch, so the plane is not defined.";
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    const Vector v = vector(u->v);
    const Vector v_t = tangential(unit(vector(u->n)), v);
    double damping = 0;
    if (u->N > 0) {
        const double a = length(v_t);
        double mu_over_v = 0;
        if (m->mode == MODE_STICK) mu_over_v = p->mu_s / p->v_r;
        if (m->mode == MODE_SLIP) mu_over_v = slip_friction(p, BOTH, a) / fmax(a, p->v_r / 2);
        damping = mu_over_v * u->N + film_damping(p);
    }
    friction_outputs(u->N, scaled(damping, v_t), v, v_t, y);
    heat_output(0, y);
}

static double sliding_speed(const Inputs *u) {
    return length(tangential(unit(vector(u->n)), vector(u->v)));
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)x;
    g[0] = contact_indicator(u->N);
    g[1] = 1;
    const double a = sliding_speed(u);
    if (m->mode == MODE_STICK) g[1] = below_indicator(a, stick_limit(p, BOTH, a));
    if (m->mode == MODE_SLIP) g[1] = above_indicator(a, p->v_r);
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)x;
    if (u->N <= 0) {
        m->mode = MODE_SEPARATED;
        return 0;
    }
    const double a = sliding_speed(u);
    if (m->mode == MODE_STICK && is_below(a, stick_limit(p, BOTH, a))) return 0;
    if (m->mode == MODE_SLIP && is_above(a, p->v_r)) return 0;
    m->mode = is_below(a, p->v_r) ? MODE_STICK : MODE_SLIP;
    return 0;
}
