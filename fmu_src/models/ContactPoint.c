/* ContactPoint: a point of one body against a plane of another, with normal force and friction:
 * HuntCrossley and ProjectedLuGre joined.
 *
 *     delta       = (r_P - r_A) n                    Colantonio et al. 2022, eq 15
 *     d(delta)/dt = -v n                             eq 16
 *     N           = K s^P_K + D s^P_D d(delta)/dt    eq 19, for delta > 0 and never negative
 *     s           = delta/delta_0
 *     F           = friction of the bristle z under N    eqs 18, 21-24
 *     F_A         = N n - F
 *
 * r_A: the point, r_P: any point of the plane, n: its normal, on the side where the point is free
 * (the paper's n points into the plane), v: velocity of the point relative to the body of the plane
 * where they touch. F_A acts on the body of the point and is added to its equation of motion; the
 * opposite acts on the plane's body at the same place.
 *
 * Separated (N = 0): F_A = 0 and the bristle relaxes, dz/dt = -sigma0/sigma1 z.
 */
#include "ContactPoint.h"
#include "common/hunt_crossley.h"
#include "common/contact_events.h"
#include "common/printed_law.h"
#include "common/projected_bristle.h"
#include "common/vector.h"

static Vector plane_normal(const Inputs *u) {
    return unit(vector(u->n));
}

static double penetration(const Inputs *u) {
    return dot(plus(vector(u->r_P), -1, vector(u->r_A)), plane_normal(u));
}

static double penetration_rate(const Inputs *u) {
    return -dot(vector(u->v), plane_normal(u));
}

static double approach(const Parameters *p, const Inputs *u) {
    (void)p;
    return penetration_rate(u);
}

/* Moves the point into the plane by a displacement, and adds to its rate. */
static void move_contact(Inputs *u, double displacement, double rate) {
    const Vector n = plane_normal(u);
    put(plus(vector(u->r_A), -displacement, n), u->r_A);
    put(plus(vector(u->v), -rate, n), u->v);
}

static double normal_force(const Parameters *p, const Inputs *u) {
    return unclipped_force(p, penetration(u), penetration_rate(u));
}

static const char *check_inputs(const Parameters *p, const Inputs *u) {
    if (length(vector(u->n)) == 0)
        return "contactNormal has zero length, so the plane is not defined.";
    const char *wrong = check_grain(p, vector(u->n));
    return wrong && normal_force(p, u) > 0 ? wrong : NULL;
}

static void constrain(const Parameters *p, const Inputs *before, const Inputs *u, States *x) {
    if (turns(vector(before->n), vector(u->n)) && normal_force(p, u) > 0)
        project_bristle(vector(u->n), x);
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    const Vector n = plane_normal(u);
    const double delta_rate = penetration_rate(u);
    y->delta = penetration(u);
    const SpringDamper forces = spring_and_damper(p, y->delta, delta_rate);
    y->N = hunt_crossley(forces);
    plane_friction(p, m->law == LAW_PRINTED, y->N, n, vector(u->v), x, dx, y);
    put(plus(scaled(y->N, n), -1, vector(y->F)), y->F_A);
    y->P += y->N * delta_rate;
    y->Q += contact_heat(forces, delta_rate);
}
