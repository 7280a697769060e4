/* Force of a bristle on a line. */
#ifndef BRISTLE_BRISTLE_FORCE_H
#define BRISTLE_BRISTLE_FORCE_H

#include "common/bristle.h"
#include "common/direction.h"
#include "common/spring_back.h"

/* Force of spring and damper, as printed or bounded: the damper creates no energy, and both together stay within the limit and, where the bristle springs
 * back, do not push the body along. */
static double bristle_force(const Parameters *p, int printed, double sigma1, double g, double limit, double v, double z,
                            double rate) {
    if (printed) return p->sigma0 * z + sigma1 * rate;
    const double force = p->sigma0 * z + passive_damping(sigma1, g, v) * rate;
    return between_limits(p, without_push(force, rate, v), limit);
}

#endif
