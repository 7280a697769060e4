/* A point of a run, and the interpolation between two of them. */
#include <math.h>

VALUES(States, double, state_values, state_places)

/* A point of the run, from which trial steps of any length start. */
typedef struct {
    double t;
    States x;
    Modes m;
    States f;                         /* rates of the states */
    double J[STATE_ROOM][STATE_ROOM]; /* their Jacobian with respect to the states */
} Point;

/* States inside a step: the cubic through both ends and their rates. */
typedef struct {
    const Point *from;
    double change[STATE_ROOM]; /* from the start to the end */
    /* difference of it from the rates at both ends, times the step */
    double left[STATE_ROOM], right[STATE_ROOM];
} Cubic;

static States rates_at(const Motion *motion, double t, const States *x, const Modes *m);

static Cubic cubic_through(const Motion *motion, const Point *from, const States *x1,
                           const States *f1, double h) {
    (void)motion;
    Cubic cubic;
    cubic.from = from;
    for (int i = 0; i < N_STATES; i++) {
        const double change = state_values(x1)[i] - state_values(&from->x)[i];
        cubic.change[i] = change;
        cubic.left[i] = h * state_values(&from->f)[i] - change;
        cubic.right[i] = h * state_values(f1)[i] - change;
    }
    return cubic;
}

/* The same with the rates at the end: under held inputs those of linear states follow from the
 * start. */
static Cubic cubic_between(const Motion *motion, const Point *from, const States *x1, double h) {
    const int known = N_STATES == 0 || (IS_LINEAR && motion->held);
    States f1 = known ? from->f : rates_at(motion, from->t + h, x1, &from->m);
    for (int i = 0; i < N_STATES && known; i++)
        state_places(&f1)[i] += from->J[i][i] * (state_values(x1)[i] - state_values(&from->x)[i]);
    return cubic_through(motion, from, x1, &f1, h);
}

/* Interpolates the states at the fraction s of the step. */
static States dense_output(const Motion *motion, const Cubic *cubic, double s) {
    (void)motion;
    States x = no_states;
    for (int i = 0; i < N_STATES; i++) {
        const double correction = (1 - s) * cubic->left[i] - s * cubic->right[i];
        state_places(&x)[i] =
            state_values(&cubic->from->x)[i] + s * cubic->change[i] + s * (1 - s) * correction;
    }
    return x;
}

/* Rate of a state there, times the step. */
static double rate_inside(const Cubic *cubic, int i, double s) {
    const double correction = (1 - s) * cubic->left[i] - s * cubic->right[i];
    return cubic->change[i] + (1 - 2 * s) * correction -
           s * (1 - s) * (cubic->left[i] + cubic->right[i]);
}

/* The change of each state that the equations resolve. */
static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m);

/* Errors allowed for a step of length h to x1: the tolerance times the resolution of the law at its
 * end, and rounding of the larger end. */
static void allowed_errors(const Motion *motion, const Point *from, double h, const States *x1,
                           double *allowed) {
    const States resolved = resolved_at(motion, from->t + h, x1, &from->m);
    for (int i = 0; i < N_STATES; i++) {
        const double size = fmax(fabs(state_values(&from->x)[i]), fabs(state_values(x1)[i]));
        allowed[i] = motion->tolerance * state_values(&resolved)[i] + ROUNDING * size;
    }
}

/* Error of a step in units of what is allowed; infinite if a state is not finite. */
static double scaled_error(const Motion *motion, const double *error, const double *x1,
                           const double *allowed) {
    (void)motion;
    double worst = 0;
    for (int i = 0; i < N_STATES; i++) {
        if (!isfinite(x1[i])) return INFINITY;
        worst = fmax(worst, fabs(error[i]) / allowed[i]);
    }
    return worst;
}
