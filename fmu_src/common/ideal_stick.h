/* Friction with ideal stick, for models that only differ in their sliding force.
 *
 *     stick   F = F_ext + F_s v/v_r, limited to -F_s ... F_s, F_s = mu_s N      (see stick_force.h)
 *     slip    F(|v|) in the direction of the slip                             defined by the model
 *
 * Stick begins when the sliding speed has come down to rest (a 1e-4 part of v_r) and the load is
 * within the static limit. It ends when the load passes the limit; also when the speed passes v_r
 * although the load does not, because the motion is prescribed. A slip that begins at rest lasts as
 * long as either the load is above the limit or the body moves, so it cannot end because of a
 * velocity that it has not reached yet. Beyond v_r the direction of the motion is that of the slip.
 * If friction depends on the direction (direction.h), the limit is that of the side to which the
 * load or the slip points.
 */
#ifndef BRISTLE_IDEAL_STICK_H
#define BRISTLE_IDEAL_STICK_H

#include <math.h>

#include "common/direction.h"
#include "common/heat.h"
#include "common/hysteresis.h"
#include "common/scalar.h"
#include "common/slip_direction.h"
#include "common/stick_force.h"

/* Friction force of a slip with the speed a >= 0 towards a side, 1 or -1, under the normal force
 * N. */
static double sliding_force(const Parameters *p, double N, int side, double a);

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    double F = 0;
    if (u->N > 0) {
        const int direction = true_direction(m->mode, u->v, p->v_r);
        if (m->mode == MODE_STICK)
            F = stick_force(p, p->mu_s * u->N, p->v_r, u->v, u->F_ext);
        else
            F = direction * sliding_force(p, u->N, direction, fabs(u->v));
    }
    contact_outputs(u, F, u->v, y);
    heat_output(0, y);
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)x;
    g[0] = contact_indicator(u->N);
    g[1] = 1;
    g[2] = 1;
    if (u->N <= 0) return;
    const double F_s = p->mu_s * u->N;
    const int direction = slip_direction(m->mode);
    if (m->mode == MODE_STICK) {
        g[1] = below_indicator(fabs(u->F_ext), limit_towards(p, F_s, u->F_ext));
        g[2] = below_indicator(fabs(u->v), p->v_r);
    } else if (direction != 0) {
        g[1] = fmax(above_indicator(direction * u->F_ext, limit_towards(p, F_s, direction)),
                    above_indicator(direction * u->v, REST * p->v_r));
        g[2] = below_indicator(-direction * u->v, p->v_r);
    }
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)x;
    const double F_s = p->mu_s * u->N;
    const int direction = slip_direction(m->mode);
    if (u->N <= 0) {
        m->mode = MODE_SEPARATED;
        return 0;
    }
    if (direction != 0 && is_below(-direction * u->v, p->v_r) &&
        (is_above(direction * u->F_ext, limit_towards(p, F_s, direction)) ||
         is_moving(direction * u->v, REST * p->v_r)))
        return 0;
    if (!is_below(fabs(u->v), p->v_r))
        m->mode = slip_towards(u->v);
    else if (!is_below(fabs(u->F_ext), limit_towards(p, F_s, u->F_ext)))
        m->mode = slip_towards(u->F_ext);
    else
        m->mode = MODE_STICK;
    return 0;
}

#endif
