/* Leuven: a hysteresis of springs and sliders that saturates at the Stribeck curve (the modified
 * Leuven model).
 *
 *     dz/dt = v (1 - sgn(F_h/s) |F_h/s|^n),   s = mu(|v|) N sgn v             Lampaert et al. 2002
 *     F     = F_h + sigma1 dz/dt + F_v                                        F_v: common/viscous.h
 *
 * F_h is the force of four Maxwell-slip elements, springs k_i with a slider, that are moved by z.
 * It depends on the rate of z only, so z itself is no state:
 *
 *     F_h = sum k_i zeta_i,   dzeta_i/dt = dz/dt, held at W_i/k_i,   W_i = alpha_i mu_s N
 *
 * alpha_i is the share of an element in the whole: the parameters are divided by their sum. An
 * element comes to rest over the last thousandth of the path to its limit. It never carries more
 * than a thousandth above W_i; the excess after a fall of the normal force decays with the time
 * constant sigma1/sum k_i. With the option Bounded F_h and damper together carry no more than mu_s
 * N and do not push the body along while the springs come back, so that they create no energy
 * (common/spring_back.h).
 *
 * Separated (N <= 0): F = 0, and the elements relax with the time constant sigma1/sum k_i. F has
 * the sign of the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "Leuven.h"
#include "common/contact_events.h"
#include "common/dahl_bristle.h"
#include "common/direction.h"
#include "common/elements.h"
#include "common/heat.h"
#include "common/held_deflection.h"
#include "common/printed_law.h"
#include "common/resolution.h"
#include "common/scalar.h"
#include "common/spring_back.h"
#include "common/stribeck.h"
#include "common/viscous_force.h"

/* Elements that carry more than the Stribeck curve slide back at most this many times as fast as
 * the surfaces move: a power of a large exponent would overflow. */
static const double FASTEST = 1e9;

/* Force an element slips at, towards the side of its deflection. */
static double slider_limit(const Parameters *p, int i, double N, double zeta) {
    return limit_towards(p, element_share(p, i) * p->mu_s * N, zeta);
}

/* Force of a spring beyond the limit of its slider: it saturates a thousandth above the limit, with
 * a slope that decreases gradually, since solvers that cross a corner slowly reject many steps. */
static double yielding(double force, double limit) {
    const double last = LAST_PART * limit, excess = fabs(force) - limit;
    if (excess <= 0) return force;
    const double felt = fmin(excess, 2 * last);
    return copysign(limit + felt * (1 - 0.25 * felt / last), force);
}

static double hysteresis_force(const Parameters *p, const double *zeta, double N) {
    double F_h = 0;
    for (int i = 0; i < ELEMENTS; i++)
        F_h += yielding(p->k[i] * zeta[i], fmax(slider_limit(p, i, N, zeta[i]), NO_LENGTH));
    return F_h;
}

/* Rate of the energy in the springs, sum k_i zeta_i^2/2. */
static double elastic_power(const Parameters *p, const double *zeta, const double *rate) {
    double power = 0;
    for (int i = 0; i < ELEMENTS; i++) power += p->k[i] * zeta[i] * rate[i];
    return power;
}

/* Rate of a spring that is moved with w. In sliding w is tiny and of either sign; there, below w_0,
 * a spring at its limit changes smoothly from held to unloaded, since solvers chatter at a
 * corner. */
static double moved_rate(double limit, double zeta, double w, double w_0) {
    if (fabs(w) >= w_0) return held_rate(limit, zeta, w);
    const double held = 1 - fmax(-1, fmin((1 - fabs(zeta) / limit) / LAST_PART, 1));
    const double loading = 0.5 * (1 + copysign(1, zeta) * w / w_0);
    return w * (1 - held * loading * loading * (3 - 2 * loading));
}

/* The excess over a limit that has fallen decays as without contact. */
static double element_rate(double limit, double zeta, double w, double w_0, double relaxation) {
    return moved_rate(limit, zeta, w, w_0) - relaxation * (zeta - limited(zeta, limit));
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    const double relaxation = sum(p->k) / p->sigma1;
    if (u->N <= 0) {
        for (int i = 0; i < ELEMENTS; i++) dx->zeta[i] = -x->zeta[i] * relaxation;
        contact_outputs(u, 0, u->v, y);
        heat_output(elastic_power(p, x->zeta, dx->zeta), y);
        return;
    }
    const double F_h = hysteresis_force(p, x->zeta, u->N), F_s = p->mu_s * u->N;
    const double a = fabs(u->v), curve = stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, a) * u->N;
    const double s = fmax(limit_towards(p, curve, u->v), NO_LENGTH);
    const double pace = slowing(s, p->sigma1, u->v);
    double r = copysign(1, u->v) * F_h / s;
    if (fabs(r) > 1) r = limited(r, pow(FASTEST, 1 / p->n));
    const double v_S = u->v * signed_power(r, p->n);
    const double z_rate = pace * (u->v - v_S);
    for (int i = 0; i < ELEMENTS; i++) {
        const double limit = saturation_length(slider_limit(p, i, u->N, x->zeta[i]), p->k[i]);
        dx->zeta[i] = element_rate(limit, x->zeta[i], z_rate, LAST_PART * pace * a, relaxation);
    }
    double F = F_h + p->sigma1 * z_rate;
    if (m->law != LAW_PRINTED) F = between_limits(p, without_push(F, z_rate, u->v), F_s);
    contact_outputs(u, F + viscous_force(p, u->N, u->v), v_S, y);
    heat_output(elastic_power(p, x->zeta, dx->zeta), y);
}

/* An error of the springs changes their force and, through the state equation, that of the
 * damper. */
static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N <= 0) return;
    const double a = fabs(u->v), curve = stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, a) * u->N;
    for (int i = 0; i < ELEMENTS; i++) {
        const double limit = lower_limit(p, p->mu_s * u->N, x->zeta[i], u->v);
        length->zeta[i] = resolved_deflection(limit / (p->n * p->k[i]), x->zeta[i]);
        length->zeta[i] *= damper_factor(curve, p->sigma1, a);
    }
}
