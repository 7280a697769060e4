/* Events of a model without discrete modes: touch-down and lift-off are marked, nothing is remembered. */
#ifndef BRISTLE_CONTACT_EVENTS_H
#define BRISTLE_CONTACT_EVENTS_H

#include "common/contact_indicator.h"

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m, double *g) {
    (void)p;
    (void)x;
    (void)m;
    g[0] = contact_indicator(u->N);
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)p;
    (void)u;
    (void)x;
    (void)m;
    return 0;
}

#endif
