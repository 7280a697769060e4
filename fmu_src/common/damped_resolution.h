/* Resolution for co-simulation of a deflection with a damper: the deflection that carries the
 * static limit, reduced by the effect of the damper. */
#ifndef BRISTLE_DAMPED_RESOLUTION_H
#define BRISTLE_DAMPED_RESOLUTION_H

#include "common/direction.h"
#include "common/resolution.h"

/* Damping of the bristle at the speed a, given by the model. */
static double damping_at(const Parameters *p, double a);

static void resolution(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       States *length) {
    (void)m;
    if (u->N <= 0) return;
    const double limit = lower_limit(p, p->mu_s * u->N, x->z, u->v), a = fabs(u->v);
    length->z = resolved_deflection(limit / p->sigma0, x->z);
    length->z *= damper_factor(limit, damping_at(p, a), a);
}

#endif
