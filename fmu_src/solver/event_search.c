/* The search for events in trial steps. */
#include <float.h>
#include <math.h>
#include <stddef.h>

/* Whether an indicator can change in a step. Without modes only inputs cause events; where neither
 * states nor inputs change, there are none. */
static int can_change(const Motion *motion) {
    return !motion->held || (N_STATES > 0 && N_MODES > 0);
}

static void probe(const Motion *motion, const Point *from, double h, double s, const States *x,
                  Probe *result) {
    result->s = s;
    indicators_at(motion, from->t + s * h, x, &from->m, result->g);
}

/* Whether an indicator has another sign after a step of length h to x1 than before. */
static int indicator_changed(const Motion *motion, const Point *from, const Probe *before, double h,
                             const States *x1) {
    Probe after;
    probe(motion, from, h, 1, x1, &after);
    return signs_differ(before, &after, N_INDICATORS);
}

/* Searches for an indicator that crosses zero twice between three successive probes: alternately
 * where the parabola through them is nearest to zero and, since the indicator may have a corner
 * there, in the middle of the longer side, with the best probe in the middle from then on. Returns
 * the fraction of the step at which an indicator has changed, or 0. */
static double find_double_crossing(const Motion *motion, const Cubic *cubic, const Probe *start,
                                   double h, const Probe *probes) {
    enum { REFINEMENTS = 24 }; /* every second one halves a side, down to 3e-5 of the step */
    for (int i = 0; i < N_INDICATORS; i++) {
        Probe a = probes[0], b = probes[1], c = probes[2];
        if (nearest_to_zero(&a, &b, &c, i) == 0) continue;
        for (int n = 0; n < REFINEMENTS && may_reach_zero(&a, &b, &c, i); n++) {
            double s = n % 2 == 0 ? nearest_to_zero(&a, &b, &c, i) : 0;
            if (!(s > a.s) || s == b.s) s = 0.5 * (b.s + (b.s - a.s > c.s - b.s ? a.s : c.s));
            const States between = dense_output(motion, cubic, s);
            Probe next;
            probe(motion, cubic->from, h, s, &between, &next);
            if (signs_differ(start, &next, N_INDICATORS)) return s;
            const int nearer = fabs(next.g[i]) < fabs(b.g[i]);
            Probe *const end = nearer == (s < b.s) ? &c : &a; /* the one that is replaced */
            *end = nearer ? b : next;
            if (nearer) b = next;
        }
    }
    return 0;
}

/* Searches the beginning of a step after a reversal: the speed passes all bands from zero on, each
 * in a time of its own size, so that every probe is four times later than the one before, from 1e-9
 * of the step on, where the speed is 1e-9 of that at the end. */
COLD static double find_early_change(const Motion *motion, const Cubic *cubic, const Probe *start,
                                     double h) {
    Probe probes[3] = {*start, *start, *start};
    for (double s = 1.0 / (1 << 30); s < 1.0 / 32; s *= 4) {
        const States between = dense_output(motion, cubic, s);
        probes[0] = probes[1];
        probes[1] = probes[2];
        probe(motion, cubic->from, h, s, &between, &probes[2]);
        if (signs_differ(start, &probes[2], N_INDICATORS)) return s;
        const double peak =
            probes[1].s > 0 ? find_double_crossing(motion, cubic, start, h, probes) : probes[1].s;
        if (peak > 0) return peak;
    }
    return 0;
}

/* Whether all states are monotone in a step, and all indicators far from zero at its start, in its
 * middle and at its end. A cubic is monotone where the slopes at its ends have the sign of its
 * change and are at most three times it (Fritsch and Carlson 1980). */
static int stays_far_from_zero(const Motion *motion, const Cubic *cubic, const Probe *start,
                               double h) {
    Probe probes[3] = {*start, *start, *start};
    for (int i = 0; i < N_STATES; i++) {
        const double change = cubic->change[i], a = change + cubic->left[i],
                     b = change + cubic->right[i];
        if (a * change < 0 || b * change < 0 || fmax(fabs(a), fabs(b)) > 3 * fabs(change)) return 0;
    }
    for (int part = 1; part <= 2; part++) {
        const States x = dense_output(motion, cubic, 0.5 * part);
        probe(motion, cubic->from, h, 0.5 * part, &x, &probes[part]);
        if (signs_differ(start, &probes[part], N_INDICATORS)) return 0;
    }
    return all_far_from_zero(probes, 2, N_INDICATORS);
}

/* Finds the first part of a trial step after which an indicator has changed; 0 if none has. Inside
 * the step the states are interpolated, so that a change that is reversed at the end is found too.
 * Short-lived changes are most likely at the start, after an event, and at the end, before a
 * reversal, since a damper makes the force reverse a little earlier. Without modes only inputs
 * cause events, and their linear motion causes none twice, unless a computed normal force comes and
 * goes. */
FLATTENED static double find_first_change(const Motion *motion, const Point *from,
                                          const Probe *start, double h, const States *x1) {
    static const double parts[] = {1.0 / 256, 1.0 / 64, 1.0 / 16, 0.125, 0.25,      0.375,
                                   0.5,       0.625,    0.75,     0.875, 63.0 / 64, 1};
    enum { PARTS = sizeof parts / sizeof *parts };
    if (N_MODES == 0 && stays_in_contact(motion, from->t, from->t + h))
        return indicator_changed(motion, from, start, h, x1) ? h : 0;
    const Cubic cubic = cubic_between(motion, from, x1, h);
    if (from->t == time_of_reversal(motion)) {
        const double early = find_early_change(motion, &cubic, start, h);
        if (early > 0) return early * h;
    }
    if (stays_far_from_zero(motion, &cubic, start, h)) return 0;
    Probe probes[PARTS + 1];
    const Signs signs = signs_at(start, N_INDICATORS);
    int last = 0;
    probes[0] = *start;
    for (; last < PARTS; last++) {
        Probe *next = &probes[last + 1];
        const double s = next->s = parts[last];
        const States between = s < 1 ? dense_output(motion, &cubic, s) : *x1;
        indicators_at(motion, from->t + s * h, &between, &from->m,
                      next->g); /* a probe, with the law inlined */
        if (signs_at(next, N_INDICATORS) != signs) break;
    }
    if (last == PARTS && all_far_from_zero(probes, last, N_INDICATORS)) return 0;
    for (int n = first_minimum(probes, 1, last, N_INDICATORS); n < last;
         n = first_minimum(probes, n + 1, last, N_INDICATORS)) {
        const double peak = find_double_crossing(motion, &cubic, start, h, &probes[n - 1]);
        if (peak > 0) return peak * h;
    }
    return last < PARTS ? parts[last] * h : 0;
}

/* Probes the indicators after a trial step; returns whether that is finite. */
static int probe_after(const Motion *motion, const Point *from, double h, Probe *result) {
    States x1 = from->x;
    const double error = BY_INPUTS ? 0 : trial_step(motion, from, h, &x1);
    if (isfinite(error)) probe(motion, from, h, 1, &x1, result);
    result->s = h;
    return isfinite(error);
}

/* Locates a change of an indicator in a trial step of length h, in an interval [*before, *after];
 * returns the number of trials. With a body the longer step in which the change was found may be
 * affected by what follows the change: then there is none until h, and *after is 0. Tries points a
 * fraction of the resolution after and before the expected time by turns, so that both ends
 * converge, and the middle where two of these have not halved the interval. */
static int locate_change(const Motion *motion, const Point *from, const Probe *start, double h,
                         double resolution, double *before, double *after) {
    Probe left = *start, right = *start;
    int trials = 0, known = 0, slow = 0; /* known: the indicators at the end */
    left.s = 0;
    right.s = h;
    if (isfinite(shortest_growing(motion))) {
        trials = 1;
        known = probe_after(motion, from, h, &right);
        if (known && !signs_differ(start, &right, N_INDICATORS)) {
            *before = h;
            *after = 0;
            return trials;
        }
    }
    for (; right.s - left.s > resolution; trials++) {
        const double width = right.s - left.s;
        double s = left.s + 0.5 * width;
        if (known && slow < 2) {
            const double aside = 0.25 * resolution;
            s = expected_change(&left, &right, N_INDICATORS) + (trials % 2 ? aside : -aside);
            s = fmin(fmax(s, left.s + aside), right.s - aside);
        } else {
            slow = 0;
        }
        Probe next = right;
        const int finite = probe_after(motion, from, s, &next);
        if (finite && !signs_differ(start, &next, N_INDICATORS)) {
            left = next;
        } else {
            right = next;
            known = finite;
        }
        if (right.s - left.s > 0.5 * width) slow++;
    }
    *before = left.s;
    *after = right.s;
    return trials;
}

/* Bisects an interval in which an indicator changes by the inputs alone, down to rounding: where
 * the normal force passes through zero, a law is singular, and how much of a deflection survives
 * depends on how closely that time is approached. Does nothing where the change depends on the
 * states x. */
static void narrow_by_inputs(const Motion *motion, const Point *from, const Probe *start,
                             const States *x, double *before, double *after) {
    if (motion->held || !indicator_changed(motion, from, start, *after, x)) return;
    /* of the end, so that a change at the start takes no longer; less cannot be halved */
    const double rounding = fmax(DBL_EPSILON * (from->t + *after), DBL_MIN);
    double left = *before;
    while (*after - left > rounding) {
        const double middle = 0.5 * (left + *after);
        *(indicator_changed(motion, from, start, middle, x) ? after : &left) = middle;
    }
    /* a sum of times with another rounding must not be beyond the change either */
    *before = fmax(*before, left - 2 * rounding);
}

/* Steps from the last point before a located change, with the states x1, to the first point after
 * it, and returns its time in the step. Up to the change no stage of a step may be evaluated beyond
 * it. A fast motion moves far beyond the change within the time resolution: then the change is
 * located between the states, to the tolerance. */
static double step_across_change(const Motion *motion, const Point *from, const Probe *start,
                                 double before, double after, States *x1) {
    Point last = point_at(motion, from->t + before, x1, &from->m);
    double left = before;
    narrow_by_inputs(motion, from, start, x1, &left, &after);
    if (left > before && isfinite(trial_step(motion, &last, left - before, x1)))
        last = point_at(motion, from->t + left, x1, &from->m);
    States lower = last.x, middle = no_states;
    double change[STATE_ROOM], allowed[STATE_ROOM];
    if (!isfinite(trial_step(motion, &last, after - left, x1))) return after;
    for (;;) {
        for (int i = 0; i < N_STATES; i++) {
            const double a = state_values(&lower)[i], b = state_values(x1)[i];
            change[i] = b - a;
            state_places(&middle)[i] = 0.5 * a + 0.5 * b;
        }
        allowed_errors(motion, &last, after - left, x1, allowed);
        if (scaled_error(motion, change, state_values(x1), allowed) <= 1) return after;
        if (indicator_changed(motion, from, start, after, &middle))
            *x1 = middle;
        else
            lower = middle;
    }
}
