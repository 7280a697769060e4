/* bounce: a body falls on a surface and bounces.
 *
 *     dh/dt   = v
 *     m dv/dt = N - m g             h: height above the surface, N: normal force
 *
 * The contact is given the penetration -h and its rate -v, and answers with N. The body falls from
 * so low that the stiff contact of flat surfaces, that of Colantonio's cube, bears it with some
 * hundred newtons.
 *
 * Answer: between two contacts a parabola; without damping the body comes back to where it fell
 * from. At last it rests where N = m g.
 */
#include <stddef.h>

#include "system.h"

enum { HEIGHT, VELOCITY };
enum { MASS, GRAVITY, FALL };
enum { PENETRATION, PENETRATION_RATE };

static void start(const double *p, double *x) {
    x[HEIGHT] = p[FALL];
    x[VELOCITY] = 0;
}

static void inputs(const Instant *m, const double *x, double *u) {
    (void)m;
    u[PENETRATION] = -x[HEIGHT];
    u[PENETRATION_RATE] = -x[VELOCITY];
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    dx[HEIGHT] = x[VELOCITY];
    dx[VELOCITY] = y[0] / m->p[MASS] - m->p[GRAVITY];
}

const System system_bounce = {
    .name = "bounce",
    .title = "A body falls on a surface and bounces",
    .source = "A test of the normal force alone",
    .stop = 0.03,
    .interval = 1e-5,
    .parameters = PARAMETERS([MASS] = {"mass", "kg", 1, POSITIVE, "Mass"},
                             [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                             [FALL] = {"fall", "m", 1e-5, ANY, "Height at the beginning"}),
    .states = QUANTITIES([HEIGHT] = {"height", "m", 1e-7, "Height above the surface"},
                         [VELOCITY] = {"velocity", "m/s", 1e-4, "Velocity, upwards"}),
    .contacts = CONTACTS({"surface", "colantonio2022_cube", NAMES("penetration", "penetrationRate"),
                          NAMES("normalForce")}),
    .start = start,
    .inputs = inputs,
    .rates = rates,
};
