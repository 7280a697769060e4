/* Leuven: a hysteresis of springs and sliders that saturates at the Stribeck curve (the modified Leuven model).
 *
 *     dz/dt = v (1 - sgn(F_h/s) |F_h/s|^n),   s = mu(|v|) N sgn v              Lampaert et al. 2002
 *     F     = F_h + sigma1 dz/dt + F_v                                         F_v: common/viscous.h
 *
 * F_h is the force of four Maxwell-slip elements, springs k_i with a slider, that are moved by z. Only the rate of z has a part in it, so z
 * itself is no state:
 *
 *     F_h = sum k_i zeta_i,   dzeta_i/dt = dz/dt, held at W_i/k_i,   W_i = alpha_i mu_s N
 *
 * alpha_i is the share of an element in the whole: the parameters are divided by their sum. An element comes to rest over the last
 * thousandth of the way to its limit. It never carries more than W_i, also when the normal force falls.
 *
 * Separated (N <= 0): F = 0, and the elements relax with the time constant sigma1/sum k_i.
 * F has the sign of the sliding velocity and is subtracted from the body's equation of motion.
 *
 * Not modelled: passivity for a large damping; the lag of the Stribeck curve other than by the elements.
 */
#include "Leuven.h"
#include "common/contact.h"
#include "common/dahl_bristle.h"
#include "common/elements.h"
#include "common/heat.h"
#include "common/held_deflection.h"
#include "common/stribeck.h"
#include "common/viscous.h"

/* Force an element slips at. */
static double slider_limit(const Parameters *p, int i, double N) {
    return element_share(p, i) * p->mu_s * N;
}

static double hysteresis_force(const Parameters *p, const double *zeta, double N) {
    double F_h = 0;
    for (int i = 0; i < ELEMENTS; i++) F_h += limited(p->k[i] * zeta[i], slider_limit(p, i, N));
    return F_h;
}

/* Rate of the energy in the springs, sum k_i zeta_i^2/2. */
static double elastic_power(const Parameters *p, const double *zeta, const double *rate) {
    double power = 0;
    for (int i = 0; i < ELEMENTS; i++) power += p->k[i] * zeta[i] * rate[i];
    return power;
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m, States *dx, Outputs *y) {
    (void)m;
    const double tau = p->sigma1 / sum(p->k);
    if (u->N <= 0) {
        for (int i = 0; i < ELEMENTS; i++) dx->zeta[i] = -x->zeta[i] / tau;
        contact_outputs(u, 0, u->v, y);
        heat_output(elastic_power(p, x->zeta, dx->zeta), y);
        return;
    }
    const double F_h = hysteresis_force(p, x->zeta, u->N);
    const double s = stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, fabs(u->v)) * u->N;
    const double v_S = u->v * signed_power(copysign(1, u->v) * F_h / s, p->n);
    const double z_rate = u->v - v_S;
    for (int i = 0; i < ELEMENTS; i++) {
        const double limit = saturation_length(slider_limit(p, i, u->N), p->k[i], tau, u->v);
        dx->zeta[i] = held_rate(limit, x->zeta[i], z_rate);
    }
    contact_outputs(u, F_h + p->sigma1 * z_rate + viscous_force(p, u->N, u->v), v_S, y);
    heat_output(elastic_power(p, x->zeta, dx->zeta), y);
}
