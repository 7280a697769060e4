/* worm: a load on a drum behind a worm gear. The motor lifts it and is switched off.
 *
 *     dx/dt = v                              x: height of the load
 *     M dv/dt = D(t) - F - T                 rotor as a mass at the drum; drive D, rope T
 *     m dv/dt = T - m g                      load
 *
 *     D = D_0 sin^2(pi t/t_0) until t_0, then 0
 *
 * The gear transmits the torque r T at the speed v/r; GearLoad makes the normal force of friction
 * from it, by the efficiencies of a data sheet. Friction brakes the load, which changes T: an
 * algebraic loop. It has a solution while the gear absorbs less than (M + m)/m of what it
 * transmits.
 *
 * Answer where friction has one coefficient, that of GearLoad: F = (1/e_f - 1) T while the load
 * rises and F = -(1 - e_b) T while it sinks. With e_b <= 0 the gear locks itself: the load stays
 * where the motor has left it. tests/tools/test_loads.py has an independent solution.
 */
#include <math.h>
#include <stddef.h>

#include "system.h"

enum { POSITION, VELOCITY };
enum { LOAD_MASS, ROTOR_MASS, GRAVITY, RADIUS, DRIVE, DURATION, FORWARD, BACKWARD, FRICTION };
enum { GEAR, LOAD }; /* the contacts */
enum {
    NORMAL_FORCE,
    RELATIVE_VELOCITY,
    EXTERNAL_FORCE,
    TORQUE,
    TURNING
};                               /* inputs of the contacts */
enum { FRICTION_FORCE, NORMAL }; /* and their outputs */

static double weight(const double *p) {
    return p[LOAD_MASS] * p[GRAVITY];
}

/* What moves rotor and load without friction. */
static double applied_force(const Instant *m) {
    const double pull = m->phase > 0 ? 0 : sin(PI * m->t / m->p[DURATION]);
    return m->p[DRIVE] * pull * pull - weight(m->p);
}

static double acceleration(const Instant *m, double friction) {
    return (applied_force(m) - friction) / (m->p[ROTOR_MASS] + m->p[LOAD_MASS]);
}

static double rope_force(const Instant *m, double friction) {
    return weight(m->p) + m->p[LOAD_MASS] * acceleration(m, friction);
}

static void inputs(const Instant *m, const double *x, double *u) {
    u[NORMAL_FORCE] = weight(m->p);
    u[RELATIVE_VELOCITY] = x[VELOCITY];
    u[EXTERNAL_FORCE] = applied_force(m);
    u[TORQUE] = m->p[RADIUS] * weight(m->p);
    u[TURNING] = x[VELOCITY] / m->p[RADIUS];
}

static void loads(const Instant *m, const double *x, const double *y, double *u) {
    (void)x;
    u[NORMAL_FORCE] = y[NORMAL];
    u[TORQUE] = m->p[RADIUS] * rope_force(m, y[FRICTION_FORCE]);
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    dx[POSITION] = x[VELOCITY];
    dx[VELOCITY] = acceleration(m, y[FRICTION_FORCE]);
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    const double rope = rope_force(m, y[FRICTION_FORCE]);
    outputs[0] = rope;
    outputs[1] =
        rope * (x[VELOCITY] > 0 ? 1 / m->p[FORWARD] - 1 : -(1 - m->p[BACKWARD])); /* of the sheet */
}

static double event_time(const Instant *m) {
    return m->phase > 0 ? INFINITY : m->p[DURATION];
}

const System system_worm = {
    .name = "worm",
    .title = "A load that a worm gear lifts, and then holds or lets down",
    .source = "A test of GearLoad and friction together; the efficiencies of a data sheet",
    .stop = 3,
    .interval = 5e-3,
    .parameters = PARAMETERS(
        [LOAD_MASS] = {"loadMass", "kg", 10, POSITIVE, "Mass of the load"},
        [ROTOR_MASS] = {"rotorMass", "kg", 90, POSITIVE,
                        "Inertia of rotor and worm, as a mass at the drum"},
        [GRAVITY] = {"gravity", "m/s2", 9.81, POSITIVE, "Gravity"},
        [RADIUS] = {"frictionRadius", "m", 0.1, POSITIVE, "Radius of the drum"},
        [DRIVE] = {"driveForce", "N", 400, ANY, "Largest force of the motor, at the drum"},
        [DURATION] = {"driveDuration", "s", 1, POSITIVE, "Time after which the motor is off"},
        [FORWARD] = {"forwardEfficiency", "1", 0.8, POSITIVE,
                     "Efficiency of the gear while it lifts the load"},
        [BACKWARD] = {"backwardEfficiency", "1", 0.7, ANY,
                      "Efficiency while the load drives back; zero or negative: it locks"},
        [FRICTION] = {"dynamicFriction", "1", 0.3, POSITIVE,
                      "Dynamic friction that GearLoad divides by: that of the friction element"}),
    .states = QUANTITIES([POSITION] = {"position", "m", 1e-3, "Height of the load"},
                         [VELOCITY] = {"velocity", "m/s", 1e-2, "Velocity of the load"}),
    .outputs = QUANTITIES(
        {"ropeForce", "N", 1, "Force of the rope on the load, which the gear transmits"},
        {"ratedFriction", "N", 1, "Friction that the efficiencies mean while the load moves"}),
    .contacts =
        CONTACTS([GEAR] = {"gear", NULL, NAMES("normalForce", "relativeVelocity", "externalForce"),
                           NAMES("frictionForce")},
                 [LOAD] = {"load", NULL, NAMES("transmittedTorque", "relativeAngularVelocity"),
                           NAMES("normalForce")}),
    .beside = (const char *const[]){[GEAR] = "%", [LOAD] = "GearLoad"},
    .shared =
        (const Shared[]){
            {RADIUS, LOAD}, {FORWARD, LOAD}, {BACKWARD, LOAD}, {FRICTION, LOAD}, {-1, -1}},
    .inputs = inputs,
    .loads = loads,
    .rates = rates,
    .results = results,
    .event_time = event_time,
};
