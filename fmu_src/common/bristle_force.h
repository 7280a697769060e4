/* Force of a bristle on a line. */
#ifndef BRISTLE_BRISTLE_FORCE_H
#define BRISTLE_BRISTLE_FORCE_H

#include "common/bristle.h"
#include "common/direction.h"
#include "common/spring_back.h"

/* Force of spring and damper, as printed or bounded: within the limit and, where the bristle
 * springs back, without a push. */
static double bristle_force(const Parameters *p, int printed, double sigma1, double limit, double v,
                            double z, double rate) {
    const double force = p->sigma0 * z + sigma1 * rate;
    return printed ? force : between_limits(p, without_push(force, rate, v), limit);
}

#endif
