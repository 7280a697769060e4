/* A friction element without memory: its force is a function of the velocity, defined by the
 * model. */
#ifndef BRISTLE_FRICTION_CURVE_H
#define BRISTLE_FRICTION_CURVE_H

#include "common/contact_events.h"
#include "common/direction.h"
#include "common/heat.h"
#include "common/scalar.h"

/* Friction force in contact under the normal force N, with the sign of the velocity, which also
 * selects the side (limit_towards). */
static double friction_curve(const Parameters *p, double N, double v);

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)m;
    (void)dx;
    double F = 0;
    if (u->N > 0) F = friction_curve(p, u->N, u->v);
    contact_outputs(u, F, u->v, y);
    heat_output(0, y);
}

#endif
