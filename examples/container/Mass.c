/* Mass: a body on a line.
 *
 *     m dv/dt = F_load - F_R - F_O,   dx/dt = v
 */
#include "Mass.h"
#include "common/no_modes.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)m;
    dx->x = x->v;
    dx->v = (u->F_load - u->F_R - u->F_O) / p->m;
    y->x_out = x->x;
    y->v_out = x->v;
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)p;
    (void)u;
    (void)x;
    (void)m;
    (void)g;
}
