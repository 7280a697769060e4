/* Events of an element without discrete modes: touch-down and lift-off are marked, nothing is remembered.
 * An element that makes its normal force itself gives it; for all others contact_events.h does. */
#ifndef BRISTLE_PRESS_EVENTS_H
#define BRISTLE_PRESS_EVENTS_H

#include "common/contact_indicator.h"

/* What presses the surfaces together; zero or negative when they are separated. */
static double press(const Parameters *p, const Inputs *u);

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m, double *g) {
    (void)x;
    (void)m;
    g[0] = contact_indicator(press(p, u));
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)p;
    (void)u;
    (void)x;
    (void)m;
    return 0;
}

#endif
