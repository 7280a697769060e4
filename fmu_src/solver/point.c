/* What a run is made of: the motion of the inputs over a communication step, and points on the way. */
#include <math.h>

enum { STATE_ROOM = N_STATES > 0 ? N_STATES : 1, INDICATOR_ROOM = N_INDICATORS > 0 ? N_INDICATORS : 1 };

static const double ROUNDING = 1e-13; /* of a state, in the estimate of its error */

static const Parameters no_parameters = {0};
static const Inputs no_inputs = {0};
static const States no_states = {0};

/* FLATTENED: a function that has the model for itself: all that it calls is inlined, and what only outputs need that it does not give is left
 * out. NOINLINE and COLD: functions that stay out of their callers, so as not to burden the usual way through these; COLD ones are seldom called at
 * all. */
#ifdef __GNUC__
#define FLATTENED __attribute__((noinline, flatten))
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((noinline, cold))
#else
#define FLATTENED
#define NOINLINE
#define COLD
#endif

typedef struct {
    const Parameters *p;
    const Inputs *u_start; /* inputs at the start of the communication step, */
    const Inputs *u_rate;  /* their rates during it */
    double tolerance;      /* relative; absolute in units of a state's nominal value */
    int held;              /* all rates are zero */
    void (*note)(void *log, double t, const Modes *before,
                 const Modes *after); /* told of every change of modes, or NULL */
    void *log;
} Motion;

static Inputs inputs_at(const Motion *motion, double t) {
    Inputs u = *motion->u_start;
    if (!motion->held) {
        double *value = (double *)&u;
        const double *rate = (const double *)motion->u_rate;
        for (int i = 0; i < N_INPUTS; i++) value[i] += t * rate[i];
    }
    return u;
}

/* A point of the run, from which trial steps of any length start. */
typedef struct {
    double t;
    States x;
    Modes m;
    States f;                         /* rates of the states */
    double J[STATE_ROOM][STATE_ROOM]; /* their Jacobian with respect to the states */
} Point;

/* Linear states do not see each other, so one direction gives all of their slopes. */
static States all_directions(void) {
    States seed = no_states;
    for (int i = 0; i < N_STATES; i++) ((double *)&seed)[i] = 1;
    return seed;
}

FLATTENED static States rates_at(const Motion *motion, double t, const States *x, const Modes *m) {
    States f = no_states;
    Outputs y;
    const Inputs u = inputs_at(motion, t);
    evaluate(motion->p, &u, x, m, &f, &y);
    return f;
}

/* Time derivatives of the rates, as the inputs move. */
FLATTENED static States rate_derivatives(const Motion *motion, const Point *point) {
    States f, f_rate = no_states;
    Outputs y, y_slope;
    const Inputs u = inputs_at(motion, point->t);
    evaluate_slopes(motion->p, &no_parameters, &u, motion->u_rate, &point->x, &no_states, &point->m, &f, &f_rate, &y,
                    &y_slope);
    return f_rate;
}

/* Rates of linear states with their slopes along themselves. */
FLATTENED static void linear_rates_at(const Motion *motion, double t, const States *x, const Modes *m, States *f,
                                      States *slopes) {
    const States seed = all_directions();
    Outputs y, y_slopes;
    const Inputs u = inputs_at(motion, t);
    evaluate_state_slopes(motion->p, &u, x, &seed, m, f, slopes, &y, &y_slopes);
}

/* A point with its rates and their slopes. */
FLATTENED static Point point_at(const Motion *motion, double t, const States *x, const Modes *m) {
    Point point = {t, *x, *m, no_states, {{0}}};
    States slope;
    if (LINEAR_STATES) {
        linear_rates_at(motion, t, x, m, &point.f, &slope);
        for (int i = 0; i < N_STATES; i++) point.J[i][i] = ((const double *)&slope)[i];
        return point;
    }
    const Inputs u = inputs_at(motion, t);
    Outputs y, y_slope;
    for (int j = 0; j < N_STATES; j++) {
        States seed = no_states;
        ((double *)&seed)[j] = 1;
        evaluate_state_slopes(motion->p, &u, x, &seed, m, &point.f, &slope, &y, &y_slope);
        for (int i = 0; i < N_STATES; i++) point.J[i][j] = ((const double *)&slope)[i];
    }
    return point;
}

/* States inside a step: the cubic through both ends and their rates. */
typedef struct {
    const Point *from;
    double way[STATE_ROOM];                     /* from the start to the end */
    double left[STATE_ROOM], right[STATE_ROOM]; /* by which the rates at both ends, over the step, are more than it */
} Cubic;

static Cubic cubic_between(const Point *from, const States *x1, const States *f1, double h) {
    Cubic cubic;
    cubic.from = from;
    for (int i = 0; i < N_STATES; i++) {
        const double a = ((const double *)&from->x)[i], b = ((const double *)x1)[i];
        cubic.way[i] = b - a;
        cubic.left[i] = h * ((const double *)&from->f)[i] - (b - a);
        cubic.right[i] = h * ((const double *)f1)[i] - (b - a);
    }
    return cubic;
}

/* States at the part s of the step. */
static States dense_output(const Cubic *cubic, double s) {
    States x = no_states;
    for (int i = 0; i < N_STATES; i++) {
        const double bend = (1 - s) * cubic->left[i] - s * cubic->right[i];
        ((double *)&x)[i] = ((const double *)&cubic->from->x)[i] + s * cubic->way[i] + s * (1 - s) * bend;
    }
    return x;
}

/* Rate of a state there, over the step. */
static double rate_inside(const Cubic *cubic, int i, double s) {
    const double bend = (1 - s) * cubic->left[i] - s * cubic->right[i];
    return cubic->way[i] + (1 - 2 * s) * bend - s * (1 - s) * (cubic->left[i] + cubic->right[i]);
}

/* What the law tells apart of the states, each as a whole. A model that does not say resolves the nominal values and the states
 * themselves; no model less than a 1e-7 part of a nominal value. */
static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m) {
    States resolved = no_states;
    double *value = (double *)&resolved;
    for (int i = 0; i < N_STATES; i++) value[i] = INFINITY;
#if HAS_RESOLUTION
    const Inputs u = inputs_at(motion, t);
    resolution(motion->p, &u, x, m, &resolved);
#else
    (void)motion;
    (void)t;
    (void)m;
#endif
    for (int i = 0; i < N_STATES; i++) {
        const double size = state_nominals[i] + fabs(((const double *)x)[i]);
        value[i] = fmax(fmin(value[i], size), 1e-7 * state_nominals[i]);
    }
    return resolved;
}

/* Errors that a step of length h to x1 may make: the tolerance times what the law resolves at its end, and what rounding makes of the
 * larger end. */
static void allowed_errors(const Motion *motion, const Point *from, double h, const States *x1, double *allowed) {
    const States resolved = resolved_at(motion, from->t + h, x1, &from->m);
    for (int i = 0; i < N_STATES; i++) {
        const double size = fmax(fabs(((const double *)&from->x)[i]), fabs(((const double *)x1)[i]));
        allowed[i] = motion->tolerance * ((const double *)&resolved)[i] + ROUNDING * size;
    }
}

/* Error of a step in units of what is allowed; infinite if a state is not finite. */
static double scaled_error(const double *error, const double *x1, const double *allowed) {
    double worst = 0;
    for (int i = 0; i < N_STATES; i++) {
        if (!isfinite(x1[i])) return INFINITY;
        worst = fmax(worst, fabs(error[i]) / allowed[i]);
    }
    return isfinite(worst) ? worst : INFINITY;
}
