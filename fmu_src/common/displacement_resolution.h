/* Resolution for co-simulation of a displacement that reaches the static limit at x_s. */
#ifndef BRISTLE_DISPLACEMENT_RESOLUTION_H
#define BRISTLE_DISPLACEMENT_RESOLUTION_H

#include "common/resolution.h"

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    (void)x;
    if (u->N > 0) length->x = p->x_s;
}

#endif
