/* Resolution for co-simulation of a deflection: the one that carries the static limit, which falls
 * with the normal force. */
#ifndef BRISTLE_STATIC_RESOLUTION_H
#define BRISTLE_STATIC_RESOLUTION_H

#include "common/direction.h"
#include "common/resolution.h"

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N > 0)
        length->z =
            resolved_deflection(lower_limit(p, p->mu_s * u->N, x->z, u->v) / p->sigma0, x->z);
}

#endif
