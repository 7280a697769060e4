/* A point of a run and what is between two of them. */
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
    double way[STATE_ROOM]; /* from the start to the end */
    /* by which the rates at both ends, over the step, are more than it */
    double left[STATE_ROOM], right[STATE_ROOM];
} Cubic;

static States rates_at(const Motion *motion, double t, const States *x, const Modes *m);

static Cubic cubic_through(const Motion *motion, const Point *from, const States *x1,
                           const States *f1, double h) {
    (void)motion;
    Cubic cubic;
    cubic.from = from;
    for (int i = 0; i < N_STATES; i++) {
        const double way = state_values(x1)[i] - state_values(&from->x)[i];
        cubic.way[i] = way;
        cubic.left[i] = h * state_values(&from->f)[i] - way;
        cubic.right[i] = h * state_values(f1)[i] - way;
    }
    return cubic;
}

/* Finds the rates at the end, too: under held inputs those of linear states follow from the
 * start. */
static Cubic cubic_between(const Motion *motion, const Point *from, const States *x1, double h) {
    const int known = N_STATES == 0 || (IS_LINEAR && motion->held);
    States f1 = known ? from->f : rates_at(motion, from->t + h, x1, &from->m);
    for (int i = 0; i < N_STATES && known; i++)
        state_places(&f1)[i] += from->J[i][i] * (state_values(x1)[i] - state_values(&from->x)[i]);
    return cubic_through(motion, from, x1, &f1, h);
}

/* States at the part s of the step. */
static States dense_output(const Motion *motion, const Cubic *cubic, double s) {
    (void)motion;
    States x = no_states;
    for (int i = 0; i < N_STATES; i++) {
        const double bend = (1 - s) * cubic->left[i] - s * cubic->right[i];
        state_places(&x)[i] =
            state_values(&cubic->from->x)[i] + s * cubic->way[i] + s * (1 - s) * bend;
    }
    return x;
}

/* Rate of a state there, over the step. */
static double rate_inside(const Cubic *cubic, int i, double s) {
    const double bend = (1 - s) * cubic->left[i] - s * cubic->right[i];
    return cubic->way[i] + (1 - 2 * s) * bend - s * (1 - s) * (cubic->left[i] + cubic->right[i]);
}

/* What the equations tell apart of the states, each as a whole. */
static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m);

/* Errors that a step of length h to x1 may make: the tolerance times what the law resolves at its
 * end, and what rounding makes of the larger end. */
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
