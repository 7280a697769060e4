/* throw: a body is thrown flat on a plane, bounces and slides to rest.
 *
 *     dx/dt = v,   dh/dt = w
 *     m dv/dt = F_x                 x: along the plane, h: height above it
 *     m dw/dt = F_h - m g           F: contact force on the body
 *
 * The contact is given the point (x, 0, h), its velocity (v, 0, w) and the plane z = 0, and answers
 * with the force.
 *
 * Answer: in flight F = 0. Each bounce slows the body by friction, about mu times the change of w;
 * over all bounces as much as sliding does in the same time, since the mean of N is m g. At last
 * the body sticks where N = m g.
 */
#include <stddef.h>

#include "contact_point.h"
#include "system.h"

enum { X, HEIGHT, VX, VZ };
enum { MASS, GRAVITY, FALL, SPEED };

static const char *const needs[] = {"contactForce[1]", "contactForce[3]", NULL};

static void start(const double *p, double *x) {
    x[X] = x[VZ] = 0;
    x[HEIGHT] = p[FALL];
    x[VX] = p[SPEED];
}

static void inputs(const Instant *m, const double *x, double *u) {
    (void)m;
    for (int i = 0; i < N_OFFERS; i++) u[i] = 0;
    u[POINT] = x[X];
    u[POINT + 2] = x[HEIGHT];
    u[NORMAL + 2] = 1;
    u[VELOCITY] = x[VX];
    u[VELOCITY + 2] = x[VZ];
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    dx[X] = x[VX];
    dx[HEIGHT] = x[VZ];
    dx[VX] = y[0] / m->p[MASS];
    dx[VZ] = y[1] / m->p[MASS] - m->p[GRAVITY];
}

const System system_throw = {
    .name = "throw",
    .title = "A body is thrown flat on a plane, bounces and slides to rest",
    .source = "A test of normal force and friction together",
    .stop = 1.2,
    .interval = 5e-4,
    .parameters =
        PARAMETERS([MASS] = {"mass", "kg", 1, POSITIVE, "Mass"},
                   [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                   [FALL] = {"fall", "m", 0.02, ANY, "Height at the beginning"},
                   [SPEED] = {"speed", "m/s", 1, ANY, "Speed along the plane at the beginning"}),
    .states = QUANTITIES([X] = {"position", "m", 1e-5, "Position along the plane"},
                         [HEIGHT] = {"height", "m", 1e-7, "Height above the plane"},
                         [VX] = {"velocity", "m/s", 1e-4, "Velocity along the plane"},
                         [VZ] = {"verticalVelocity", "m/s", 1e-4, "Velocity, upwards"}),
    .contacts = CONTACTS({"plane", NULL, contact_point_inputs, needs}),
    .start = start,
    .inputs = inputs,
    .rates = rates,
};
