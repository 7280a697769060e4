/* What co-simulation has to resolve of a deflection whose force may be as printed: a part of the one that carries the static limit, less of it the more
 * the damper makes of its rate. */
#ifndef BRISTLE_PRINTED_RESOLUTION_H
#define BRISTLE_PRINTED_RESOLUTION_H

#include "common/direction.h"
#include "common/resolution.h"

/* Damping of the bristle at the speed a, given by the model. */
static double damping_at(const Parameters *p, double a);

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m, States *length) {
    if (u->N <= 0) return;
    const double limit = lower_limit(p, p->mu_s * u->N, x->z, u->v), a = fabs(u->v);
    length->z = resolved_deflection(limit / p->sigma0, x->z);
    if (m->law == LAW_PRINTED) length->z *= felt_by_damper(limit, damping_at(p, a), a);
}

#endif
