/* slider_crank: a slider-crank with friction in all of its four joints, each loaded by its own
 * reactions.
 *
 *     crank  O to B:  B = r (cos q, sin q)             main pin O: ground and crank, w = dq/dt
 *     rod    B to C:  C = B + l (cos b, -sin b)        crank pin B: w_2 - w,
 *                                                      w_2 = -db/dt: of the rod
 *     slider at C:    l sin b = r sin q,  C = (s, 0)   wrist pin C: w_2;  guide: ds/dt
 *
 * With w_2 = k w and ds/dt = d w, the power of all forces gives
 *
 *     M dw/dt = T - T_O - T_B (k - 1) - T_C k - (F - P) d + gravity - terms with w^2
 *
 *     T = T_0 sin(2 pi f t): drive, P: force on the slider, T_O, T_B, T_C, F: friction
 *
 * and from Newton's and Euler's equations of slider, rod and crank, one after the other, the
 * reactions follow. The guide is pressed by the force across it and by the moment that friction
 * makes: it acts at the distance h below the wrist pin.
 *
 * Each joint is two elements: a load (PinLoad, GuideLoad) that is given the reactions, and friction
 * that is given the normal force of the load. Friction is part of the reactions: an algebraic loop.
 * If LuGre.fmu is given, the pins have its twin, and the loads are those of the same folder.
 *
 * Answer: an independent solution with a constraint for every joint, in tests/tools/test_loads.py.
 */
#include <math.h>
#include <stddef.h>

#include "system.h"

enum { ANGLE, SPEED, LOSS };
enum {
    CRANK,
    ROD,
    CRANK_MASS,
    ROD_MASS,
    SLIDER_MASS,
    HEIGHT,
    GRAVITY,
    DRIVE,
    FREQUENCY,
    FORCE,
    START_ANGLE,
    START_SPEED
};
enum { MAIN, CRANK_PIN, WRIST, GUIDE, N_JOINTS };
/* inputs of a load; the position is that of a guide */
enum { FORCES, MOMENTS = 3, N_REACTIONS = 6, POSITION = 6 };
/* inputs of friction, from there on in pairs */
enum { FIRST_FRICTION = 3 * N_REACTIONS + 7, NORMAL = 0, RATE };

/* The position of the mechanism, its velocities over w, and the parts of its accelerations that are
 * proportional to dw/dt and to w^2. */
typedef struct {
    double s, bx, by, cos_b, sin_b;
    double k, k_w2; /* w_2 = k w, dw_2/dt = k dw/dt + k_w2 */
    double d, d_w2; /* the slider's velocity and acceleration, likewise */
    double rod[2], rod_w2[2], crank[2], crank_w2[2]; /* the centres' */
} Motion;

static Motion motion_at(const double *p, double angle, double speed) {
    const double r = p[CRANK], l = p[ROD], w2 = speed * speed;
    Motion g = {.bx = r * cos(angle), .by = r * sin(angle)};
    g.sin_b = g.by / l;
    g.cos_b = sqrt(1 - g.sin_b * g.sin_b);
    g.s = g.bx + l * g.cos_b;
    g.k = -g.bx / (l * g.cos_b);
    g.k_w2 = w2 * (g.by - l * g.sin_b * g.k * g.k) / (l * g.cos_b);
    g.d = -g.by + l * g.sin_b * g.k;
    g.d_w2 = -g.bx * w2 + l * (g.sin_b * g.k_w2 - g.cos_b * g.k * g.k * w2);
    g.rod[0] = (-g.by + g.d) / 2; /* half way between B and C */
    g.rod[1] = g.bx / 2;
    g.rod_w2[0] = (-g.bx * w2 + g.d_w2) / 2;
    g.rod_w2[1] = -g.by * w2 / 2;
    g.crank[0] = -g.by / 2;
    g.crank[1] = g.bx / 2;
    g.crank_w2[0] = -g.bx * w2 / 2;
    g.crank_w2[1] = -g.by * w2 / 2;
    return g;
}

static double drive(const Instant *m) {
    return m->p[DRIVE] * sin(2 * PI * m->p[FREQUENCY] * m->t);
}

/* Relative velocities of the joints, all in proportion to w. */
static void joint_rates(const Motion *g, double speed, double *rates) {
    rates[MAIN] = speed;
    rates[CRANK_PIN] = (g->k - 1) * speed;
    rates[WRIST] = g->k * speed;
    rates[GUIDE] = g->d * speed;
}

static double rod_inertia(const double *p) {
    return p[ROD_MASS] * p[ROD] * p[ROD] / 12;
}

static double crank_inertia(const double *p) {
    return p[CRANK_MASS] * p[CRANK] * p[CRANK] / 12;
}

/* dw/dt under the friction of the joints. */
static double acceleration(const Instant *m, const Motion *g, const double *friction) {
    const double *p = m->p, one = 1;
    const double per_speed[N_JOINTS] = {one, g->k - one, g->k, g->d};
    double inertia = crank_inertia(p) + rod_inertia(p) * g->k * g->k + p[SLIDER_MASS] * g->d * g->d;
    double torque = drive(m) + p[FORCE] * g->d - rod_inertia(p) * g->k * g->k_w2 -
                    p[SLIDER_MASS] * g->d * g->d_w2;
    for (int i = 0; i < 2; i++) {
        inertia += p[CRANK_MASS] * g->crank[i] * g->crank[i] + p[ROD_MASS] * g->rod[i] * g->rod[i];
        torque -=
            p[CRANK_MASS] * g->crank[i] * g->crank_w2[i] + p[ROD_MASS] * g->rod[i] * g->rod_w2[i];
    }
    torque -= p[GRAVITY] * (p[CRANK_MASS] * g->crank[1] + p[ROD_MASS] * g->rod[1]);
    for (int j = 0; j < N_JOINTS; j++) torque -= friction[j] * per_speed[j];
    return torque / inertia;
}

static void inputs(const Instant *m, const double *x, double *u) {
    const Motion g = motion_at(m->p, x[ANGLE], x[SPEED]);
    for (int i = 0; i < FIRST_FRICTION; i++) u[i] = 0;
    u[3 * N_REACTIONS + POSITION] = g.s;
    double rates[N_JOINTS];
    joint_rates(&g, x[SPEED], rates);
    for (int j = 0; j < N_JOINTS; j++) {
        u[FIRST_FRICTION + 2 * j + NORMAL] = 0;
        u[FIRST_FRICTION + 2 * j + RATE] = rates[j];
    }
}

/* The reactions under the friction in y, from the slider to the crank, and the normal forces that
 * the loads answer. */
static void loads(const Instant *m, const double *x, const double *y, double *u) {
    const double *p = m->p, *friction = y + N_JOINTS;
    const Motion g = motion_at(p, x[ANGLE], x[SPEED]);
    const double dw = acceleration(m, &g, friction), l = p[ROD],
                 torques = friction[CRANK_PIN] + friction[WRIST];
    const double rod[2] = {g.rod[0] * dw + g.rod_w2[0], g.rod[1] * dw + g.rod_w2[1] + p[GRAVITY]};
    const double crank[2] = {g.crank[0] * dw + g.crank_w2[0],
                             g.crank[1] * dw + g.crank_w2[1] + p[GRAVITY]};
    const double wrist_x = p[SLIDER_MASS] * (g.d * dw + g.d_w2) + friction[GUIDE] - p[FORCE];
    /* Moments on the rod about B */
    const double turning = rod_inertia(p) * (g.k * dw + g.k_w2) +
                           p[ROD_MASS] * l / 2 * (g.cos_b * rod[1] + g.sin_b * rod[0]) + torques;
    const double wrist_y = -(turning / l + g.sin_b * wrist_x) / g.cos_b;
    const double pin_x = p[ROD_MASS] * rod[0] + wrist_x, pin_y = p[ROD_MASS] * rod[1] + wrist_y;
    const double reactions[N_JOINTS - 1][2] = {
        [MAIN] = {p[CRANK_MASS] * crank[0] + pin_x, p[CRANK_MASS] * crank[1] + pin_y},
        [CRANK_PIN] = {pin_x, pin_y},
        [WRIST] = {wrist_x, wrist_y},
    };
    for (int j = 0; j < N_JOINTS - 1; j++)
        for (int i = 0; i < 2; i++) u[j * N_REACTIONS + FORCES + i] = reactions[j][i];
    u[GUIDE * N_REACTIONS + FORCES + 1] = p[SLIDER_MASS] * p[GRAVITY] - wrist_y;
    u[GUIDE * N_REACTIONS + MOMENTS + 2] = p[HEIGHT] * friction[GUIDE] - friction[WRIST];
    for (int j = 0; j < N_JOINTS; j++) u[FIRST_FRICTION + 2 * j + NORMAL] = y[j];
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    const Motion g = motion_at(m->p, x[ANGLE], x[SPEED]);
    double joints[N_JOINTS];
    joint_rates(&g, x[SPEED], joints);
    dx[ANGLE] = x[SPEED];
    dx[SPEED] = acceleration(m, &g, y + N_JOINTS);
    dx[LOSS] = 0;
    for (int j = 0; j < N_JOINTS; j++) dx[LOSS] += y[N_JOINTS + j] * joints[j];
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    (void)y;
    const Motion g = motion_at(m->p, x[ANGLE], x[SPEED]);
    outputs[0] = drive(m);
    outputs[1] = g.s;
    outputs[2] = g.d * x[SPEED];
}

static void start(const double *p, double *x) {
    x[ANGLE] = p[START_ANGLE];
    x[SPEED] = p[START_SPEED];
    x[LOSS] = 0;
}

#define REACTIONS                                                                                  \
    "reactionForce[1]", "reactionForce[2]", "reactionForce[3]", "reactionMoment[1]",               \
        "reactionMoment[2]", "reactionMoment[3]"
static const char *const of_a_pin[] = {REACTIONS, NULL};
static const char *const of_a_guide[] = {REACTIONS, "slidePosition", NULL};
static const char *const turning[] = {"normalForce", "relativeAngularVelocity", NULL};
static const char *const sliding[] = {"normalForce", "relativeVelocity", NULL};
static const char *const load[] = {"normalForce", NULL}, *const torque[] = {"frictionTorque", NULL},
                         *const force[] = {"frictionForce", NULL};

const System system_slider_crank = {
    .name = "slider_crank",
    .title = "A slider-crank with friction in all joints, pressed by their reactions",
    .source = "A test of loads and friction together; an independent solution with constraints",
    .stop = 1,
    .interval = 1e-3,
    .parameters =
        PARAMETERS([CRANK] = {"crankLength", "m", 0.1, POSITIVE, "Length of the crank"},
                   [ROD] = {"rodLength", "m", 0.3, POSITIVE,
                            "Length of the rod, above that of the crank"},
                   [CRANK_MASS] = {"crankMass", "kg", 1, NOT_NEGATIVE,
                                   "Mass of the crank, a slender rod"},
                   [ROD_MASS] = {"rodMass", "kg", 1, NOT_NEGATIVE,
                                 "Mass of the rod, a slender one"},
                   [SLIDER_MASS] = {"sliderMass", "kg", 2, POSITIVE, "Mass of the slider"},
                   [HEIGHT] = {"pinHeight", "m", 0.02, ANY,
                               "Height of the wrist pin above the guide"},
                   [GRAVITY] = {"gravity", "m/s2", 9.81, ANY, "Gravity, across the guide"},
                   [DRIVE] = {"driveTorque", "N.m", 3, ANY, "Amplitude of the torque on the crank"},
                   [FREQUENCY] = {"frequency", "Hz", 4, NOT_NEGATIVE, "Frequency of that torque"},
                   [FORCE] = {"sliderForce", "N", -20, ANY, "Force on the slider along its guide"},
                   [START_ANGLE] = {"startAngle", "rad", 0.8, ANY,
                                    "Angle of the crank at the beginning"},
                   [START_SPEED] = {"startSpeed", "rad/s", 0, ANY,
                                    "Angular velocity of the crank at the beginning"}),
    .states = QUANTITIES([ANGLE] = {"angle", "rad", 1, "Angle of the crank against the guide"},
                         [SPEED] = {"speed", "rad/s", 1, "Angular velocity of the crank"},
                         [LOSS] = {"loss", "J", 1, "Energy that the joints have taken"}),
    .outputs = QUANTITIES({"drivingTorque", "N.m", 1, "Torque on the crank"},
                          {"sliderPosition", "m", 0.1, "Position of the slider, from the main pin"},
                          {"sliderVelocity", "m/s", 0.1, "Velocity of the slider"}),
    .contacts = CONTACTS({"mainLoad", NULL, of_a_pin, load}, {"crankLoad", NULL, of_a_pin, load},
                         {"wristLoad", NULL, of_a_pin, load}, {"guideLoad", NULL, of_a_guide, load},
                         {"main", NULL, turning, torque}, {"crank", NULL, turning, torque},
                         {"wrist", NULL, turning, torque}, {"guide", NULL, sliding, force}),
    .beside = (const char *const[]){"PinLoad", "PinLoad", "PinLoad", "GuideLoad", "%Rotational",
                                    "%Rotational", "%Rotational", "%"},
    .start = start,
    .inputs = inputs,
    .loads = loads,
    .rates = rates,
    .results = results,
};
