/* joint: an axis of a robot: motor with its drive, elastic gear, link under gravity; friction at
 * the motor.
 * Spong 1987, and Modelica Standard Library, MultiBody.Examples.Systems.RobotR3.OneAxis
 *
 *     J d2f/dt2 = k I - b df/dt - T - M             f: motor, T: friction torque of the element
 *     J_l d2q/dt2 = n M - m g l sin q               q: link, hanging down at q = 0;  J_l = m l^2
 *     M = c (f - n q) + d (df/dt - n dq/dt)         torque of the gear on the motor's side, ratio n
 *
 *     L dI/dt = V - R I - k df/dt             current, with L = R/(2 D w) and the controller
 *     dV/dt   = R w/(2 D) (I_r - I)           of the current, together a lag (w, D) of second order
 *     I_r = k_s (e + z/T_s),   dz/dt = e,   e = k_p (n q_r - f) + n dq_r/dt - df/dt   P-PI cascade
 *
 * The reference q_r moves from startAngle to endAngle as fast as speed and acceleration allow: it
 * accelerates, moves steadily and brakes. At the beginning all is at rest, and the gear bears the
 * weight of the link. With the gain k_s = 0 the drive is dead, and the link hangs on the friction
 * of its motor alone. Spong's are the equations of motor, gear and link; all numbers are those of
 * the second axis in the library's robot r3. Its OneAxis has no gravity (gravity=0); m g l is ours,
 * with the load at its radius of gyration. The viscous part b of its bearing friction belongs to
 * the system, so that any law gives the remainder, 0.5 N.m: a normal force of 100 N, a coefficient
 * of 0.25, a radius of 20 mm (only the product is the library's).
 *
 * Answer: without drive the link stays where |m g l sin q| <= n T_s, and comes to rest there; with
 * it, the moments at which the motor sticks and the overshoot of the library's regression test, in
 * site/bristle_site/report/papers.toml.
 */
#include <math.h>
#include <stddef.h>

#include "system.h"

enum { MOTOR, LINK, MOTOR_SPEED, LINK_SPEED, CURRENT, VOLTAGE, INTEGRAL, LOSS };
enum { MASS, RADIUS, GRAVITY, INERTIA, RATIO, STIFFNESS, DAMPING, VISCOUS, NORMAL };
enum {
    GAIN = NORMAL + 1,
    RESISTANCE,
    LAG,
    LAG_DAMPING,
    POSITION_GAIN,
    SPEED_GAIN,
    INTEGRATOR_TIME
};
enum { START_ANGLE = INTEGRATOR_TIME + 1, END_ANGLE, SPEED_LIMIT, ACCELERATION_LIMIT };
enum { NORMAL_FORCE, ANGULAR_VELOCITY, EXTERNAL_TORQUE };

static const char *const offers[] = {"normalForce", "relativeAngularVelocity", "externalTorque",
                                     NULL};
static const char *const needs[] = {"frictionTorque", NULL};

static double weight(const double *p, double q) {
    return p[MASS] * p[GRAVITY] * p[RADIUS] * sin(q);
}

static void start(const double *p, double *x) {
    for (int i = 0; i <= LOSS; i++) x[i] = 0;
    x[LINK] = p[START_ANGLE];
    x[MOTOR] = p[RATIO] * p[START_ANGLE];
    if (p[STIFFNESS] > 0) x[MOTOR] += weight(p, p[START_ANGLE]) / (p[RATIO] * p[STIFFNESS]);
}

/* Duration of the acceleration, and time at which braking begins. */
static double rise_time(const double *p) {
    const double distance = fabs(p[END_ANGLE] - p[START_ANGLE]);
    return fmin(p[SPEED_LIMIT] / p[ACCELERATION_LIMIT], sqrt(distance / p[ACCELERATION_LIMIT]));
}

static double brake_time(const double *p) {
    const double distance = fabs(p[END_ANGLE] - p[START_ANGLE]), rise = rise_time(p);
    return rise > 0 ? distance / (p[ACCELERATION_LIMIT] * rise) : 0;
}

static void find_reference(const Instant *m, double *q, double *speed) {
    const double *p = m->p;
    const double direction = p[END_ANGLE] < p[START_ANGLE] ? -1 : 1;
    const double acceleration = direction * p[ACCELERATION_LIMIT], rise = rise_time(p);
    const double left = brake_time(p) + rise - m->t; /* time to the end */
    if (m->phase == 0) {
        *speed = acceleration * m->t;
        *q = p[START_ANGLE] + 0.5 * acceleration * m->t * m->t;
    } else if (m->phase == 1) {
        *speed = acceleration * rise;
        *q = p[START_ANGLE] + *speed * (m->t - 0.5 * rise);
    } else {
        *speed = m->phase == 2 ? acceleration * left : 0;
        *q = p[END_ANGLE] - 0.5 * *speed * left;
    }
}

static double event_time(const Instant *m) {
    const double rise = rise_time(m->p), brake = brake_time(m->p);
    const double times[] = {rise, brake, brake + rise};
    return m->phase < 3 ? times[m->phase] : INFINITY;
}

static double gear_torque(const double *p, const double *x) {
    return p[STIFFNESS] * (x[MOTOR] - p[RATIO] * x[LINK]) +
           p[DAMPING] * (x[MOTOR_SPEED] - p[RATIO] * x[LINK_SPEED]);
}

/* The torque on the motor without friction. */
static double motor_torque(const double *p, const double *x) {
    return p[GAIN] * x[CURRENT] - p[VISCOUS] * x[MOTOR_SPEED] - gear_torque(p, x);
}

static void inputs(const Instant *m, const double *x, double *u) {
    u[NORMAL_FORCE] = m->p[NORMAL];
    u[ANGULAR_VELOCITY] = x[MOTOR_SPEED];
    u[EXTERNAL_TORQUE] = motor_torque(m->p, x);
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    const double *p = m->p;
    double reference, reference_speed;
    find_reference(m, &reference, &reference_speed);
    const double error = p[POSITION_GAIN] * (p[RATIO] * reference - x[MOTOR]) +
                         p[RATIO] * reference_speed - x[MOTOR_SPEED];
    const double wanted = p[SPEED_GAIN] * (error + x[INTEGRAL] / p[INTEGRATOR_TIME]);
    dx[MOTOR] = x[MOTOR_SPEED];
    dx[LINK] = x[LINK_SPEED];
    dx[MOTOR_SPEED] = (motor_torque(p, x) - y[0]) / p[INERTIA];
    dx[LINK_SPEED] =
        (p[RATIO] * gear_torque(p, x) - weight(p, x[LINK])) / (p[MASS] * p[RADIUS] * p[RADIUS]);
    dx[CURRENT] = (x[VOLTAGE] - p[RESISTANCE] * x[CURRENT] - p[GAIN] * x[MOTOR_SPEED]) * 2 *
                  p[LAG_DAMPING] * p[LAG] / p[RESISTANCE];
    dx[VOLTAGE] = p[RESISTANCE] * p[LAG] / (2 * p[LAG_DAMPING]) * (wanted - x[CURRENT]);
    dx[INTEGRAL] = error;
    dx[LOSS] = y[0] * x[MOTOR_SPEED];
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    (void)y;
    const double *p = m->p;
    double speed;
    const double turn = x[MOTOR] - p[RATIO] * x[LINK];
    find_reference(m, &outputs[0], &speed);
    outputs[1] = p[GAIN] * x[CURRENT];
    outputs[2] = p[RATIO] * gear_torque(p, x);
    outputs[3] = turn;
    outputs[4] = 0.5 * p[INERTIA] * x[MOTOR_SPEED] * x[MOTOR_SPEED] +
                 0.5 * p[MASS] * p[RADIUS] * p[RADIUS] * x[LINK_SPEED] * x[LINK_SPEED];
    outputs[5] =
        0.5 * p[STIFFNESS] * turn * turn + p[MASS] * p[GRAVITY] * p[RADIUS] * (1 - cos(x[LINK]));
}

const System system_joint = {
    .name = "joint",
    .title = "Axis of a robot: motor with its drive, elastic gear, link under gravity",
    .source =
        "Spong 1987; Modelica Standard Library 4.0.0, MultiBody.Examples.Systems.RobotR3.OneAxis",
    .stop = 1.5,
    .interval = 1e-3,
    .parameters =
        PARAMETERS([MASS] = {"mass", "kg", 15, POSITIVE, "Mass of the link"},
                   [RADIUS] = {"radius", "m", 1.14, POSITIVE, "Distance of the mass from the axis"},
                   [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                   [INERTIA] = {"motorInertia", "kg.m2", 0.0013, POSITIVE,
                                "Moment of inertia of the motor"},
                   [RATIO] = {"ratio", "1", 210, POSITIVE,
                              "Turns of the motor for one of the link"},
                   [STIFFNESS] = {"gearStiffness", "N.m/rad", 8, NOT_NEGATIVE,
                                  "Stiffness of the gear, on the motor's side"},
                   [DAMPING] = {"gearDamping", "N.m.s/rad", 0.01, NOT_NEGATIVE,
                                "Damping of the gear, on the motor's side"},
                   [VISCOUS] = {"bearingDamping", "N.m.s/rad", 0.1 / 130, NOT_NEGATIVE,
                                "Viscous friction at the motor"},
                   [NORMAL] = {"normalForce", "N", 100, NOT_NEGATIVE,
                               "Normal force of the friction at the motor"},
                   [GAIN] = {"motorConstant", "N.m/A", 1.1616, NOT_NEGATIVE,
                             "Torque of the motor per current"},
                   [RESISTANCE] = {"resistance", "Ohm", 250, POSITIVE, "Resistance of the motor"},
                   [LAG] = {"currentRate", "rad/s", 5500, POSITIVE,
                            "Natural frequency of the controlled current"},
                   [LAG_DAMPING] = {"currentDamping", "1", 0.6, POSITIVE,
                                    "Damping ratio of the controlled current"},
                   [POSITION_GAIN] = {"positionGain", "1/s", 5, NOT_NEGATIVE,
                                      "Gain of the position controller"},
                   [SPEED_GAIN] = {"speedGain", "A.s/rad", 0.5, NOT_NEGATIVE,
                                   "Gain of the speed controller; 0: no drive"},
                   [INTEGRATOR_TIME] = {"integratorTime", "s", 0.05, POSITIVE,
                                        "Integrator time of the speed controller"},
                   [START_ANGLE] = {"startAngle", "rad", 0, ANY,
                                    "Angle of the link at the beginning"},
                   [END_ANGLE] = {"endAngle", "rad", 2.0943951023931953, ANY,
                                  "Final angle of the reference"},
                   [SPEED_LIMIT] = {"speedLimit", "rad/s", 3, POSITIVE,
                                    "Largest speed of the reference"},
                   [ACCELERATION_LIMIT] = {"accelerationLimit", "rad/s2", 10, POSITIVE,
                                           "Largest acceleration of the reference"}),
    .states =
        QUANTITIES([MOTOR] = {"motorAngle", "rad", 1, "Angle of the motor"},
                   [LINK] = {"linkAngle", "rad", 0.01, "Angle of the link, hanging down at 0"},
                   [MOTOR_SPEED] = {"motorSpeed", "rad/s", 1, "Angular velocity of the motor"},
                   [LINK_SPEED] = {"linkSpeed", "rad/s", 0.01, "Angular velocity of the link"},
                   [CURRENT] = {"current", "A", 0.1, "Current of the motor"},
                   [VOLTAGE] = {"voltage", "V", 10, "Voltage at the motor"},
                   [INTEGRAL] = {"errorIntegral", "rad", 0.1, "Integral of the speed controller"},
                   [LOSS] = {"loss", "J", 1, "Energy that the friction element has taken"}),
    .outputs = QUANTITIES(
        {"referenceAngle", "rad", 1, "Where the link should be"},
        {"drivingTorque", "N.m", 1, "Torque of the motor"},
        {"gearTorque", "N.m", 1, "Torque of the gear on the link"},
        {"gearAngle", "rad", 0.1, "Angle by which the gear is wound up, on the motor's side"},
        {"kineticEnergy", "J", 1, "Kinetic energy of motor and link"},
        {"potentialEnergy", "J", 1, "Energy of the gear, and of the link above its lowest place"}),
    .contacts = CONTACTS({"bearing", "modelica2020_joint", offers, needs}),
    .start = start,
    .inputs = inputs,
    .rates = rates,
    .results = results,
    .event_time = event_time,
};
