/* stack: three bodies on top of each other, the top one on a spring.
 * Pennestri 2016, section 3.2
 *
 *     m_1 dv_1/dt = -k x_1 - F_1              F_1: top contact, velocity v_1 - v_2, carries m_1
 *     m_2 dv_2/dt =  F_1 - F_2                F_2: middle,             v_2 - v_3,   m_1 + m_2
 *     m_3 dv_3/dt =  F_2 - F_3                F_3: bottom, on the ground, v_3,      m_1 + m_2 + m_3
 *
 * x_1(0) = 1 m, all at rest. mu_s = 0.75, 0.15, 0.30 and mu_d = 0.5, 0.1, 0.2 give the printed
 * forces.
 *
 * Answer: after about 3 s the bodies stick to each other and to the ground; a model without stick
 * creeps back to x_1 = 0. The force that keeps a contact at rest depends on the other friction
 * forces; the paper leaves Karnopp's model out for that reason, and no externalForce is offered
 * here.
 */
#include <stddef.h>

#include "system.h"

enum { X1, X2, X3, V1, V2, V3 };
enum { MASS1, MASS2, MASS3, GRAVITY, STIFFNESS, OFFSET };
enum { TOP, MIDDLE, BOTTOM };
enum { NORMAL_FORCE, RELATIVE_VELOCITY, N_OFFERS };

static const char *const offers[] = {"normalForce", "relativeVelocity", NULL};
static const char *const needs[] = {"frictionForce", NULL};

static void start(const double *p, double *x) {
    for (int i = X1; i <= V3; i++) x[i] = 0;
    x[X1] = p[OFFSET];
}

static void inputs(const Instant *m, const double *x, double *u) {
    const double *p = m->p;
    double *top = u + TOP * N_OFFERS, *middle = u + MIDDLE * N_OFFERS,
           *bottom = u + BOTTOM * N_OFFERS;
    top[NORMAL_FORCE] = p[MASS1] * p[GRAVITY];
    middle[NORMAL_FORCE] = (p[MASS1] + p[MASS2]) * p[GRAVITY];
    bottom[NORMAL_FORCE] = (p[MASS1] + p[MASS2] + p[MASS3]) * p[GRAVITY];
    top[RELATIVE_VELOCITY] = x[V1] - x[V2];
    middle[RELATIVE_VELOCITY] = x[V2] - x[V3];
    bottom[RELATIVE_VELOCITY] = x[V3];
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    const double *p = m->p;
    for (int i = 0; i < 3; i++) dx[X1 + i] = x[V1 + i];
    dx[V1] = (-p[STIFFNESS] * x[X1] - y[TOP]) / p[MASS1];
    dx[V2] = (y[TOP] - y[MIDDLE]) / p[MASS2];
    dx[V3] = (y[MIDDLE] - y[BOTTOM]) / p[MASS3];
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    (void)y;
    const double *p = m->p;
    outputs[0] = -p[STIFFNESS] * x[X1];
    outputs[1] =
        0.5 * (p[MASS1] * x[V1] * x[V1] + p[MASS2] * x[V2] * x[V2] + p[MASS3] * x[V3] * x[V3]);
    outputs[2] = 0.5 * p[STIFFNESS] * x[X1] * x[X1];
}

const System system_stack = {
    .name = "stack",
    .title = "Three bodies on top of each other, the top one on a spring",
    .source = "Pennestri et al. 2016, section 3.2",
    .stop = 10,
    .interval = 5e-3,
    .parameters =
        PARAMETERS([MASS1] = {"mass1", "kg", 2, POSITIVE, "Mass of the top body"},
                   [MASS2] = {"mass2", "kg", 2, POSITIVE, "Mass of the middle body"},
                   [MASS3] = {"mass3", "kg", 2, POSITIVE, "Mass of the bottom body"},
                   [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                   [STIFFNESS] = {"springStiffness", "N/m", 30, NOT_NEGATIVE,
                                  "Stiffness of the spring at the top body"},
                   [OFFSET] = {"offset", "m", 1, ANY, "Position of the top body at the beginning"}),
    .states = QUANTITIES([X1] = {"position1", "m", 0.1, "Position of the top body"},
                         [X2] = {"position2", "m", 0.1, "Position of the middle body"},
                         [X3] = {"position3", "m", 0.1, "Position of the bottom body"},
                         [V1] = {"velocity1", "m/s", 0.1, "Velocity of the top body"},
                         [V2] = {"velocity2", "m/s", 0.1, "Velocity of the middle body"},
                         [V3] = {"velocity3", "m/s", 0.1, "Velocity of the bottom body"}),
    .outputs = QUANTITIES({"springForce", "N", 1, "Force of the spring on the top body"},
                          {"kineticEnergy", "J", 1, "Kinetic energy of the three bodies"},
                          {"potentialEnergy", "J", 1, "Energy of the spring"}),
    .contacts = CONTACTS([TOP] = {"top", "pennestri2016_3dof_contact1", offers, needs},
                         [MIDDLE] = {"middle", "pennestri2016_3dof_contact2", offers, needs},
                         [BOTTOM] = {"bottom", "pennestri2016_3dof_contact3", offers, needs}),
    .start = start,
    .inputs = inputs,
    .rates = rates,
    .results = results,
};
