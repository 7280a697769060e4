/* Events of an element without discrete modes: touch-down and lift-off, which change no mode. */
#ifndef BRISTLE_CONTACT_EVENTS_H
#define BRISTLE_CONTACT_EVENTS_H

#include "common/contact.h"
#include "common/no_modes.h"

/* Normal force; zero or negative when the surfaces are separated. For scalar elements it is an
 * input (scalar.h), others compute it. */
static double normal_force(const Parameters *p, const Inputs *u);

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)x;
    (void)m;
    g[0] = contact_indicator(normal_force(p, u));
}

#endif
