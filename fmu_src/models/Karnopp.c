/* Karnopp: stick within a band of velocities, with the load as an input.
 *
 *     stick   |v| <= v_s:  F = F_ext + F_s v/v_s,      Pennestri et al. 2016, eq 6
 *                          limited to -F_s ... F_s
 *     slip    |v| >  v_s:  F = F_d sgn v
 *     F_s = mu_s N,  F_d = mu_d N
 *
 * Karnopp's own algorithm sets the velocity to zero in the band. It belongs to the host, so an
 * element cannot do that, and with the load alone (eq 6 as printed) a body would creep through the
 * band for ever. F_s v/v_s brings the velocity to zero instead; at rest eq 6 holds to the letter.
 * There is no chatter at the edge of the band: no load drives the velocity towards it from both
 * sides.
 *
 * Separated (N <= 0): F = 0. F has the sign of the sliding velocity and is subtracted from the
 * body's equation of motion.
 */
#include "Karnopp.h"
#include "common/direction.h"
#include "common/heat.h"
#include "common/scalar.h"
#include "common/stick_force.h"
#include "common/velocity_band.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    double F = 0;
    if (u->N > 0) {
        if (m->mode == MODE_STICK) F = stick_force(p, p->mu_s * u->N, p->v_s, u->v, u->F_ext);
        if (m->mode == MODE_SLIP) F = copysign(limit_towards(p, p->mu_d * u->N, u->v), u->v);
    }
    contact_outputs(u, F, u->v, y);
    heat_output(0, y);
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)x;
    band_indicators(u, m->mode, p->v_s, g);
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)x;
    m->mode = band_mode(u, m->mode, p->v_s);
    return 0;
}
