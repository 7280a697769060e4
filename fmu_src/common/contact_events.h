/* Events of a model without discrete modes: the normal force, which it is given, says when the surfaces touch. */
#ifndef BRISTLE_CONTACT_EVENTS_H
#define BRISTLE_CONTACT_EVENTS_H

#include "common/press_events.h"

static double press(const Parameters *p, const Inputs *u) {
    (void)p;
    return u->N;
}

#endif
