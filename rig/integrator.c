#include "integrator.h"

#include <string.h>

#include "solver/stepping.h"

/* The coupling as an ODE of the solver, whose files are compiled here once more, with a size that
 * is known at run time. */
enum {
    MATRIX_ROOM = INTEGRATOR_STATES,
    STATE_ROOM = INTEGRATOR_STATES,
    INDICATOR_ROOM = INTEGRATOR_INDICATORS,
    IS_LINEAR = 0,
    N_MODES = 1
};
#define N_STATES (motion->coupling->n_states)
#define N_INDICATORS (motion->coupling->n_indicators)

typedef struct {
    double value[STATE_ROOM];
} States;

typedef struct {
    int none; /* they are in the elements */
} Modes;

typedef struct {
    Coupling *coupling;
    double tolerance, later; /* the time over which rates of the rates are a difference */
    int held;
    struct Reached *reached;
} Motion;

static const States no_states = {{0}};

#include "solver/matrix.c"

#include "solver/point.c"

/* The last point of which a Jacobian was asked, which a step asks for at its end and the next one
 * starts from. */
struct Reached {
    Point point;
};

/* No numbers where the element refuses the point, whose first complaint stays. */
static States rates_at(const Motion *motion, double t, const States *x, const Modes *m) {
    (void)m;
    States f;
    bool finite = true;
    for (int i = 0; i < N_STATES; i++) finite = finite && isfinite(x->value[i]);
    if (!finite || coupling_evaluate(motion->coupling, t, x->value, f.value))
        for (int i = 0; i < N_STATES; i++) f.value[i] = NAN;
    return f;
}

/* By a difference: only the load of a system depends on the time, and smoothly. */
static States rate_derivatives(const Motion *motion, const Point *from) {
    States f_rate = rates_at(motion, from->t + motion->later, &from->x, &from->m);
    for (int i = 0; i < N_STATES; i++)
        f_rate.value[i] = (f_rate.value[i] - from->f.value[i]) / motion->later;
    return f_rate;
}

/* Where there is no exact Jacobian, as in a loop of loads, by differences. */
static void find_point(const Motion *motion, double t, const States *x, const Modes *m,
                       Point *point) {
    Coupling *c = motion->coupling;
    const int n = N_STATES;
    double columns[INTEGRATOR_STATES * INTEGRATOR_STATES];
    const bool exact = coupling_has_jacobian(c);
    point->t = t;
    point->x = *x;
    point->m = *m;
    if (exact && coupling_jacobian(c, t, x->value, columns)) columns[0] = NAN;
    point->f = rates_at(motion, t, x, m);
    for (int j = 0; j < n; j++) {
        if (!exact) {
            const double change = 1e-7 * (c->nominals[j] + fabs(x->value[j]));
            States moved = *x;
            moved.value[j] += change;
            moved = rates_at(motion, t, &moved, m);
            for (int i = 0; i < n; i++)
                columns[j * n + i] = (moved.value[i] - point->f.value[i]) / change;
        }
        for (int i = 0; i < n; i++) point->J[i][j] = columns[j * n + i];
    }
}

/* The same, copied where it is known already; of the room no more than there are states. */
static void go_to_point(const Motion *motion, double t, const States *x, const Modes *m,
                        Point *point) {
    const size_t bytes = (size_t)N_STATES * sizeof *x->value;
    Point *last = &motion->reached->point;
    if (last->t != t || memcmp(&last->x, x, bytes) != 0) find_point(motion, t, x, m, last);
    point->t = t;
    point->m = *m;
    memcpy(&point->x, x, bytes);
    memcpy(&point->f, &last->f, bytes);
    for (int i = 0; i < N_STATES; i++) memcpy(point->J[i], last->J[i], bytes);
}

static Point point_at(const Motion *motion, double t, const States *x, const Modes *m) {
    Point point;
    go_to_point(motion, t, x, m, &point);
    return point;
}

static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m) {
    (void)t;
    (void)m;
    States resolved;
    for (int i = 0; i < N_STATES; i++)
        resolved.value[i] = motion->coupling->nominals[i] + fabs(x->value[i]);
    return resolved;
}

static void indicators_at(const Motion *motion, double t, const States *x, const Modes *m,
                          double *g) {
    (void)m;
    if (coupling_indicators(motion->coupling, t, x->value, g))
        for (int i = 0; i < N_INDICATORS; i++) g[i] = NAN;
}

#include "solver/hosted.c"

enum { EVENTS_TO_A_WATCH = 1000 };

static bool refuse_point(const Integrator *k, Message *message) {
    return fail(message, "%s", k->coupling->complaint.text);
}

static void record_row(Integrator *k, bool event) {
    if (k->on_row) k->on_row(k->context, k->t, k->coupling->x, event);
}

/* A step restarts small: what comes after an event is another law. */
static void begin_again(Integrator *k) {
    k->step = 1e-3 * k->longest_step;
    record_row(k, true);
}

bool integrator_begin_change(Integrator *k, Message *message) {
    return coupling_enter_event(k->coupling, k->t, message);
}

bool integrator_end_change(Integrator *k, Message *message) {
    if (!coupling_settle(k->coupling, k->t, message)) return false;
    begin_again(k);
    return true;
}

/* Events that lead nowhere would stop the page. */
static bool watch_events(Integrator *k, Message *message) {
    k->events++;
    if (k->events - k->events_watched < EVENTS_TO_A_WATCH) return true;
    if (k->t - k->time_watched < 1e-3 * k->longest_step)
        return fail(message, "Events chatter: %d of them at t = %.9g s.", EVENTS_TO_A_WATCH, k->t);
    k->events_watched = k->events;
    k->time_watched = k->t;
    return true;
}

static bool take_event(Integrator *k, Message *message) {
    record_row(k, true);
    return watch_events(k, message) && integrator_begin_change(k, message) &&
           integrator_end_change(k, message);
}

bool integrator_begin(Integrator *k, Coupling *coupling, double t, double tolerance,
                      Message *message) {
    *k = (Integrator){.coupling = coupling,
                      .t = t,
                      .tolerance = tolerance,
                      .on_row = k->on_row,
                      .context = k->context};
    k->longest_step = coupling->system->interval;
    if (coupling->n_states > INTEGRATOR_STATES || coupling->n_indicators > INTEGRATOR_INDICATORS)
        return fail(message, "The system has too many states or event indicators.");
    begin_again(k);
    return true;
}

/* Takes the integrator to t, x1; an event there, if it is one. */
static bool go_on_to(Integrator *k, double t, const States *x1, bool event, Message *message) {
    k->t = t;
    k->steps++;
    memcpy(k->coupling->x, x1->value, (size_t)k->coupling->n_states * sizeof *x1->value);
    if (event) return take_event(k, message);
    record_row(k, false);
    return true;
}

bool integrator_advance(Integrator *k, double until, int trials, Message *message) {
    const double shortest = 1e-9 * k->longest_step, resolution = 1e-8 * k->longest_step;
    struct Reached reached;
    const Motion of_coupling = {k->coupling, k->tolerance, 1e-4 * k->longest_step, 0, &reached},
                 *motion = &of_coupling;
    const Modes modes = {0};
    States x1;
    memcpy(x1.value, k->coupling->x, (size_t)N_STATES * sizeof *x1.value);
    reached.point.t = NAN;
    Point from;
    go_to_point(motion, k->t, &x1, &modes, &from);
    for (; k->t < until && trials > 0; trials--) {
        const double planned = coupling_next_event(k->coupling), stop = fmin(planned, until),
                     remaining = stop - k->t;
        double h = fmin(fmin(k->step, k->longest_step), remaining), after = 0;
        if (h < remaining && h > 0.5 * remaining) h = 0.5 * remaining;
        const double error = trial_step(motion, &from, h, &x1);
        const bool forced = h <= shortest && isfinite(error) && !(error <= 1);
        if (!(error <= 1) && !forced) {
            if (h <= shortest) return refuse_point(k, message);
            k->step = fmax(h * shrinkage(error), shortest);
            continue;
        }
        Look start;
        look(motion, &from, 0, 0, &from.x, &start);
        const double changed = can_change(motion) && N_INDICATORS > 0
                                   ? first_change(motion, &from, &start, h, &x1)
                                   : 0;
        if (changed > 0) {
            locate_change(motion, &from, &start, changed, resolution, &h, &after);
            x1 = from.x;
            if (h > 0) trial_step(motion, &from, h, &x1);
            h = cross_change(motion, &from, &start, h, after, &x1);
        } else {
            const double longer = h * growth(error);
            if (h < remaining || longer > k->step) k->step = longer;
        }
        const double t = h == remaining ? stop : k->t + h;
        const bool event = changed > 0 || t >= planned;
        if (!go_on_to(k, t, &x1, event, message)) return false;
        if (event) reached.point.t = NAN; /* it is another law */
        memcpy(x1.value, k->coupling->x, (size_t)N_STATES * sizeof *x1.value);
        go_to_point(motion, k->t, &x1, &modes, &from);
    }
    return true;
}
