/* What the systems with a prescribed velocity have in common: nothing moves but by the drive, the
 * states only record it.
 *
 *     dx/dt = v(t)             displacement
 *     dW/dt = F v(t)           work that the element absorbs
 *
 * The drive moves whatever the friction is. An element with the input externalForce, the force
 * that tries to move the body, has one in the direction of the motion that no friction
 * withstands: ten times the normal force.
 */
#ifndef DRIVEN_H
#define DRIVEN_H

#include <math.h>
#include <stddef.h>

#include "system.h"

enum { DISPLACEMENT, WORK };
enum { NORMAL_FORCE, RELATIVE_VELOCITY, EXTERNAL_FORCE };

static double drive_velocity(const Instant *m);
static double normal_force_of(const Instant *m);

static const Quantity driven_states[] = {
    [DISPLACEMENT] = {"displacement", "m", 1e-4, "Displacement since the beginning"},
    [WORK] = {"work", "J", 1e-3, "Work of the drive against friction"},
    {NULL, NULL, 0, NULL},
};

static const char *const driven_offers[] = {"normalForce", "relativeVelocity", "externalForce",
                                            NULL};
static const char *const driven_needs[] = {"frictionForce", NULL};

static void driven_inputs(const Instant *m, const double *x, double *u) {
    (void)x;
    const double v = drive_velocity(m);
    u[NORMAL_FORCE] = normal_force_of(m);
    u[RELATIVE_VELOCITY] = v;
    u[EXTERNAL_FORCE] = 10 * fabs(u[NORMAL_FORCE]) * ((v > 0) - (v < 0));
}

static void driven_rates(const Instant *m, const double *x, const double *y, double *dx) {
    (void)x;
    const double v = drive_velocity(m);
    dx[DISPLACEMENT] = v;
    dx[WORK] = y[0] * v;
}

#endif
