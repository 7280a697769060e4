/* Steps under held inputs of states that are linear and do not see each other, or follow as a
 * vector, or of one that nearly is linear. */
#include <math.h>

static void multiply(const Point *from, const double *a, double *product) {
    for (int i = 0; i < N_STATES; i++) {
        product[i] = 0;
        for (int j = 0; j < N_STATES; j++) product[i] += from->J[i][j] * a[j];
    }
}

/* The direction in which the slope of a vector is taken: its own or, where it is zero, that of its
 * rate. */
static States direction_of(const Point *from) {
    for (int i = 0; i < N_STATES; i++)
        if (state_values(&from->x)[i] != 0) return from->x;
    return from->f;
}

/* The slope of each state along itself. */
static void own_slopes(const Point *from, double *slopes) {
    if (ONE_RATE) {
        const States direction = direction_of(from);
        multiply(from, state_values(&direction), slopes);
        take_one_slope(state_values(&direction), slopes);
        return;
    }
    for (int i = 0; i < N_STATES; i++) slopes[i] = from->J[i][i];
}

/* Whether a rate f of a vector, by the Jacobian at a point, has the slope that all of its
 * directions share, to rounding: with a grain, or out of the plane, it has another. */
static int shares_slope(const Point *from, const double *slopes, const double *f) {
    double change[STATE_ROOM], size = 0, off = 0;
    multiply(from, f, change);
    for (int i = 0; i < N_STATES; i++) {
        const double x = state_values(&from->x)[i];
        size = fmax(size, fabs(slopes[i]) * (fabs(f[i]) + fabs(slopes[i] * x)));
        off = fmax(off, fabs(change[i] - slopes[i] * f[i]));
    }
    return off <= 1e-9 * size;
}

/* Held inputs: x(h) = x + h phi(h J) f with phi(a) = (exp(a) - 1)/a. */
static double held_step(const Point *from, double h, States *x1) {
    double slopes[STATE_ROOM];
    own_slopes(from, slopes);
    for (int i = 0; i < N_STATES; i++) {
        const double a = h * slopes[i];
        const double phi = a == 0 ? 1 : expm1(a) / a;
        state_places(x1)[i] = state_values(&from->x)[i] + h * phi * state_values(&from->f)[i];
        if (!isfinite(state_values(x1)[i])) return INFINITY;
    }
    return !ONE_RATE || shares_slope(from, slopes, state_values(&from->f)) ? 0 : INFINITY;
}

/* A state alone under held inputs, whose rate is all but a straight line over the way that it goes:
 * the step of that line. Its error is what the rate leaves the line by, half way and at the end,
 * over the step. Where that is allowed, the next trial step may be twice as long: one of a higher
 * order may go further. A state alone does not turn round, so that a limit which it has met is seen
 * at the end. */
NOINLINE static double nearly_linear_step(const Motion *motion, const Point *from, double h,
                                          States *x1) {
    const double x0 = state_values(&from->x)[0], f0 = state_values(&from->f)[0], J = from->J[0][0];
    if (!(held_step(from, h, x1) <= 1)) return INFINITY;
    const double way = state_values(x1)[0] - x0;
    /* of a deviation from the line all over the step */
    const double weight = f0 == 0 ? 0 : way / f0;
    double allowed[STATE_ROOM], worst = 0;
    allowed_errors(motion, from, h, x1, allowed);
    for (int part = 2; part > 0;
         part--) { /* the end first: where it does not fit, the rest is not looked at */
        States x = no_states;
        state_places(&x)[0] = x0 + 0.5 * part * way;
        const States f = rates_at(motion, from->t, &x, &from->m);
        const double off =
            weight * fabs(state_values(&f)[0] - (f0 + J * (0.5 * part * way))) / allowed[0];
        if (!(off <= 1)) return INFINITY;
        worst = fmax(worst, off);
    }
    return fmin(worst, 0.04);
}
