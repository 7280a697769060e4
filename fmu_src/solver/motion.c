/* The motion of the inputs over a communication step, and what all parts of the solver use. */
#include <math.h>

#include "solver/stepping.h"

enum {
    LAW_STATES = N_STATES,
    STATE_ROOM = N_STATES > 0 ? N_STATES : 1,
    INDICATOR_ROOM = N_INDICATORS > 0 ? N_INDICATORS : 1,
    IS_LINEAR = LINEAR_STATES,
    BY_INPUTS = N_MODES == 0, /* no state has a part in an event */
    /* as many states as axes: a vector that follows the velocity, nearly always with one rate */
    ONE_RATE = N_AXES > 1 && N_STATES == N_AXES,
    HAS_LINEAR_STEPS = LINEAR_STATES || ONE_RATE, /* with the exponential */
    SOLUTIONS = 1                                 /* of the ODE in a communication step */
};

static const Parameters no_parameters = {0};
static const Inputs no_inputs = {0};
static const States no_states = {0};

/* States of the law, also where those of the body are appended. */
typedef States LawStates;
static const LawStates no_law_states = {0};

VALUES(Parameters, double, parameter_values, parameter_places)
VALUES(Inputs, double, input_values, input_places)
VALUES(Outputs, double, output_values, output_places)
VALUES(Modes, int, mode_values, mode_places)

static inline double *velocity_of(Inputs *u) {
    return input_places(u) + COUPLED_VELOCITY;
}

static double dot_product(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N_AXES; i++) sum += a[i] * b[i];
    return sum;
}

/* A body whose velocity is solved for with the law. */
typedef struct {
    double inverse_mass;
    double speed;       /* change of velocity that matters */
    double shortest;    /* step down to which a departure from stick is resolved */
    const double *load; /* on each axis, constant over a communication step */
} Body;

typedef struct {
    const Parameters *p;
    const Inputs *u_start; /* inputs at the start of the communication step, */
    const Inputs *u_rate;  /* their rates during it */
    double tolerance;      /* relative; absolute in units of a state's nominal value */
    int held;              /* all rates are zero */
    /* called at every event, or NULL; returns whether the step ends there */
    int (*on_event)(void *log, double t, const Modes *before, const Modes *after);
    void *log;
    double length;    /* of the communication step */
    const Body *body; /* or NULL: the law alone, with the velocity of the inputs */
} Motion;

/* Whether inputs with these rates are constant. */
static int are_held(const Inputs *rates) {
    int held = 1;
    for (int i = 0; i < N_INPUTS; i++)
        if (input_values(rates)[i] != 0) held = 0;
    return held;
}

static Inputs inputs_at(const Motion *motion, double t) {
    Inputs u = *motion->u_start;
    if (!motion->held) {
        double *value = input_places(&u);
        const double *rate = input_values(motion->u_rate);
        for (int i = 0; i < N_INPUTS; i++) value[i] += t * rate[i];
    }
    return u;
}
