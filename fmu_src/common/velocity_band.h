/* Stick at speeds up to v_s, slip above.
 *
 * In slip the velocity itself is an indicator too, so that a motion that reverses within one step
 * of a solver does not jump over the band unnoticed. In stick twice the band is one, so that a host
 * that has missed the edge, because it handles events with outdated inputs, leaves stick there. */
#ifndef BRISTLE_VELOCITY_BAND_H
#define BRISTLE_VELOCITY_BAND_H

#include <math.h>

#include "common/scalar.h"
#include "common/hysteresis.h"

static void band_indicators(const Inputs *u, int mode, double v_s, double *g) {
    g[0] = contact_indicator(u->N);
    g[1] = 1;
    g[2] = 1;
    if (u->N <= 0) return;
    if (mode == MODE_STICK) {
        g[1] = below_indicator(fabs(u->v), v_s);
        g[2] = below_indicator(fabs(u->v), 2 * v_s);
    }
    if (mode == MODE_SLIP) {
        g[1] = above_indicator(fabs(u->v), v_s);
        g[2] = part_of_limit(u->v, v_s);
    }
}

static int band_mode(const Inputs *u, int mode, double v_s) {
    if (u->N <= 0) return MODE_SEPARATED;
    if (mode == MODE_SLIP) return is_above(fabs(u->v), v_s) ? MODE_SLIP : MODE_STICK;
    return is_below(fabs(u->v), v_s) ? MODE_STICK : MODE_SLIP;
}

#endif
