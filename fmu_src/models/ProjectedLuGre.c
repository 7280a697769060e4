/* ProjectedLuGre: LuGre friction in a plane of any orientation, per unit of normal force.
 *
 *     v_t   = v - (n v) n                                Colantonio et al. 2022, eq 18
 *     dz/dt = v_t - sigma0 |v_t|/g z                     eq 21, g = mu(|v_t|) of eq 23
 *     F     = (sigma0 z + sigma1 dz/dt) N + F_v          eq 24, reversed; F_v: common/viscous.h
 *
 * On a line it is LuGreNormalized. The vectors may be given in any frame.
 * common/projected_bristle.h explains how z follows a plane that turns, and how friction may differ
 * along and across a grain.
 *
 * Separated (N <= 0): F = 0 and the bristle relaxes, dz/dt = -sigma0/sigma1 z. F has the direction
 * of the sliding velocity and is subtracted from the body's equation of motion.
 */
#include "ProjectedLuGre.h"
#include "common/contact_events.h"
#include "common/printed_law.h"
#include "common/projected_bristle.h"
#include "common/vector.h"

static double normal_force(const Parameters *p, const Inputs *u) {
    (void)p;
    return u->N;
}

static const char *check_inputs(const Parameters *p, const Inputs *u) {
    if (u->N <= 0) return NULL;
    if (length(vector(u->n)) == 0)
        return "contactNormal has zero length while the surfaces touch, so the plane is not "
               "defined.";
    return check_grain(p, vector(u->n));
}

static void constrain(const Parameters *p, const Inputs *before, const Inputs *u, States *x) {
    (void)p;
    if (u->N > 0 && turns(vector(before->n), vector(u->n))) project_bristle(vector(u->n), x);
}

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    plane_friction(p, m->law == LAW_PRINTED, u->N, unit(vector(u->n)), vector(u->v), x, dx, y);
}
