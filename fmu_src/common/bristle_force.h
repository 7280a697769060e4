/* Force of a bristle on a line. */
#ifndef BRISTLE_BRISTLE_FORCE_H
#define BRISTLE_BRISTLE_FORCE_H

#include "common/bristle.h"
#include "common/direction.h"
#include "common/spring_back.h"

/* Force of spring and damper, as printed or bounded. Bounded, it stays within the limit and creates
 * no energy, neither where the bristle springs back nor where it follows slowly. */
static double bristle_force(const Parameters *p, int printed, double sigma1, double limit, double v,
                            double z, double rate) {
    const double force = p->sigma0 * z + sigma1 * rate;
    if (printed) return force;
    const double held = without_push(force, rate, v);
    return between_limits(p, without_gain(held, p->sigma0 * z * rate, rate, v), limit);
}

#endif
