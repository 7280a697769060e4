/* Trial steps of whatever kind suits, and where in them an event happens. */
#include <math.h>
#include <stddef.h>

static double trial_step(const Motion *motion, const Point *from, double h, States *x1) {
    if (N_STATES == 0) {
        *x1 = from->x;
        return 0;
    }
    if (LINEAR_STATES && motion->held) return held_step(from, h, x1);
    if (LINEAR_STATES || (N_STATES == 1 && motion->held)) {
        const double error =
            LINEAR_STATES ? following_step(motion, from, h, x1) : nearly_linear_step(motion, from, h, x1);
        if (error <= 1) return error;
    }
    return rosenbrock_step(motion, from, h, x1);
}

/* Whether an indicator can change in a step. Without modes only inputs make events; where neither a state nor an input moves, nothing does. */
static int can_change(const Motion *motion) {
    return !motion->held || (N_STATES > 0 && N_MODES > 0);
}

/* Indicators at one point of a trial step, at the part s of it. */
typedef struct {
    double s;
    double g[INDICATOR_ROOM];
} Look;

static void look(const Motion *motion, const Point *from, double h, double s, const States *x, Look *result) {
    const Inputs u = inputs_at(motion, from->t + s * h);
    result->s = s;
    indicators(motion->p, &u, x, &from->m, result->g);
}

/* One bit for each indicator that is positive. */
static unsigned signs_at(const Look *at) {
    unsigned signs = 0;
    for (int i = 0; i < N_INDICATORS; i++) signs |= (unsigned)(at->g[i] > 0) << i;
    return signs;
}

static int signs_differ(const Look *a, const Look *b) {
    return signs_at(a) != signs_at(b);
}

/* Whether an indicator has another sign after a step of length h to x1 than before. */
static int indicator_changed(const Motion *motion, const Point *from, const Look *before, double h, const States *x1) {
    Look after;
    look(motion, from, h, 1, x1, &after);
    return signs_differ(before, &after);
}

/* The part of a step at which the parabola through three looks at an indicator comes nearest to zero; 0 where the one in the middle is
 * not the nearest of them. */
static double nearest_to_zero(const Look *a, const Look *b, const Look *c, int i) {
    const double left = fabs(a->g[i]) - fabs(b->g[i]), right = fabs(c->g[i]) - fabs(b->g[i]);
    const double before = b->s - a->s, after = c->s - b->s;
    if (left < 0 || right < 0 || left + right == 0) return 0;
    return b->s + 0.5 * (left * after * after - right * before * before) / (left * after + right * before);
}

/* The first of the looks between n and the last at which an indicator is nearer to zero than at those beside it; the last where there is none,
 * which is nearly always so. */
static int first_turn(const Look *looks, int n, int last) {
    for (; n < last; n++)
        for (int i = 0; i < N_INDICATORS; i++) {
            const double now = fabs(looks[n].g[i]), before = fabs(looks[n - 1].g[i]), after = fabs(looks[n + 1].g[i]);
            if (now > before || now > after || (now == before && now == after)) continue;
            return n;
        }
    return n;
}

/* Whether all looks see each indicator further from zero than it varies: then no parabola through them reaches zero. */
static int all_are_far(const Look *looks, int last) {
    for (int i = 0; i < N_INDICATORS; i++) {
        double least = fabs(looks[0].g[i]), most = least;
        for (int n = 1; n <= last; n++) {
            const double now = fabs(looks[n].g[i]);
            least = now < least ? now : least;
            most = now > most ? now : most;
        }
        if (least <= most - least) return 0;
    }
    return 1;
}

/* Looks once more where an indicator may have crossed zero and come back unseen between three looks that follow each other: where the
 * parabola through them comes nearest to zero, and again with the better look in the middle. Gives the part of the step at which an
 * indicator is seen to have changed, or 0. */
static double peak_between(const Motion *motion, const Cubic *cubic, const Look *start, double h, const Look *looks) {
    enum { REFINEMENTS = 3 };
    for (int i = 0; i < N_INDICATORS; i++) {
        double s = nearest_to_zero(&looks[0], &looks[1], &looks[2], i);
        if (s == 0) continue;
        Look a = looks[0], b = looks[1], c = looks[2];
        for (int n = 0; n < REFINEMENTS; n++, s = nearest_to_zero(&a, &b, &c, i)) {
            if (!(s > a.s && s < c.s) || s == b.s) break;
            const States between = dense_output(cubic, s);
            Look peak;
            look(motion, cubic->from, h, s, &between, &peak);
            if (signs_differ(start, &peak)) return s;
            if (fabs(peak.g[i]) >= fabs(b.g[i])) break;
            if (s < b.s)
                c = b;
            else
                a = b;
            b = peak;
        }
    }
    return 0;
}

/* The first part of a trial step after which an indicator is seen to have changed; 0 if none has. Inside the step the
 * states are interpolated, so that a change that is gone again at the end is found too. Short-lived changes are most
 * likely at the start, after an event. Without modes only inputs, which move linearly, make events. */
FLATTENED static double first_change(const Motion *motion, const Point *from, const Look *start, double h,
                                     const States *x1) {
    static const double parts[] = {1.0 / 256, 1.0 / 64, 1.0 / 16, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1};
    enum { PARTS = sizeof parts / sizeof *parts };
    if (N_MODES == 0) return indicator_changed(motion, from, start, h, x1) ? h : 0;
    const States f1 = N_STATES > 0 ? rates_at(motion, from->t + h, x1, &from->m) : no_states;
    const Cubic cubic = cubic_between(from, x1, &f1, h);
    Look looks[PARTS + 1];
    const unsigned signs = signs_at(start);
    int last = 0;
    looks[0] = *start;
    for (; last < PARTS; last++) {
        Look *next = &looks[last + 1];
        const double s = next->s = parts[last];
        const States between = s < 1 ? dense_output(&cubic, s) : *x1;
        const Inputs u = inputs_at(motion, from->t + s * h);
        indicators(motion->p, &u, &between, &from->m, next->g); /* a look, with the law inlined */
        if (signs_at(next) != signs) break;
    }
    if (last == PARTS && all_are_far(looks, last)) return 0;
    for (int n = first_turn(looks, 1, last); n < last; n = first_turn(looks, n + 1, last)) {
        const double peak = peak_between(motion, &cubic, start, h, &looks[n - 1]);
        if (peak > 0) return peak * h;
    }
    return last < PARTS ? parts[last] * h : 0;
}

/* Narrows a change of an indicator in a trial step of length h down to an interval [*before, *after]; gives the number of trials. */
static int locate_change(const Motion *motion, const Point *from, const Look *start, double h, double resolution,
                         double *before, double *after) {
    double left = 0, right = h;
    int trials = 0;
    for (; right - left > resolution; trials++) {
        const double middle = 0.5 * (left + right);
        States x1;
        if (middle <= left || middle >= right) break;
        const double error = trial_step(motion, from, middle, &x1);
        if (isfinite(error) && !indicator_changed(motion, from, start, middle, &x1))
            left = middle;
        else
            right = middle;
    }
    *before = left;
    *after = right;
    return trials;
}

/* From the last point before a located change, with the states x1, to the first point after it. A fast motion goes on far beyond the change within the
 * time that is resolved: then the change is located on the way between the states, to the tolerance. */
static void cross_change(const Motion *motion, const Point *from, const Look *start, double before, double after,
                         States *x1) {
    const Point last = point_at(motion, from->t + before, x1, &from->m);
    States left = *x1, middle = no_states;
    double way[STATE_ROOM], allowed[STATE_ROOM];
    if (!isfinite(trial_step(motion, &last, after - before, x1))) return;
    for (;;) {
        for (int i = 0; i < N_STATES; i++) {
            const double a = ((const double *)&left)[i], b = ((const double *)x1)[i];
            way[i] = b - a;
            ((double *)&middle)[i] = 0.5 * a + 0.5 * b;
        }
        allowed_errors(motion, &last, after - before, x1, allowed);
        if (scaled_error(way, (const double *)x1, allowed) <= 1) return;
        if (indicator_changed(motion, from, start, after, &middle))
            *x1 = middle;
        else
            left = middle;
    }
}
