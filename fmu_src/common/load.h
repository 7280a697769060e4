/* Load elements, which have no events: magnitudes of the reactions of a joint.
 *
 * A magnitude has no slope where it vanishes. With a width w > 0 it is sqrt(a^2 + w^2) - w instead:
 * smooth, zero at zero, and below the magnitude by less than w. With w = 0 it is the magnitude
 * itself, whose slope at zero is set to 0 (common/vector.h).
 */
#ifndef BRISTLE_LOAD_H
#define BRISTLE_LOAD_H

#include "common/no_modes.h"
#include "common/vector.h"

static double smooth_magnitude(double a, double b, double width) {
    const Vector all = {a, b, width};
    return length(all) - width;
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)p;
    (void)u;
    (void)x;
    (void)m;
    (void)g;
}

#endif
