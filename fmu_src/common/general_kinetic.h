/* General kinetic friction: a linear rise up to the speed v_r, the Stribeck curve beyond it, and
 * the jump between them.
 *
 *     stick   mu = mu_s a/v_r       for a < v_r   Colantonio et al. 2022, eq 38; a: speed, v_r: eps
 *     slip    mu = mu(a) + nu a     above
 *
 * The curve has fallen a little at v_r already, so the law jumps there from mu_s to mu(v_r) + nu
 * v_r. A mode selects the piece and changes only at an event (hysteresis.h); until then each piece
 * continues smoothly, whatever points a solver tries.
 *
 * No motion can stay at a jump downwards. Viscous friction that outweighs the fall of the curve
 * makes it a jump upwards, at which a load between the two values would switch back and forth
 * forever: stick therefore follows its line up to where it meets the curve, slip its curve down to
 * v_r. They meet if the line is steeper than nu: mu_s > nu v_r. The film (viscous.h) acts in stick
 * and slip alike, so that it does not change the jump, however small the normal force is.
 */
#ifndef BRISTLE_GENERAL_KINETIC_H
#define BRISTLE_GENERAL_KINETIC_H

#include <math.h>
#include <stddef.h>

#include "common/hysteresis.h"
#include "common/stribeck.h"
#include "common/viscous.h"

/* Factors of dry friction and of the viscous part on one side of a line; 1 and 1 in a plane. */
typedef struct {
    double dry, viscous;
} Side;

/* Friction coefficient of slip with the speed a, without the film. */
static double slip_friction(const Parameters *p, Side side, double a) {
    return side.dry * stribeck(p->mu_s, p->mu_d, p->v_A, p->alpha, a) +
           side.viscous * viscous_friction(p, a);
}

/* Whether the line of stick is steeper than the viscous part. */
static int lines_meet(const Parameters *p, Side side) {
    return side.viscous * viscous_friction(p, p->v_r) < side.dry * p->mu_s;
}

/* The speed up to which stick continues at the speed a: without a viscous part slip nowhere resists
 * more than the line at v_r. */
static double stick_limit(const Parameters *p, Side side, double a) {
    if (viscous_friction(p, a) == 0) return p->v_r;
    return p->v_r * fmax(1, slip_friction(p, side, a) / (side.dry * p->mu_s));
}

#endif
