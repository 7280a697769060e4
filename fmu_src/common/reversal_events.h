/* Events of an element without discrete modes whose state is constant in sliding and changes at
 * once when the motion reverses: touch-down, lift-off and reversals.
 *
 * In sliding nothing changes, and the steps of a host's solver become long; one that holds the
 * inputs over a step (FMPy's model exchange) would notice a reversal late, or fail there. The band
 * of speeds that count as rest lies between the two indicators of a reversal, so that a body at
 * rest causes no events. */
#ifndef BRISTLE_REVERSAL_EVENTS_H
#define BRISTLE_REVERSAL_EVENTS_H

#include "common/contact.h"
#include "common/no_modes.h"

static const double NO_SPEED = 1e-6; /* m/s, a ten-thousandth of the nominal velocity */

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)p;
    (void)x;
    (void)m;
    g[0] = contact_indicator(u->N);
    g[1] = contact_indicator(u->v - NO_SPEED); /* with the same gap at its root */
    g[2] = contact_indicator(u->v + NO_SPEED);
}

#endif
