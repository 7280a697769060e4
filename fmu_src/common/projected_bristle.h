/* One bristle in the plane of a contact, per unit of normal force: the LuGre model in any
 * direction.
 *
 *     g     = mu(|v_t|)                                    Colantonio et al. 2022, eq 23
 *     dz/dt = v_t - sigma0 |v_t|/g z - sigma0/sigma1 (n z) n         eq 21 and its last term
 *     F     = (sigma0 z_t + sigma1 (v_t - sigma0 |v_t|/g z_t)) N + F_v                  eq 24
 *     F_v   = (nu N + sigma2) v_t                               viscous.h, viscous_power.h
 *
 * v_t and z_t are the components in the plane. As long as the normal n keeps its direction, z stays
 * in the plane and the last term is zero. When the normal rotates, z would be left behind. Its
 * component out of the plane is not held by anything, so it relaxes like a free bristle and does
 * not act. This lets z rotate with the plane, without a rate of the normal among the inputs: from
 * d(n z)/dt = 0 the last term becomes -(z dn/dt) n, the turning of a vector that is fixed in the
 * plane.
 *
 * The bristle stores N sigma0 |z_t|^2/2; what a rising normal force or a rotating plane adds to it
 * is neither power nor heat.
 *
 * Friction that differs along and across an axis e in the plane (a grain): across it is r times
 * that along it. With M the matrix that leaves vectors along e and multiplies those across by r,
 *
 *     dz/dt = v_t - sigma0 |M v_t|/g M^-2 z,   in steady sliding sigma0 z = g M^2 v_t/|M v_t|:
 *
 * the friction force ends on an ellipse with the half axes g and r g, in the direction in which it
 * absorbs most power. The stored energy decreases by sigma0^2 |M v_t|/g |M^-1 z|^2 per unit of
 * time, which at r = 1 is the value without a grain.
 *
 * With the option Bounded the damper is reduced until spring and damper together stay within the
 * ellipse of the static limit, |M^-1 F_b| <= mu_s N, and neither push the body along nor create
 * energy while the bristle springs back. On a line that is the bound of LuGreNormalized.
 */
#ifndef BRISTLE_PROJECTED_BRISTLE_H
#define BRISTLE_PROJECTED_BRISTLE_H

#include <stddef.h>

#include "common/bristle.h"
#include "common/heat.h"
#include "common/resolution.h"
#include "common/spatial.h"
#include "common/stribeck.h"
#include "common/vector.h"
#include "common/viscous.h"
#include "common/viscous_power.h"

/* The axis of the grain in the plane; zero where it is normal to the plane. */
static Vector grain_axis(const Parameters *p, Vector n) {
    return unit(tangential(n, vector(p->axis)));
}

/* A vector of the plane, multiplied by `along` along the axis and by `across` across it. */
static Vector stretched(Vector axis, double along, double across, Vector a) {
    return plus(scaled(across, a), (along - across) * dot(axis, a), axis);
}

/* Rate of the bristle in the plane: v_t - sigma0 |M v_t|/g M^-2 z_t. */
static Vector plane_rate(const Parameters *p, Vector axis, double g, Vector v_t, Vector z_t) {
    const double decay_rate = p->sigma0 * length(stretched(axis, 1, p->r, v_t)) / g;
    return plus(v_t, -decay_rate, stretched(axis, 1, 1 / (p->r * p->r), z_t));
}

/* Rate of the bristle out of the plane, where it relaxes; in sliding it decays with the other
 * components. */
static double normal_rate(const Parameters *p, double g, Vector v_t, double z_n) {
    return -(p->sigma0 / p->sigma1 + p->sigma0 * length(v_t) / g) * z_n;
}

/* The last point of the segment from a to a + d whose distance from zero is at most `most`; where
 * there is none, the nearest point, scaled to that distance. */
static Vector within(double most, Vector a, Vector d) {
    const Vector e = unit(d);
    const double towards = dot(a, e), aside = length(plus(a, -towards, e));
    const double half_chord = aside < most ? sqrt((most - aside) * (most + aside)) : 0;
    const Vector end = plus(a, fmax(0, fmin(half_chord - towards, length(d))), e);
    const double distance = length(end);
    return distance > most ? scaled(most / distance, end) : end;
}

/* The fraction of a damper's force that absorbs no more power than the spring releases along the
 * motion (spring_back.h), less what the spring stores at the same time: with a grain it may do
 * both. So the power F v is at least zero and at least what is stored. */
static double part_without_push(Vector spring, Vector damper, Vector v, Vector rate) {
    const double released = fmax(dot(spring, v) - fmax(dot(spring, rate), 0), 0),
                 absorbed = -dot(damper, v);
    return absorbed > released ? released / absorbed : 1;
}

/* Force of spring and damper per unit of normal force, as printed or bounded. A damper that creates
 * no energy creates none when it is reduced, so the damper is reduced. The whole force is scaled
 * only where the spring alone exceeds the limit; there the bristle loses more energy than it
 * absorbs. */
static Vector bristle_force(const Parameters *p, int printed, Vector axis, Vector v_t, Vector z_t,
                            Vector rate) {
    const Vector spring = scaled(p->sigma0, z_t), whole = scaled(p->sigma1, rate);
    const Vector damper =
        printed ? whole : scaled(part_without_push(spring, whole, v_t, rate), whole);
    const Vector force = plus(spring, 1, damper);
    if (printed || length(stretched(axis, 1, 1 / p->r, force)) <= p->mu_s) return force;
    const Vector round =
        within(p->mu_s, stretched(axis, 1, 1 / p->r, spring), stretched(axis, 1, 1 / p->r, damper));
    return stretched(axis, 1, p->r, round);
}

/* Viscous part of the friction force under the normal force N. */
static Vector viscous_part(const Parameters *p, double N, Vector v_t) {
    return scaled(viscous_damping(p, N) * power_factor(length(v_t), p->v_n, p->n_v), v_t);
}

/* Rates and outputs of a contact under the normal force N in the plane with the unit normal n, at
 * the relative velocity v. */
static void plane_friction(const Parameters *p, int printed, double N, Vector n, Vector v,
                           const States *x, States *dx, Outputs *y) {
    const Vector z = vector(x->z);
    const Vector v_t = tangential(n, v), z_t = tangential(n, z);
    Vector F = {0, 0, 0};
    Vector rate = scaled(relaxation_rate(p->sigma0, p->sigma1, 1), z);
    Vector rate_t = tangential(n, rate);
    if (N > 0) {
        const Vector axis = grain_axis(p, n);
        const double g = stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, length(v_t));
        rate_t = plane_rate(p, axis, g, v_t, z_t);
        rate = plus(rate_t, normal_rate(p, g, v_t, dot(n, z)), n);
        F = plus(viscous_part(p, N, v_t), N, bristle_force(p, printed, axis, v_t, z_t, rate_t));
    }
    put(rate, dx->z);
    friction_outputs(N, F, v, plus(v_t, -1, rate_t), y);
    heat_output(N > 0 ? N * p->sigma0 * dot(z_t, rate_t) : 0, y);
}

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    (void)x;
    const double resolved =
        damped_deflection(p->mu_s, p->sigma0, p->sigma1, magnitude(vector(u->v)));
    for (int i = 0; i < 3; i++) length->z[i] = resolved;
}

/* Whether a plane has turned from one normal to another. */
static int turns(Vector before, Vector now) {
    return magnitude(plus(now, -1, before)) > 0;
}

/* Projects the bristle onto a plane that has turned to a normal. It loses the component that does
 * not act, so the force is unchanged. Twice, because the rounding of a large component out of the
 * plane may be large against the one in it. */
static void project_bristle(Vector now, States *x) {
    const Vector n = unit(now);
    put(tangential(n, tangential(n, vector(x->z))), x->z);
}

/* What is wrong with the axis of the grain in a plane with the normal n, or NULL. */
static const char *check_grain(const Parameters *p, Vector n) {
    if (p->r == 1 || length(grain_axis(p, unit(n))) > 0) return NULL;
    return "frictionAxis is normal to the contact plane, but it must have a direction in that "
           "plane.";
}

#endif
