/* A step for any states: RODAS (Hairer and Wanner, Solving Ordinary Differential Equations II,
 * IV.7), a Rosenbrock pair of order 4(3) with six stages, L-stable and stiffly accurate, with the
 * exact Jacobian; and checks for what its error estimate misses. */
#include <math.h>

#include "solver/rodas.h"

/* Whether a state is stiff at the start of a step and much less at its end, as at touch-down, or
 * unstable there, as beyond the peak of a friction curve: the stages, all damped with the stiffness
 * of the start, then miss the motion, and so does the error estimate. A factor of 100 is as good as
 * 10; with 1 or 2, which nearly every step exceeds, there would be many times the work. */
static int loses_stiffness(const Motion *motion, const Point *from, double h, const States *x1) {
    double stiffest = 0;
    for (int i = 0; i < N_STATES; i++) stiffest = fmax(stiffest, h * fabs(from->J[i][i]));
    if (stiffest < 1) return 0;
    const Point end = point_at(motion, from->t + h, x1, &from->m);
    /* for a law alone, and for the system of a host, which becomes unstable by up to a tenth at a
     * lift-off, the error estimate is enough */
    const double grows = isfinite(shortest_growing(motion)) ? -INFINITY : -0.1;
    for (int i = 0; i < N_STATES; i++) {
        const double left = end.J[i][i] / from->J[i][i];
        if (h * fabs(from->J[i][i]) > 1 && left < 0.1 && left > grows) return 1;
    }
    return 0;
}

/* The defect at the fraction s of a step: the difference of the rates from those of the cubic
 * through its ends, times this width, relative to what is allowed. */
static double defect_at(const Motion *motion, const Cubic *cubic, double h, double s, double width,
                        const double *allowed) {
    const States between = dense_output(motion, cubic, s);
    const States f = rates_at(motion, cubic->from->t + s * h, &between, &cubic->from->m);
    double defect[STATE_ROOM];
    for (int i = 0; i < N_STATES; i++)
        defect[i] = width * (h * state_values(&f)[i] - rate_inside(cubic, i, s));
    return scaled_error(motion, defect, state_values(&between), allowed);
}

/* Whether a step begins at rest, or ends with less than an eighth of its speed. */
static int starts_or_ends_at_rest(const Motion *motion, const Point *from, double h) {
    if (N_STATES - LAW_STATES > 0) return 0; /* the speed is a state */
    const double before = time_of_reversal(motion) - from->t;
    return before == 0 || (before > 0 && 8 * (before - h) < before);
}

/* Whether a step that looks smooth, from or to rest or where a reversal may be anywhere, passes
 * something that none of its stages has met, as a limit at which a deflection is held, or the rise
 * of friction before a motion stops: inside the step the rates then differ from those of the cubic
 * by more than the few tolerances that are its error in a smooth motion, those of a stiff state by
 * more than its stiffness explains. At rest the rates vanish with the velocity, whatever the law
 * is: ever smaller parts are checked, until the change in the last one, which falls with its
 * square, does not matter, by the cubic and by the change of the rates with the velocity there. */
static int misses_limit(const Motion *motion, const Point *from, double h, const States *x1,
                        const double *allowed) {
    const int at_rest = starts_or_ends_at_rest(motion, from, h);
    double stiffest = 0, change = 0;
    for (int i = 0; i < N_STATES; i++) stiffest = fmax(stiffest, h * fabs(from->J[i][i]));
    if (!at_rest && (stiffest > 1 || isfinite(time_of_reversal(motion)))) return 0;
    const Cubic cubic = cubic_between(motion, from, x1, h);
    for (int part = 1; part < 8; part++)
        if (defect_at(motion, &cubic, h, 0.125 * part, 0.125, allowed) > fmax(1, 0.125 * stiffest))
            return 1;
    if (!at_rest) return 0;
    const Point end = {from->t + h, *x1, from->m, no_states, {{0}}};
    const States rate_change = rate_derivatives(motion, &end);
    for (int i = 0; i < N_STATES; i++)
        change = fmax(change, (fabs(cubic.change[i]) + fabs(cubic.left[i]) + fabs(cubic.right[i]) +
                               0.5 * h * h * fabs(state_values(&rate_change)[i])) /
                                  allowed[i]);
    for (double width = 0.0625; width * width * change > 1; width *= 0.25)
        if (defect_at(motion, &cubic, h, 1 - width, width, allowed) > fmax(1, width * stiffest))
            return 1;
    return 0;
}

/* Factorizes a multiple of the identity minus the Jacobian of a point; returns whether the
 * determinant is negative. */
static inline int factorize_shifted(const Motion *motion, const Point *at, double number,
                                    double W[MATRIX_ROOM][MATRIX_ROOM], int *row) {
    (void)motion;
    for (int i = 0; i < N_STATES; i++)
        for (int j = 0; j < N_STATES; j++) W[i][j] = (i == j ? number : 0) - at->J[i][j];
    return factorize(N_STATES, W, row);
}

/* Solves (number - J) change = rates with the Jacobian of a point; returns whether the determinant
 * is negative. */
static inline int solve_shifted(const Motion *motion, const Point *at, double number,
                                const double *rates, double *change) {
    double W[MATRIX_ROOM][MATRIX_ROOM];
    int row[STATE_ROOM];
    const int negative = factorize_shifted(motion, at, number, W, row);
    back_substitute(N_STATES, W, row, rates, change);
    return negative;
}

/* Whether the rates f at the end of a step, before the last stage, are those of the linearization
 * at its start: the states then follow that, up to the allowed errors, whatever the method
 * damps. */
static int stays_linear(const Motion *motion, const Point *from, double h, const States *x1,
                        const double *last, const States *f, const double *allowed) {
    double deviation[STATE_ROOM];
    for (int i = 0; i < N_STATES; i++) {
        deviation[i] = h * (state_values(f)[i] - state_values(&from->f)[i]);
        for (int j = 0; j < N_STATES; j++)
            deviation[i] -=
                h * from->J[i][j] * (state_values(x1)[j] - last[j] - state_values(&from->x)[j]);
    }
    return scaled_error(motion, deviation, state_values(x1), allowed) <= 1;
}

/* Makes a step of length h to x1; returns its scaled error. */
NOINLINE static double rosenbrock_step(const Motion *motion, const Point *from, double h,
                                       States *x1) {
    const double *x0 = state_values(&from->x);
    double *end = state_places(x1);
    const double per_h = 1 / h;
    double W[MATRIX_ROOM][MATRIX_ROOM], k[RODAS_STAGES][STATE_ROOM];
    int row[STATE_ROOM];
    const States f_rate = motion->held ? no_states : rate_derivatives(motion, from);
    States f = from->f;

    if (factorize_shifted(motion, from, 1 / (rodas_gamma * h), W, row) &&
        h > shortest_growing(motion))
        return TOO_LONG;
#ifdef __clang__
#pragma clang loop unroll(full) /* so that the loops over earlier stages have constant lengths */
#endif
    for (int s = 0; s < RODAS_STAGES; s++) {
        if (s >= RODAS_AT_START) {
            for (int i = 0; i < N_STATES; i++) {
                end[i] = x0[i];
                for (int j = 0; j < s; j++) end[i] += rodas_a[s][j] * k[j][i];
            }
            f = rates_at(motion, from->t + rodas_time[s] * h, x1, &from->m);
        }
        double rhs[STATE_ROOM];
        for (int i = 0; i < N_STATES; i++) {
            rhs[i] = state_values(&f)[i] + rodas_time_slope[s] * h * state_values(&f_rate)[i];
            for (int j = 0; j < s; j++) rhs[i] += rodas_c[s][j] * per_h * k[j][i];
        }
        back_substitute(N_STATES, W, row, rhs, k[s]);
    }
    for (int i = 0; i < N_STATES; i++) end[i] += k[RODAS_STAGES - 1][i];
    double allowed[STATE_ROOM];
    allowed_errors(motion, from, h, x1, allowed);
    const double error = scaled_error(motion, k[RODAS_STAGES - 1], end, allowed);
    const int linear = error <= 1 && isfinite(shortest_growing(motion)) &&
                       stays_linear(motion, from, h, x1, k[RODAS_STAGES - 1], &f, allowed);
    if (error <= 1 && !linear && loses_stiffness(motion, from, h, x1)) return TOO_LONG;
    if (error <= 1 && misses_limit(motion, from, h, x1, allowed)) return TOO_LONG;
    return error;
}
