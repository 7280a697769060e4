/* What the systems of one mass on a plate or a belt have in common:
 *
 *     dx/dt   = v
 *     m dv/dt = F_E - F             F_E: applied_force, F: friction force
 *
 * The contact has the inputs normalForce m g, relativeVelocity v - v_b (v_b: counterpart_velocity,
 * constant) and externalForce F_E, the friction force that would keep the mass at rest against its
 * counterpart.
 *
 * A system includes this, gives the two functions declared here, and has mass and gravity as its
 * first parameters.
 */
#ifndef ONE_MASS_H
#define ONE_MASS_H

#include <math.h>
#include <stddef.h>

#include "system.h"

enum { POSITION, VELOCITY };
enum { MASS, GRAVITY, OWN_PARAMETERS };
enum { NORMAL_FORCE, RELATIVE_VELOCITY, EXTERNAL_FORCE };

static double applied_force(const Instant *m, const double *x);
static double counterpart_velocity(const Instant *m);

static const Quantity one_mass_states[] = {
    [POSITION] = {"position", "m", 1e-3, "Position of the mass"},
    [VELOCITY] = {"velocity", "m/s", 1e-2, "Velocity of the mass"},
    {NULL, NULL, 0, NULL},
};

static const char *const one_mass_offers[] = {"normalForce", "relativeVelocity", "externalForce",
                                              NULL};
static const char *const one_mass_needs[] = {"frictionForce", NULL};

static void one_mass_inputs(const Instant *m, const double *x, double *u) {
    u[NORMAL_FORCE] = m->p[MASS] * m->p[GRAVITY];
    u[RELATIVE_VELOCITY] = x[VELOCITY] - counterpart_velocity(m);
    u[EXTERNAL_FORCE] = applied_force(m, x);
}

static void one_mass_rates(const Instant *m, const double *x, const double *y, double *dx) {
    dx[POSITION] = x[VELOCITY];
    dx[VELOCITY] = (applied_force(m, x) - y[0]) / m->p[MASS];
}

/* The one output of these systems. */
static void one_mass_results(const Instant *m, const double *x, const double *y, double *outputs) {
    (void)y;
    outputs[0] = applied_force(m, x);
}

static inline double kinetic_energy(const Instant *m, const double *x) {
    return 0.5 * m->p[MASS] * x[VELOCITY] * x[VELOCITY];
}

#endif
