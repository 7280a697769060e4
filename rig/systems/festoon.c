/* festoon: two cable trolleys on a rail, drawn by a towing trolley through a cable that hangs
 * between them.
 * Rill 2023, section 5
 *
 * In a row: end clamp (x = 0), C1, T1, C2, T2, C3, towing trolley (x = u(t)). The trolleys T move
 * along the rail; the lumped cable masses C hang below it (z downwards). Six rope sections of
 * length l0 join neighbours. With l their distance and s = l - l0,
 *
 *     F_rope = k s + d dl/dt   for s > 0, where |d dl/dt| <= k s;   F_rope = 0   for s <= 0
 *     m_C d2x_C/dt2 = sum of the rope forces in x
 *     m_C d2z_C/dt2 = m_C g + sum of the rope forces in z
 *     m_T d2x_T/dt2 = sum of the rope forces in x - F
 *
 * The contacts feel N = m_T g + pull of the ropes downwards, the velocity of the trolley, and as
 * externalForce the pull of the ropes along the rail. The system starts at rest in equilibrium with
 * equal distances.
 *
 * u(t): 1.5529 m; out by 0.5 m from 0 to 4.95 s, back from 7.3 s to 12.25 s, the speed a wave 1 -
 * cos each time; then, from 14 s on, an expansion by 3.5 m, which accelerates for 1 s and stops
 * suddenly at 19 s.
 *
 * This is a CALIBRATED case. The text gives 1.5529 m, the sag 0.967 m, N = 22 N, mu 0.08/0.05,
 * sigma0, sigma1, the amplitude of the back-and-forth motion and the sudden stop. Masses, cable
 * data, v_A, alpha, v_r and u(t) stand only in figures. Here l0 = 1 m, m_T + m_C = 2.2426 kg, m_T =
 * 0.25 kg and k = 1e4 N/m give the sag; the times of u(t), d, v_A, alpha and v_r are chosen to give
 * the four numbers below and a start of trolley 2 at 2.8 s. Not used for that, and met: trolley 2
 * stops at 4 s; with friction 10 % lower trolley 1 moves with all three models (except for the
 * static one only on the return); with LuGre and friction 10 % higher it breaks away less far, and
 * with 25 % not at all.
 *
 * Answer: in the back-and-forth motion trolley 1 stays, and trolley 2 ends 17.9 mm off its place
 * (second-order bristle and static model). The static model lets trolley 1 creep by 0.4 mm; with
 * LuGre it breaks away at 10.3 s, from 0.5176 m to 0.5384 m.
 */
#include <math.h>
#include <stddef.h>

#include "system.h"

enum { T1, V_T1, T2, V_T2, C1, C2 = C1 + 4, C3 = C2 + 4, N_STATES = C3 + 4 };
enum { X, Z, V_X, V_Z }; /* of a cable mass */
enum {
    TROLLEY_MASS,
    CABLE_MASS,
    GRAVITY,
    LENGTH,
    STIFFNESS,
    DAMPING,
    TOWING_START,
    AMPLITUDE,
    OUT_BEGIN,
    OUT_TIME,
    BACK_BEGIN,
    BACK_TIME,
    EXPANSION_BEGIN,
    EXPANSION_RAMP,
    EXPANSION_END,
    EXPANSION
};
enum { NORMAL_FORCE, RELATIVE_VELOCITY, EXTERNAL_FORCE, N_OFFERS };
enum { N_ROPES = 6 };

static const char *const offers[] = {"normalForce", "relativeVelocity", "externalForce", NULL};
static const char *const needs[] = {"frictionForce", NULL};

typedef struct {
    double x, z, v_x, v_z;
} Point;

typedef struct {
    double x, z;
} Force;

/* Displacement and speed of a motion of a given length and time whose speed is a single cosine
 * wave. */
static double wave_displacement(double length, double s) {
    return length * (s - sin(2 * PI * s) / (2 * PI));
}

static double wave_speed(double length, double time, double s) {
    return length / time * (1 - cos(2 * PI * s));
}

/* The towing trolley. Phases: rest, out, rest, back, rest, expansion with growing speed, with
 * constant speed, rest. */
static Point towing_trolley(const Instant *m) {
    const double *p = m->p;
    Point trolley = {.x = p[TOWING_START]};
    const double out = (m->t - p[OUT_BEGIN]) / p[OUT_TIME],
                 back = (m->t - p[BACK_BEGIN]) / p[BACK_TIME];
    const double ramp = p[EXPANSION_RAMP], begin = p[EXPANSION_BEGIN];
    const double speed = p[EXPANSION] / (p[EXPANSION_END] - begin - ramp / 2);
    if (m->phase == 1) {
        trolley.x += wave_displacement(p[AMPLITUDE], out);
        trolley.v_x = wave_speed(p[AMPLITUDE], p[OUT_TIME], out);
    } else if (m->phase == 2) {
        trolley.x += p[AMPLITUDE];
    } else if (m->phase == 3) {
        trolley.x += p[AMPLITUDE] - wave_displacement(p[AMPLITUDE], back);
        trolley.v_x = -wave_speed(p[AMPLITUDE], p[BACK_TIME], back);
    } else if (m->phase == 5) {
        trolley.v_x = speed * (m->t - begin) / ramp;
        trolley.x += trolley.v_x * (m->t - begin) / 2;
    } else if (m->phase == 6) {
        trolley.v_x = speed;
        trolley.x += speed * (m->t - begin - ramp / 2);
    } else if (m->phase == 7) {
        trolley.x += p[EXPANSION];
    }
    return trolley;
}

static double event_time(const Instant *m) {
    const double *p = m->p;
    const double times[] = {p[OUT_BEGIN],       p[OUT_BEGIN] + p[OUT_TIME],
                            p[BACK_BEGIN],      p[BACK_BEGIN] + p[BACK_TIME],
                            p[EXPANSION_BEGIN], p[EXPANSION_BEGIN] + p[EXPANSION_RAMP],
                            p[EXPANSION_END]};
    return m->phase < 7 ? times[m->phase] : INFINITY;
}

/* The seven points that the ropes join, from the clamp to the towing trolley. */
static void find_points(const Instant *m, const double *x, Point points[N_ROPES + 1]) {
    points[0] = (Point){0, 0, 0, 0};
    points[2] = (Point){.x = x[T1], .v_x = x[V_T1]};
    points[4] = (Point){.x = x[T2], .v_x = x[V_T2]};
    for (int i = 0; i < 3; i++) {
        const double *c = x + C1 + 4 * i;
        points[1 + 2 * i] = (Point){c[X], c[Z], c[V_X], c[V_Z]};
    }
    points[N_ROPES] = towing_trolley(m);
}

static double distance(Point a, Point b) {
    return hypot(b.x - a.x, b.z - a.z);
}

/* Force of a rope on its first point. */
static Force rope_force(const double *p, Point a, Point b) {
    const double l = distance(a, b), elastic = p[STIFFNESS] * (l - p[LENGTH]);
    if (elastic <= 0) return (Force){0, 0};
    const double e_x = (b.x - a.x) / l, e_z = (b.z - a.z) / l;
    const double damping = p[DAMPING] * ((b.v_x - a.v_x) * e_x + (b.v_z - a.v_z) * e_z);
    const double force = elastic + fmax(-elastic, fmin(damping, elastic));
    return (Force){force * e_x, force * e_z};
}

/* Force of both ropes on each of the points between the clamp and the towing trolley. */
static void find_forces(const Instant *m, const double *x, Force forces[N_ROPES + 1]) {
    Point points[N_ROPES + 1];
    find_points(m, x, points);
    for (int i = 0; i <= N_ROPES; i++) forces[i] = (Force){0, 0};
    for (int i = 0; i < N_ROPES; i++) {
        const Force f = rope_force(m->p, points[i], points[i + 1]);
        forces[i].x += f.x;
        forces[i].z += f.z;
        forces[i + 1].x -= f.x;
        forces[i + 1].z -= f.z;
    }
}

/* Equal distances w; the ropes carry the cable masses: 2 k (l - l0) h/l = m_C g, h^2 = l^2 -
 * (w/2)^2. */
static void start(const double *p, double *x) {
    const double half = p[TOWING_START] / 6;
    double l = p[LENGTH];
    for (int i = 0; i < 50; i++)
        l = p[LENGTH] + p[CABLE_MASS] * p[GRAVITY] * l /
                            (2 * p[STIFFNESS] * sqrt(fmax(l * l - half * half, 1e-12)));
    for (int i = 0; i < N_STATES; i++) x[i] = 0;
    x[T1] = 2 * half;
    x[T2] = 4 * half;
    for (int i = 0; i < 3; i++) {
        x[C1 + 4 * i + X] = (2 * i + 1) * half;
        x[C1 + 4 * i + Z] = sqrt(fmax(l * l - half * half, 0));
    }
}

static void inputs(const Instant *m, const double *x, double *u) {
    Force forces[N_ROPES + 1];
    find_forces(m, x, forces);
    for (int i = 0; i < 2; i++) {
        const Force pull = forces[2 + 2 * i];
        u[i * N_OFFERS + NORMAL_FORCE] = m->p[TROLLEY_MASS] * m->p[GRAVITY] + pull.z;
        u[i * N_OFFERS + RELATIVE_VELOCITY] = x[V_T1 + 2 * i];
        u[i * N_OFFERS + EXTERNAL_FORCE] = pull.x;
    }
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    Force forces[N_ROPES + 1];
    find_forces(m, x, forces);
    for (int i = 0; i < 2; i++) {
        dx[T1 + 2 * i] = x[V_T1 + 2 * i];
        dx[V_T1 + 2 * i] = (forces[2 + 2 * i].x - y[i]) / m->p[TROLLEY_MASS];
    }
    for (int i = 0; i < 3; i++) {
        const double *c = x + C1 + 4 * i;
        double *dc = dx + C1 + 4 * i;
        dc[X] = c[V_X];
        dc[Z] = c[V_Z];
        dc[V_X] = forces[1 + 2 * i].x / m->p[CABLE_MASS];
        dc[V_Z] = forces[1 + 2 * i].z / m->p[CABLE_MASS] + m->p[GRAVITY];
    }
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    (void)x;
    (void)y;
    const Point trolley = towing_trolley(m);
    outputs[0] = trolley.x;
    outputs[1] = trolley.v_x;
}

/* A rope that becomes slack or taut. */
static void indicators(const Instant *m, const double *x, double *g) {
    Point points[N_ROPES + 1];
    find_points(m, x, points);
    for (int i = 0; i < N_ROPES; i++) g[i] = distance(points[i], points[i + 1]) - m->p[LENGTH];
}

const System system_festoon = {
    .name = "festoon",
    .title = "Two cable trolleys on a rail, drawn by a towing trolley through a hanging cable",
    .source = "Rill et al. 2023, section 5 (calibrated: the paper prints only a part of the data)",
    .stop = 25,
    .interval = 0.01,
    .parameters = PARAMETERS(
        [TROLLEY_MASS] = {"trolleyMass", "kg", 0.25, POSITIVE, "Mass of a cable trolley"},
        [CABLE_MASS] = {"cableMass", "kg", 1.9926, POSITIVE,
                        "Lumped mass of the cable between two trolleys"},
        [GRAVITY] = {"gravity", "m/s2", 9.81, POSITIVE, "Gravity"},
        [LENGTH] = {"ropeLength", "m", 1, POSITIVE, "Length of an unloaded rope section"},
        [STIFFNESS] = {"ropeStiffness", "N/m", 1e4, POSITIVE, "Stiffness of a rope section"},
        [DAMPING] = {"ropeDamping", "N.s/m", 200, NOT_NEGATIVE, "Damping of a rope section"},
        [TOWING_START] = {"towingStart", "m", 1.5529, POSITIVE,
                          "Position of the towing trolley at the beginning"},
        [AMPLITUDE] = {"amplitude", "m", 0.5, ANY, "Amplitude of the back-and-forth motion"},
        [OUT_BEGIN] = {"outBegin", "s", 0, NOT_NEGATIVE, "Start of the outward motion"},
        [OUT_TIME] = {"outTime", "s", 4.95, POSITIVE, "Time it takes"},
        [BACK_BEGIN] = {"backBegin", "s", 7.3, NOT_NEGATIVE, "Start of the return motion"},
        [BACK_TIME] = {"backTime", "s", 4.95, POSITIVE, "Time it takes"},
        [EXPANSION_BEGIN] = {"expansionBegin", "s", 14, NOT_NEGATIVE, "Begin of the expansion"},
        [EXPANSION_RAMP] = {"expansionRamp", "s", 1, POSITIVE, "Time it takes to come to speed"},
        [EXPANSION_END] = {"expansionEnd", "s", 19, POSITIVE, "Sudden end of the expansion"},
        [EXPANSION] = {"expansion", "m", 3.5, ANY, "Distance of the expansion"}),
    .states = QUANTITIES(
        [T1] = {"trolley1Position", "m", 1, "Position of trolley 1"},
        [V_T1] = {"trolley1Velocity", "m/s", 0.1, "Velocity of trolley 1"},
        [T2] = {"trolley2Position", "m", 1, "Position of trolley 2"},
        [V_T2] = {"trolley2Velocity", "m/s", 0.1, "Velocity of trolley 2"},
        [C1 + X] = {"cable1X", "m", 1, "Position of cable mass 1 along the rail"},
        [C1 + Z] = {"cable1Z", "m", 1, "Sag of cable mass 1"},
        [C1 + V_X] = {"cable1VelocityX", "m/s", 0.1, "Velocity of cable mass 1 along the rail"},
        [C1 + V_Z] = {"cable1VelocityZ", "m/s", 0.1, "Velocity of cable mass 1 downwards"},
        [C2 + X] = {"cable2X", "m", 1, "Position of cable mass 2 along the rail"},
        [C2 + Z] = {"cable2Z", "m", 1, "Sag of cable mass 2"},
        [C2 + V_X] = {"cable2VelocityX", "m/s", 0.1, "Velocity of cable mass 2 along the rail"},
        [C2 + V_Z] = {"cable2VelocityZ", "m/s", 0.1, "Velocity of cable mass 2 downwards"},
        [C3 + X] = {"cable3X", "m", 1, "Position of cable mass 3 along the rail"},
        [C3 + Z] = {"cable3Z", "m", 1, "Sag of cable mass 3"},
        [C3 + V_X] = {"cable3VelocityX", "m/s", 0.1, "Velocity of cable mass 3 along the rail"},
        [C3 + V_Z] = {"cable3VelocityZ", "m/s", 0.1, "Velocity of cable mass 3 downwards"}),
    .outputs = QUANTITIES({"towingPosition", "m", 1, "Position of the towing trolley"},
                          {"towingVelocity", "m/s", 0.1, "Velocity of the towing trolley"}),
    .contacts = CONTACTS({"trolley1", "rill2023_festoon", offers, needs},
                         {"trolley2", "rill2023_festoon", offers, needs}),
    .n_indicators = N_ROPES,
    .start = start,
    .inputs = inputs,
    .rates = rates,
    .results = results,
    .event_time = event_time,
    .indicators = indicators,
};
