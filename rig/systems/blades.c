/* blades: a turbine blade that rubs between its two neighbours.
 * Colantonio 2022, section 5
 *
 *     m d2x/dt2   = F - k x - d dx/dt - (F_L + F_R)/c   x: tip of the central blade,
 *                                                       F: excitation there
 *     m d2y_i/dt2 = F_i - k_s y_i - d_s dy_i/dt         y: tie-boss of the left and the right blade
 *
 * The friction forces F_L and F_R act at the tie-boss of the central blade, which moves by x/c,
 * against those of its neighbours. The normal force rises to 5 N in the first second. The
 * excitation is a sine whose amplitude rises linearly (simulation 1: 5 N from 0.2 to 1.8 s, 30 Hz),
 * or whose frequency sweeps (simulation 2: 2 N, 30 to 80 Hz). The first mode of each blade only,
 * along one line; friction in the plane of contact.
 *
 * From the text: k = 2e4 N/m and 53 Hz, hence m; the damping d = 3.03 m + 1.1e-6 k (Table 7); the
 * friction (Table 8). Not in the text: the length of the blades, where the tie-boss sits, how the
 * neighbours are turned against each other. Two numbers stand for that and are calibrated: the
 * stiffness k_s, so that the three blades glued together have 127 Hz (Table 5), and the lever c, so
 * that the contacts begin to slip at 2.5 N (section 5.1).
 *
 * Answer: microslip of about 20 um at 3 N (reported from the experiment), resonance in slip near
 * the 53 Hz of a single blade.
 */
#include <math.h>
#include <stddef.h>

#include "system.h"

enum { TIP, LEFT, RIGHT, N_BODIES, VELOCITIES = N_BODIES, LOSS = 2 * N_BODIES };
enum { STIFFNESS, OWN_FREQUENCY, LEVER, NEIGHBOUR, NORMAL, PRELOAD_TIME };
enum {
    AMPLITUDE = PRELOAD_TIME + 1,
    RISE_BEGINS,
    RISE_ENDS,
    FREQUENCY,
    LAST_FREQUENCY,
    SWEEP_TIME
};
enum { NORMAL_FORCE, NORMAL_X, NORMAL_Y, NORMAL_Z, VELOCITY_X, VELOCITY_Y, VELOCITY_Z, N_OFFERS };

static const char *const offers[] = {
    "normalForce",         "contactNormal[1]",    "contactNormal[2]",    "contactNormal[3]",
    "relativeVelocity[1]", "relativeVelocity[2]", "relativeVelocity[3]", NULL,
};
static const char *const needs[] = {"frictionForce[1]", NULL};

static double between(double t, double begin, double end) {
    return t <= begin ? 0 : t >= end ? 1 : (t - begin) / (end - begin);
}

static double excitation(const Instant *m) {
    const double *p = m->p;
    const double octaves = log(p[LAST_FREQUENCY] / p[FREQUENCY]);
    const double turns = octaves == 0 ? p[FREQUENCY] * m->t
                                      : p[FREQUENCY] * p[SWEEP_TIME] / octaves *
                                            expm1(octaves * m->t / p[SWEEP_TIME]);
    return p[AMPLITUDE] * between(m->t, p[RISE_BEGINS], p[RISE_ENDS]) * sin(2 * PI * turns);
}

/* Of the central tie-boss against that of a neighbour. */
static double slip_velocity(const Instant *m, const double *x, int neighbour) {
    return x[VELOCITIES + TIP] / m->p[LEVER] - x[VELOCITIES + neighbour];
}

static void inputs(const Instant *m, const double *x, double *u) {
    for (int i = LEFT; i <= RIGHT; i++, u += N_OFFERS) {
        for (int k = 0; k < N_OFFERS; k++) u[k] = 0;
        u[NORMAL_FORCE] = m->p[NORMAL] * between(m->t, 0, m->p[PRELOAD_TIME]);
        u[NORMAL_Y] = 1;
        u[VELOCITY_X] = slip_velocity(m, x, i);
    }
}

static double damping(double mass, double stiffness) {
    return 3.03 * mass + 1.1e-6 * stiffness;
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    const double *p = m->p, *v = x + VELOCITIES;
    const double rate = 2 * PI * p[OWN_FREQUENCY];
    const double mass = p[STIFFNESS] / (rate * rate);
    for (int i = 0; i < N_BODIES; i++) dx[i] = v[i];
    const double bending = p[STIFFNESS] * x[TIP] + damping(mass, p[STIFFNESS]) * v[TIP];
    dx[VELOCITIES + TIP] = (excitation(m) - bending - (y[0] + y[1]) / p[LEVER]) / mass;
    dx[LOSS] = 0;
    for (int i = LEFT; i <= RIGHT; i++) {
        const double friction = y[i - LEFT];
        dx[VELOCITIES + i] =
            (friction - p[NEIGHBOUR] * x[i] - damping(mass, p[NEIGHBOUR]) * v[i]) / mass;
        dx[LOSS] += friction * slip_velocity(m, x, i);
    }
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    (void)y;
    outputs[0] = excitation(m);
    outputs[1] = x[TIP] / m->p[LEVER] - x[LEFT];
}

static double event_time(const Instant *m) {
    const double *p = m->p;
    double next = INFINITY; /* the first kink that is still to come */
    const double kinks[] = {p[PRELOAD_TIME], p[RISE_BEGINS], p[RISE_ENDS]};
    for (int i = 0; i < 3; i++) {
        int before = 0;
        for (int j = 0; j < 3; j++)
            before += kinks[j] < kinks[i] || (kinks[j] == kinks[i] && j < i);
        if (before == m->phase) next = kinks[i];
    }
    return next;
}

const System system_blades = {
    .name = "blades",
    .title = "A turbine blade that rubs between its two neighbours",
    .source = "Colantonio et al. 2022, section 5",
    .stop = 2,
    .interval = 1e-3,
    .parameters =
        PARAMETERS([STIFFNESS] = {"stiffness", "N/m", 2e4, POSITIVE,
                                  "Stiffness of a blade at its tip"},
                   [OWN_FREQUENCY] = {"ownFrequency", "Hz", 53, POSITIVE,
                                      "First frequency of a blade alone"},
                   [LEVER] = {"lever", "1", 2.29, POSITIVE,
                              "Motion of the tip over that of the tie-boss (calibrated)"},
                   [NEIGHBOUR] = {"neighbourStiffness", "N/m", 3.63e5, POSITIVE,
                                  "Stiffness of a neighbour at its tie-boss (calibrated)"},
                   [NORMAL] = {"normalForce", "N", 5, NOT_NEGATIVE, "Normal force of each contact"},
                   [PRELOAD_TIME] = {"preloadTime", "s", 1, POSITIVE,
                                     "Time in which the normal force is built up"},
                   [AMPLITUDE] = {"amplitude", "N", 5, ANY,
                                  "Amplitude of the excitation when it has risen"},
                   [RISE_BEGINS] = {"riseBegins", "s", 0.2, NOT_NEGATIVE,
                                    "Moment at which the amplitude begins to rise"},
                   [RISE_ENDS] = {"riseEnds", "s", 1.8, NOT_NEGATIVE,
                                  "Moment at which it has risen"},
                   [FREQUENCY] = {"frequency", "Hz", 30, POSITIVE,
                                  "Frequency of the excitation at the beginning"},
                   [LAST_FREQUENCY] = {"lastFrequency", "Hz", 30, POSITIVE,
                                       "Frequency at the end of the sweep"},
                   [SWEEP_TIME] = {"sweepTime", "s", 10, POSITIVE, "Duration of the sweep"}),
    .states =
        QUANTITIES([TIP] = {"tipPosition", "m", 1e-5, "Tip of the central blade"},
                   [LEFT] = {"leftPosition", "m", 1e-5, "Tie-boss of the left blade"},
                   [RIGHT] = {"rightPosition", "m", 1e-5, "Tie-boss of the right blade"},
                   [VELOCITIES + TIP] = {"tipVelocity", "m/s", 1e-3, "Tip of the central blade"},
                   [VELOCITIES +
                       LEFT] = {"leftVelocity", "m/s", 1e-3, "Tie-boss of the left blade"},
                   [VELOCITIES +
                       RIGHT] = {"rightVelocity", "m/s", 1e-3, "Tie-boss of the right blade"},
                   [LOSS] = {"loss", "J", 1e-3, "Energy that both contacts have taken"}),
    .outputs = QUANTITIES({"excitation", "N", 1, "Force at the tip of the central blade"},
                          {"slipDisplacement", "m", 1e-6, "Displacement in the left contact"}),
    .contacts = CONTACTS({"left", "colantonio2022_blades", offers, needs},
                         {"right", "colantonio2022_blades", offers, needs}),
    .inputs = inputs,
    .rates = rates,
    .results = results,
    .event_time = event_time,
};
