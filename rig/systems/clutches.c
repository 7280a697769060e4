/* clutches: four inertias in a row, with a clutch between each two, that are engaged one after the
 * other.
 * Modelica Standard Library, Modelica.Mechanics.Rotational.Examples.CoupledClutches
 *
 *     J_1 dw_1/dt = M - T_1             M = M_0 sin(2 pi f t)            10 N.m at 5 Hz
 *     J_2 dw_2/dt = T_1 - T_2           N_1 = N cos(2 pi f_1 t)          0.2 Hz: it opens at 1.25 s
 *     J_3 dw_3/dt = T_2 - T_3           N_2 = N for t >= t_2, else 0     0.4 s
 *     J_4 dw_4/dt = T_3                 N_3 = N for t >= t_3, else 0     0.9 s
 *
 * Clutch i turns with w_i - w_(i+1) and has the normal force N_i; w_1(0) = 10 rad/s, all others at
 * rest. The friction radius is the geometry constant of all faces (the library's cgeo, 1 m).
 *
 * An element with ideal stick is given the torque that would keep its clutch shut,
 *
 *     T_i = (S_i/J_i - S_(i+1)/J_(i+1)) / (1/J_i + 1/J_(i+1)),
 *
 * with S all other torques on the inertia, in which the torques of the other clutches are: an
 * algebraic loop.
 *
 * Answer: the intervals of stick that the library's own regression test has, in
 * site/bristle_site/report/papers.toml.
 */
#include <math.h>
#include <stddef.h>

#include "system.h"

enum { N_CLUTCHES = 3, N_BODIES = 4 };
enum { ANGLES, SPEEDS = ANGLES + N_BODIES, LOSS = SPEEDS + N_BODIES };
enum {
    INERTIA,
    START_SPEED = INERTIA + N_BODIES,
    AMPLITUDE,
    FREQUENCY,
    NORMAL,
    CONTROL,
    SECOND_TIME,
    THIRD_TIME
};
enum { NORMAL_FORCE, ANGULAR_VELOCITY, EXTERNAL_TORQUE, N_OFFERS };

static const char *const offers[] = {"normalForce", "relativeAngularVelocity", "externalTorque",
                                     NULL};
static const char *const needs[] = {"frictionTorque", NULL};

static void start(const double *p, double *x) {
    for (int i = 0; i <= LOSS; i++) x[i] = 0;
    x[SPEEDS] = p[START_SPEED];
}

static double drive(const Instant *m) {
    return m->p[AMPLITUDE] * sin(2 * PI * m->p[FREQUENCY] * m->t);
}

/* Whether the second clutch is engaged before the third; they are in the order of the events
 * then. */
static bool is_in_order(const double *p) {
    return p[SECOND_TIME] <= p[THIRD_TIME];
}

static double slip(const double *x, int clutch) {
    return x[SPEEDS + clutch] - x[SPEEDS + clutch + 1];
}

static void inputs(const Instant *m, const double *x, double *u) {
    const double *p = m->p;
    const int second = is_in_order(p) ? 0 : 1; /* number of its event */
    const double normal[N_CLUTCHES] = {p[NORMAL] * cos(2 * PI * p[CONTROL] * m->t),
                                       m->phase > second ? p[NORMAL] : 0,
                                       m->phase > 1 - second ? p[NORMAL] : 0};
    for (int i = 0; i < N_CLUTCHES; i++, u += N_OFFERS) {
        u[NORMAL_FORCE] = normal[i];
        u[ANGULAR_VELOCITY] = slip(x, i);
        u[EXTERNAL_TORQUE] = 0;
    }
}

/* Torque on a body without that of the clutch `without`. */
static double other_torques(const Instant *m, const double *y, int body, int without) {
    const int left = body - 1, right = body; /* the clutches on either side */
    double sum = body == 0 ? drive(m) : 0;
    if (left >= 0 && left != without) sum += y[left];
    if (right < N_CLUTCHES && right != without) sum -= y[right];
    return sum;
}

static void loads(const Instant *m, const double *x, const double *y, double *u) {
    (void)x;
    const double *inertia = m->p + INERTIA;
    for (int i = 0; i < N_CLUTCHES; i++, u += N_OFFERS)
        u[EXTERNAL_TORQUE] = (other_torques(m, y, i, i) * inertia[i + 1] -
                              other_torques(m, y, i + 1, i) * inertia[i]) /
                             (inertia[i] + inertia[i + 1]);
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    for (int i = 0; i < N_BODIES; i++) {
        dx[ANGLES + i] = x[SPEEDS + i];
        dx[SPEEDS + i] = other_torques(m, y, i, -2) / m->p[INERTIA + i];
    }
    dx[LOSS] = 0;
    for (int i = 0; i < N_CLUTCHES; i++) dx[LOSS] += y[i] * slip(x, i);
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    (void)y;
    outputs[0] = drive(m);
    outputs[1] = 0;
    for (int i = 0; i < N_BODIES; i++)
        outputs[1] += 0.5 * m->p[INERTIA + i] * x[SPEEDS + i] * x[SPEEDS + i];
    for (int i = 0; i < N_CLUTCHES; i++) outputs[2 + i] = slip(x, i);
}

static double event_time(const Instant *m) {
    const double *p = m->p;
    if (m->phase > 1) return INFINITY;
    return (m->phase == 0) == is_in_order(p) ? p[SECOND_TIME] : p[THIRD_TIME];
}

const System system_clutches = {
    .name = "clutches",
    .title = "Four inertias and three clutches that are engaged one after the other",
    .source =
        "Modelica Standard Library 4.0.0, Modelica.Mechanics.Rotational.Examples.CoupledClutches",
    .stop = 1.5,
    .interval = 1e-3,
    .parameters =
        PARAMETERS([INERTIA] = {"inertia1", "kg.m2", 1, POSITIVE, "Inertia that is driven"},
                   [INERTIA + 1] = {"inertia2", "kg.m2", 1, POSITIVE,
                                    "Inertia between clutches 1 and 2"},
                   [INERTIA + 2] = {"inertia3", "kg.m2", 1, POSITIVE,
                                    "Inertia between clutches 2 and 3"},
                   [INERTIA + 3] = {"inertia4", "kg.m2", 1, POSITIVE, "Inertia behind clutch 3"},
                   [START_SPEED] = {"startSpeed", "rad/s", 10, ANY,
                                    "Angular velocity of the driven inertia at the beginning"},
                   [AMPLITUDE] = {"amplitude", "N.m", 10, ANY, "Amplitude of the driving torque"},
                   [FREQUENCY] = {"frequency", "Hz", 5, NOT_NEGATIVE,
                                  "Frequency of the driving torque"},
                   [NORMAL] = {"normalForce", "N", 20, NOT_NEGATIVE,
                               "Normal force of an engaged clutch"},
                   [CONTROL] = {"controlFrequency", "Hz", 0.2, NOT_NEGATIVE,
                                "Frequency of the normal force of clutch 1"},
                   [SECOND_TIME] = {"secondTime", "s", 0.4, NOT_NEGATIVE,
                                    "Moment at which clutch 2 is engaged"},
                   [THIRD_TIME] = {"thirdTime", "s", 0.9, NOT_NEGATIVE,
                                   "Moment at which clutch 3 is engaged"}),
    .states =
        QUANTITIES([ANGLES] = {"angle1", "rad", 1, "Angle of the driven inertia"},
                   [ANGLES + 1] = {"angle2", "rad", 1, "Angle of inertia 2"},
                   [ANGLES + 2] = {"angle3", "rad", 1, "Angle of inertia 3"},
                   [ANGLES + 3] = {"angle4", "rad", 1, "Angle of inertia 4"},
                   [SPEEDS] = {"speed1", "rad/s", 1, "Angular velocity of the driven inertia"},
                   [SPEEDS + 1] = {"speed2", "rad/s", 1, "Angular velocity of inertia 2"},
                   [SPEEDS + 2] = {"speed3", "rad/s", 1, "Angular velocity of inertia 3"},
                   [SPEEDS + 3] = {"speed4", "rad/s", 1, "Angular velocity of inertia 4"},
                   [LOSS] = {"loss", "J", 1, "Energy that the clutches have taken"}),
    .outputs = QUANTITIES({"drivingTorque", "N.m", 1, "Torque on the driven inertia"},
                          {"kineticEnergy", "J", 1, "Kinetic energy of the four inertias"},
                          {"slip1", "rad/s", 1, "Angular velocity of inertia 1 against inertia 2"},
                          {"slip2", "rad/s", 1, "Angular velocity of inertia 2 against inertia 3"},
                          {"slip3", "rad/s", 1, "Angular velocity of inertia 3 against inertia 4"}),
    .contacts = CONTACTS({"clutch1", "modelica2020_clutches", offers, needs},
                         {"clutch2", "modelica2020_clutches", offers, needs},
                         {"clutch3", "modelica2020_clutches", offers, needs}),
    .load = "externalTorque",
    .start = start,
    .inputs = inputs,
    .loads = loads,
    .rates = rates,
    .results = results,
    .event_time = event_time,
};
