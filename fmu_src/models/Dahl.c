/* Dahl: Coulomb friction whose force turns round over a path instead of at once.
 *
 *     F     = sigma0 z                                                          Pennestri et al. 2016, eq 7
 *     dz/dt = v sgn(w) |w|^delta_D,   w = 1 - sgn(v) sigma0 z/F_d               eq 8 in the form of Piatkowski 2014, eq 2
 *
 * with F_d = mu_d N. The force is a function of the path alone, not of the speed.
 *
 * Separated (N <= 0): F = 0 and the bristles relax, dz/dt = -z/tau_r (they have no damping that would say how fast).
 * F has the sign of the sliding velocity and is subtracted from the body's equation of motion.
 *
 * Not modelled: static friction above the dynamic one, the Stribeck curve, damping, stick without drift.
 */
#include "Dahl.h"
#include "common/contact.h"
#include "common/dahl_bristle.h"
#include "common/heat.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m, States *dx, Outputs *y) {
    (void)m;
    double F = 0;
    dx->z = -x->z / p->tau_r;
    if (u->N > 0) {
        const double z_max = saturation_length(p->mu_d * u->N, p->sigma0, p->tau_r, u->v);
        dx->z = dahl_rate(z_max, p->delta_D, u->v, x->z);
        F = p->sigma0 * x->z;
    }
    contact_outputs(u, F, u->v - dx->z, y);
    heat_output(p->sigma0 * x->z * dx->z, y);
}
