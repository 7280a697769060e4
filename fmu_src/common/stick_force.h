/* Force of an ideal stick, which has to know the load: it balances the whole load F_ext, up to the
 * static limit F_s.
 *
 *     F = F_ext + F_s v/v_0,   limited to -F_s ... F_s
 *
 * A law that cancels the load and no more leaves the body with whatever velocity it had when stick
 * began, and with the errors of the host's solver from then on: it would creep for ever, and the
 * element cannot set the velocity of its host to zero. The second part does it with a force: it
 * vanishes at rest, so the load is held exactly there, and reduces a remaining velocity to zero
 * with the time constant m v_0/F_s. It has a slope that an implicit solver can use, no jump, and
 * stays within the static limit, so it never pushes a body over the limit nor keeps it from
 * breaking away. By direction (direction.h) the limits are -kappa F_s and F_s, and kappa F_s brakes
 * a backward motion.
 */
#ifndef BRISTLE_STICK_FORCE_H
#define BRISTLE_STICK_FORCE_H

#include "common/direction.h"

static double stick_force(const Parameters *p, double F_s, double v_0, double v, double F_ext) {
    return between_limits(p, F_ext + limit_towards(p, F_s, v) * (v / v_0), F_s);
}

#endif
