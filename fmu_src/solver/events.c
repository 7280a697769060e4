/* Trial steps of whatever kind suits, and where in them an event happens. */
#include <float.h>
#include <math.h>
#include <stddef.h>

/* Whether an indicator can change in a step. Without modes only inputs make events; where neither a
 * state nor an input moves, nothing does. */
static int can_change(const Motion *motion) {
    return !motion->held || (N_STATES > 0 && N_MODES > 0);
}

static void look(const Motion *motion, const Point *from, double h, double s, const States *x,
                 Look *result) {
    result->s = s;
    indicators_at(motion, from->t + s * h, x, &from->m, result->g);
}

/* Whether an indicator has another sign after a step of length h to x1 than before. */
static int indicator_changed(const Motion *motion, const Point *from, const Look *before, double h,
                             const States *x1) {
    Look after;
    look(motion, from, h, 1, x1, &after);
    return signs_differ(before, &after, N_INDICATORS);
}

/* Looks once more where an indicator may have crossed zero and come back unseen between three looks
 * that follow each other: where the parabola through them comes nearest to zero and, since the
 * indicator may have a corner there, in the middle of the longer side, by turns and again with the
 * best look in the middle. Gives the part of the step at which an indicator is seen to have
 * changed, or 0. */
static double peak_between(const Motion *motion, const Cubic *cubic, const Look *start, double h,
                           const Look *looks) {
    enum { REFINEMENTS = 24 }; /* each second halves a side, an eighth of the step: to 3e-5 of it */
    for (int i = 0; i < N_INDICATORS; i++) {
        Look a = looks[0], b = looks[1], c = looks[2];
        if (nearest_to_zero(&a, &b, &c, i) == 0) continue;
        for (int n = 0; n < REFINEMENTS && may_reach_zero(&a, &b, &c, i); n++) {
            double s = n % 2 == 0 ? nearest_to_zero(&a, &b, &c, i) : 0;
            if (!(s > a.s) || s == b.s) s = 0.5 * (b.s + (b.s - a.s > c.s - b.s ? a.s : c.s));
            const States between = dense_output(motion, cubic, s);
            Look next;
            look(motion, cubic->from, h, s, &between, &next);
            if (signs_differ(start, &next, N_INDICATORS)) return s;
            const int nearer = fabs(next.g[i]) < fabs(b.g[i]);
            Look *const end = nearer == (s < b.s) ? &c : &a; /* the one that is left behind */
            *end = nearer ? b : next;
            if (nearer) b = next;
        }
    }
    return 0;
}

/* The same in the first part of a step after a reversal: the speed passes all bands from zero on,
 * each for a time of its own size, so that every look is four times later than the one before, from
 * 1e-9 of the step on, where it has a 1e-9 part of the speed of its end. */
COLD static double early_change(const Motion *motion, const Cubic *cubic, const Look *start,
                                double h) {
    Look looks[3] = {*start, *start, *start};
    for (double s = 1.0 / (1 << 30); s < 1.0 / 32; s *= 4) {
        const States between = dense_output(motion, cubic, s);
        looks[0] = looks[1];
        looks[1] = looks[2];
        look(motion, cubic->from, h, s, &between, &looks[2]);
        if (signs_differ(start, &looks[2], N_INDICATORS)) return s;
        const double peak =
            looks[1].s > 0 ? peak_between(motion, cubic, start, h, looks) : looks[1].s;
        if (peak > 0) return peak;
    }
    return 0;
}

/* Whether no state turns round in a step and all indicators are seen far from zero at its start, in
 * its middle and at its end. A cubic does not turn round where the slopes at its ends have the sign
 * of its way and are at most three times it (Fritsch and Carlson 1980). */
static int stays_far(const Motion *motion, const Cubic *cubic, const Look *start, double h) {
    Look looks[3] = {*start, *start, *start};
    for (int i = 0; i < N_STATES; i++) {
        const double way = cubic->way[i], a = way + cubic->left[i], b = way + cubic->right[i];
        if (a * way < 0 || b * way < 0 || fmax(fabs(a), fabs(b)) > 3 * fabs(way)) return 0;
    }
    for (int part = 1; part <= 2; part++) {
        const States x = dense_output(motion, cubic, 0.5 * part);
        look(motion, cubic->from, h, 0.5 * part, &x, &looks[part]);
        if (signs_differ(start, &looks[part], N_INDICATORS)) return 0;
    }
    return all_are_far(looks, 2, N_INDICATORS);
}

/* The first part of a trial step after which an indicator is seen to have changed; 0 if none has.
 * Inside the step the states are interpolated, so that a change that is gone again at the end is
 * found too. Short-lived changes are most likely at the start, after an event, and at the end,
 * before a reversal, since a damper lets the force turn a little earlier. Without modes only inputs
 * make events, and their linear motion makes no two of one, unless a normal force that is computed
 * from them comes and goes. */
FLATTENED static double first_change(const Motion *motion, const Point *from, const Look *start,
                                     double h, const States *x1) {
    static const double parts[] = {1.0 / 256, 1.0 / 64, 1.0 / 16, 0.125, 0.25,      0.375,
                                   0.5,       0.625,    0.75,     0.875, 63.0 / 64, 1};
    enum { PARTS = sizeof parts / sizeof *parts };
    if (N_MODES == 0 && keeps_contact(motion, from->t, from->t + h))
        return indicator_changed(motion, from, start, h, x1) ? h : 0;
    const Cubic cubic = cubic_between(motion, from, x1, h);
    if (from->t == time_of_reversal(motion)) {
        const double early = early_change(motion, &cubic, start, h);
        if (early > 0) return early * h;
    }
    if (stays_far(motion, &cubic, start, h)) return 0;
    Look looks[PARTS + 1];
    const Signs signs = signs_at(start, N_INDICATORS);
    int last = 0;
    looks[0] = *start;
    for (; last < PARTS; last++) {
        Look *next = &looks[last + 1];
        const double s = next->s = parts[last];
        const States between = s < 1 ? dense_output(motion, &cubic, s) : *x1;
        indicators_at(motion, from->t + s * h, &between, &from->m,
                      next->g); /* a look, with the law inlined */
        if (signs_at(next, N_INDICATORS) != signs) break;
    }
    if (last == PARTS && all_are_far(looks, last, N_INDICATORS)) return 0;
    for (int n = first_turn(looks, 1, last, N_INDICATORS); n < last;
         n = first_turn(looks, n + 1, last, N_INDICATORS)) {
        const double peak = peak_between(motion, &cubic, start, h, &looks[n - 1]);
        if (peak > 0) return peak * h;
    }
    return last < PARTS ? parts[last] * h : 0;
}

/* Looks at the indicators after a trial step; returns whether that is finite. */
static int look_after(const Motion *motion, const Point *from, double h, Look *result) {
    States x1 = from->x;
    const double error = BY_INPUTS ? 0 : trial_step(motion, from, h, &x1);
    if (isfinite(error)) look(motion, from, h, 1, &x1, result);
    result->s = h;
    return isfinite(error);
}

/* Narrows a change of an indicator in a trial step of length h down to an interval [*before,
 * *after]; gives the number of trials. With a body the longer step in which it was seen may have
 * been bent by what comes after the change: then there is none until h, and *after is 0. Tries a
 * part of the resolution beyond the time at which the change is expected and before it by turns, so
 * that both ends come near, and the middle where two of these have not halved the interval. */
static int locate_change(const Motion *motion, const Point *from, const Look *start, double h,
                         double resolution, double *before, double *after) {
    Look left = *start, right = *start;
    int trials = 0, seen = 0, slow = 0; /* seen: the indicators at the end are known */
    left.s = 0;
    right.s = h;
    if (isfinite(shortest_growing(motion))) {
        trials = 1;
        seen = look_after(motion, from, h, &right);
        if (seen && !signs_differ(start, &right, N_INDICATORS)) {
            *before = h;
            *after = 0;
            return trials;
        }
    }
    for (; right.s - left.s > resolution; trials++) {
        const double width = right.s - left.s;
        double s = left.s + 0.5 * width;
        if (seen && slow < 2) {
            const double aside = 0.25 * resolution;
            s = expected_change(&left, &right, N_INDICATORS) + (trials % 2 ? aside : -aside);
            s = fmin(fmax(s, left.s + aside), right.s - aside);
        } else {
            slow = 0;
        }
        Look next = right;
        const int finite = look_after(motion, from, s, &next);
        if (finite && !signs_differ(start, &next, N_INDICATORS)) {
            left = next;
        } else {
            right = next;
            seen = finite;
        }
        if (right.s - left.s > 0.5 * width) slow++;
    }
    *before = left.s;
    *after = right.s;
    return trials;
}

/* Narrows an interval in which an indicator changes by the inputs alone, as closely as rounding
 * tells: where the normal force passes through zero, a law is singular, and how much of a
 * deflection survives depends on how closely that time is approached. Leaves it as it is where the
 * states x have a part in the change. */
static void sharpen(const Motion *motion, const Point *from, const Look *start, const States *x,
                    double *before, double *after) {
    if (motion->held || !indicator_changed(motion, from, start, *after, x)) return;
    /* of the end, so that a change at the start takes no longer; less cannot be halved */
    const double rounding = fmax(DBL_EPSILON * (from->t + *after), DBL_MIN);
    double left = *before;
    while (*after - left > rounding) {
        const double middle = 0.5 * (left + *after);
        *(indicator_changed(motion, from, start, middle, x) ? after : &left) = middle;
    }
    /* a sum of times that is rounded otherwise must not be beyond the change either */
    *before = fmax(*before, left - 2 * rounding);
}

/* From the last point before a located change, with the states x1, to the first point after it,
 * whose time in the step it gives. Up to the change no stage of a step may see what comes after it.
 * A fast motion goes on far beyond the change within the time that is resolved: then the change is
 * located on the way between the states, to the tolerance. */
static double cross_change(const Motion *motion, const Point *from, const Look *start,
                           double before, double after, States *x1) {
    Point last = point_at(motion, from->t + before, x1, &from->m);
    double left = before;
    sharpen(motion, from, start, x1, &left, &after);
    if (left > before && isfinite(trial_step(motion, &last, left - before, x1)))
        last = point_at(motion, from->t + left, x1, &from->m);
    States lower = last.x, middle = no_states;
    double way[STATE_ROOM], allowed[STATE_ROOM];
    if (!isfinite(trial_step(motion, &last, after - left, x1))) return after;
    for (;;) {
        for (int i = 0; i < N_STATES; i++) {
            const double a = state_values(&lower)[i], b = state_values(x1)[i];
            way[i] = b - a;
            state_places(&middle)[i] = 0.5 * a + 0.5 * b;
        }
        allowed_errors(motion, &last, after - left, x1, allowed);
        if (scaled_error(motion, way, state_values(x1), allowed) <= 1) return after;
        if (indicator_changed(motion, from, start, after, &middle))
            *x1 = middle;
        else
            lower = middle;
    }
}
