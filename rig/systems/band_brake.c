/* band_brake: a band around a drum lets a load go down and catches it again.
 *
 *     dx/dt = v                              x: distance of the drum at its circumference
 *     J/r^2 dv/dt = F_E - F                  F_E: load at the circumference, F: friction
 *
 *     T = T_0 (1 + a cos(2 pi f t))          tension of the end that is pulled
 *
 * This end is the slack one while the drum turns in the positive direction. WrapLoad makes the
 * normal force of friction from its tension and the angle w of contact.
 *
 * Answer where friction has one coefficient mu, that of WrapLoad: while the drum slides, the other
 * end has the tension of Euler and Eytelwein, T e^(mu w). In the negative direction it has
 * T e^(-mu w) if friction has e^(-mu w) as its backwardFrictionRatio. tests/tools/test_loads.py has
 * an independent solution.
 */
#include <math.h>
#include <stddef.h>

#include "system.h"

enum { POSITION, VELOCITY };
enum { INERTIA, RADIUS, TENSION, SHARE, FREQUENCY, WRAP, LOAD_FORCE, FRICTION };
enum { DRUM, BAND }; /* the contacts */
enum {
    NORMAL_FORCE,
    RELATIVE_VELOCITY,
    EXTERNAL_FORCE,
    SLACK_TENSION,
    WRAP_ANGLE
};                               /* inputs of the contacts */
enum { FRICTION_FORCE, NORMAL }; /* and their outputs */

static double tension(const Instant *m) {
    const double *p = m->p;
    return p[TENSION] * (1 + p[SHARE] * cos(2 * PI * p[FREQUENCY] * m->t));
}

static void inputs(const Instant *m, const double *x, double *u) {
    u[NORMAL_FORCE] = tension(m);
    u[RELATIVE_VELOCITY] = x[VELOCITY];
    u[EXTERNAL_FORCE] = m->p[LOAD_FORCE];
    u[SLACK_TENSION] = tension(m);
    u[WRAP_ANGLE] = m->p[WRAP];
}

static void loads(const Instant *m, const double *x, const double *y, double *u) {
    (void)m;
    (void)x;
    u[NORMAL_FORCE] = y[NORMAL];
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    const double *p = m->p;
    dx[POSITION] = x[VELOCITY];
    dx[VELOCITY] = (p[LOAD_FORCE] - y[FRICTION_FORCE]) * p[RADIUS] * p[RADIUS] / p[INERTIA];
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    const double side = x[VELOCITY] < 0 ? -1 : 1;
    outputs[0] = tension(m) + y[FRICTION_FORCE];
    outputs[1] = tension(m) * exp(side * m->p[FRICTION] * m->p[WRAP]);
}

const System system_band_brake = {
    .name = "band_brake",
    .title = "A band brake that lets a load down and catches it",
    .source = "A test of WrapLoad and friction together; Euler's law of the rope",
    .stop = 4,
    .interval = 5e-3,
    .parameters = PARAMETERS(
        [INERTIA] = {"inertia", "kg.m2", 0.5, POSITIVE, "Moment of inertia of drum and load"},
        [RADIUS] = {"drumRadius", "m", 0.1, POSITIVE, "Radius of the drum"},
        [TENSION] = {"bandTension", "N", 20, NOT_NEGATIVE,
                     "Mean tension of the end that is slack in the positive direction"},
        [SHARE] = {"tensionSwing", "1", 0.8, NOT_NEGATIVE,
                   "Amplitude of that tension over its mean"},
        [FREQUENCY] = {"frequency", "Hz", 0.5, NOT_NEGATIVE, "Frequency of that tension"},
        [WRAP] = {"wrapAngle", "rad", 4.71238898038469, NOT_NEGATIVE,
                  "Angle of contact between band and drum"},
        [LOAD_FORCE] = {"loadForce", "N", 50, ANY, "Load, as a force at the circumference"},
        [FRICTION] = {"dynamicFriction", "1", 0.3, POSITIVE,
                      "Friction that WrapLoad has for the band: that of the friction element"}),
    .states = QUANTITIES([POSITION] = {"position", "m", 1e-3, "Displacement of the circumference"},
                         [VELOCITY] = {"velocity", "m/s", 1e-2, "Velocity of the circumference"}),
    .outputs = QUANTITIES(
        {"otherTension", "N", 1, "Tension of the other end of the band"},
        {"eulerTension", "N", 1, "The same by Euler's law, which holds while the drum slides"}),
    .contacts =
        CONTACTS([DRUM] = {"drum", NULL, NAMES("normalForce", "relativeVelocity", "externalForce"),
                           NAMES("frictionForce")},
                 [BAND] = {"band", NULL, NAMES("slackTension", "wrapAngle"), NAMES("normalForce")}),
    .beside = (const char *const[]){[DRUM] = "%", [BAND] = "WrapLoad"},
    .shared = (const Shared[]){{FRICTION, BAND}, {-1, -1}},
    .inputs = inputs,
    .loads = loads,
    .rates = rates,
    .results = results,
};
