/* Trial steps of whatever kind suits, and where in them an event happens. */
#include <math.h>
#include <stddef.h>

static double trial_step(const Motion *motion, const Point *from, double h, States *x1) {
    if (N_STATES == 0) {
        *x1 = from->x;
        return 0;
    }
    if (LINEAR_STATES && motion->held) return held_step(from, h, x1);
    if (LINEAR_STATES) {
        const double error = following_step(motion, from, h, x1);
        if (error <= 1) return error;
    }
    return rosenbrock_step(motion, from, h, x1);
}

static void indicator_signs(const Motion *motion, double t, const States *x, const Modes *m, int *sign) {
    double g[INDICATOR_ROOM];
    const Inputs u = inputs_at(motion, t);
    indicators(motion->p, &u, x, m, g);
    for (int i = 0; i < N_INDICATORS; i++) sign[i] = g[i] > 0;
}

/* Whether an indicator has another sign after a step of length h to x1 than before. */
static int indicator_changed(const Motion *motion, const Point *from, const int *before, double h, const States *x1) {
    int sign[INDICATOR_ROOM];
    indicator_signs(motion, from->t + h, x1, &from->m, sign);
    for (int i = 0; i < N_INDICATORS; i++)
        if (sign[i] != before[i]) return 1;
    return 0;
}

/* The first part of a trial step after which an indicator is seen to have changed; 0 if none has. Inside the step the
 * states are interpolated, so that a change that is gone again at the end is found too. Short-lived changes are most
 * likely at the start, after an event. Without modes only inputs, which move linearly, make events. */
static double first_change(const Motion *motion, const Point *from, const int *sign, double h, const States *x1) {
    static const double parts[] = {1.0 / 256, 1.0 / 64, 1.0 / 16, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875};
    if (N_MODES > 0) {
        const States f1 = rates_at(motion, from->t + h, x1, &from->m);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            const States between = inside(from, x1, &f1, h, parts[i]);
            if (indicator_changed(motion, from, sign, parts[i] * h, &between)) return parts[i] * h;
        }
    }
    return indicator_changed(motion, from, sign, h, x1) ? h : 0;
}

/* Narrows a change of an indicator in a trial step of length h down to an interval [*before, *after]. */
static void locate_change(const Motion *motion, const Point *from, const int *sign, double h, double resolution,
                          double *before, double *after) {
    double left = 0, right = h;
    while (right - left > resolution) {
        const double middle = 0.5 * (left + right);
        States x1;
        if (middle <= left || middle >= right) break;
        const double error = trial_step(motion, from, middle, &x1);
        if (isfinite(error) && !indicator_changed(motion, from, sign, middle, &x1))
            left = middle;
        else
            right = middle;
    }
    *before = left;
    *after = right;
}

/* From the last point before a located change, with the states x1, to the first point after it. The step is so short that
 * its error does not count, but it has to be stable, and it has to arrive: where rounding keeps it from doing so, the trial
 * step over the whole way, which has located the change, serves. */
static void cross_change(const Motion *motion, const Point *from, const int *sign, double before, double after,
                         States *x1) {
    const Point last = point_at(motion, from->t + before, x1, &from->m);
    States over;
    const double error = trial_step(motion, &last, after - before, &over);
    if (isfinite(error) && indicator_changed(motion, from, sign, after, &over))
        *x1 = over;
    else
        trial_step(motion, from, after, x1);
}
