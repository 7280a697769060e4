/* PinLoad: the normal force for the friction of a joint, from its reactions: a pin in a hole
 * (revolute, cylindrical, universal) or a ball in its socket.
 *
 *     N = F_r + F_a R_n/R_p + M_b/R_b       pin; axis 3 is that of the pin
 *     N = |F|                               ball
 *
 *     F_r = sqrt(F_1^2 + F_2^2),  F_a = |F_3|,  M_b = sqrt(M_1^2 + M_2^2)
 *
 * With the friction force mu N at the radius R_p the axial force acts at the friction arm R_n, and
 * a bending moment is carried by two forces at the bending arm R_b.
 */
#include "PinLoad.h"
#include "common/load.h"

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)x;
    (void)dx;
    const double w = p->w;
    const double F_r = smooth_magnitude(u->F[0], u->F[1], w);
    const double F_a = smooth_magnitude(u->F[2], 0, w);
    const double M_b = smooth_magnitude(u->M[0], u->M[1], w * p->R_b);
    const int ball = m->joint == JOINT_BALL;
    y->N_r = 0;
    y->N_a = 0;
    y->N_b = 0;
    if (m->force == FORCE_ON && ball) {
        const Vector all = {length(vector(u->F)), w, 0};
        y->N_r = length(all) - w;
    }
    if (m->force == FORCE_ON && !ball) {
        y->N_r = F_r;
        y->N_a = F_a * p->R_n / p->R_p;
    }
    if (m->bending == BENDING_ON && !ball) y->N_b = M_b / p->R_b;
    y->N = y->N_r + y->N_a + y->N_b;
    y->r = p->R_p;
}
