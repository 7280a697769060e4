#include "integrator.h"

#include <string.h>

#include "solver/stepping.h"

/* The assembly as an ODE of the solver, whose files are compiled here once more, with a size that
 * is known at run time. */
enum {
    MATRIX_ROOM = INTEGRATOR_STATES,
    STATE_ROOM = INTEGRATOR_STATES,
    INDICATOR_ROOM = INTEGRATOR_INDICATORS,
    IS_LINEAR = 0,
    N_MODES = 1
};
#define N_STATES (motion->assembly->n_states)
#define N_INDICATORS (motion->assembly->n_indicators)

typedef struct {
    double value[STATE_ROOM];
} States;

typedef struct {
    int none; /* they are in the elements */
} Modes;

typedef struct {
    Assembly *assembly;
    double tolerance, increment; /* of the time, for time derivatives by differences */
    int held;
    struct LastPoint *last;
} Motion;

static const States no_states = {{0}};

#include "solver/matrix.c"

#include "solver/point.c"

/* The last point whose Jacobian was computed: the end of a step, where the next one starts. */
struct LastPoint {
    Point point;
};

/* NaN where the element refuses the point; its first message is kept. */
static States rates_at(const Motion *motion, double t, const States *x, const Modes *m) {
    (void)m;
    States f;
    bool finite = true;
    for (int i = 0; i < N_STATES; i++) finite = finite && isfinite(x->value[i]);
    if (!finite || assembly_evaluate(motion->assembly, t, x->value, f.value))
        for (int i = 0; i < N_STATES; i++) f.value[i] = NAN;
    return f;
}

/* Uses a difference: only the load of a system depends on the time, and smoothly. */
static States rate_derivatives(const Motion *motion, const Point *from) {
    States f_rate = rates_at(motion, from->t + motion->increment, &from->x, &from->m);
    for (int i = 0; i < N_STATES; i++)
        f_rate.value[i] = (f_rate.value[i] - from->f.value[i]) / motion->increment;
    return f_rate;
}

/* Computes rates and Jacobian; by differences where there is no exact one, as in an algebraic
 * loop. */
static void find_point(const Motion *motion, double t, const States *x, const Modes *m,
                       Point *point) {
    Assembly *c = motion->assembly;
    const int n = N_STATES;
    double columns[INTEGRATOR_STATES * INTEGRATOR_STATES];
    const bool exact = assembly_has_jacobian(c);
    point->t = t;
    point->x = *x;
    point->m = *m;
    if (exact && assembly_jacobian(c, t, x->value, columns)) columns[0] = NAN;
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

/* The same, copied where it is known already; only as many elements as there are states. */
static void load_point(const Motion *motion, double t, const States *x, const Modes *m,
                       Point *point) {
    const size_t bytes = (size_t)N_STATES * sizeof *x->value;
    Point *last = &motion->last->point;
    if (last->t != t || memcmp(&last->x, x, bytes) != 0) find_point(motion, t, x, m, last);
    point->t = t;
    point->m = *m;
    memcpy(&point->x, x, bytes);
    memcpy(&point->f, &last->f, bytes);
    for (int i = 0; i < N_STATES; i++) memcpy(point->J[i], last->J[i], bytes);
}

static Point point_at(const Motion *motion, double t, const States *x, const Modes *m) {
    Point point;
    load_point(motion, t, x, m, &point);
    return point;
}

static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m) {
    (void)t;
    (void)m;
    States resolved;
    for (int i = 0; i < N_STATES; i++)
        resolved.value[i] = motion->assembly->nominals[i] + fabs(x->value[i]);
    return resolved;
}

static void indicators_at(const Motion *motion, double t, const States *x, const Modes *m,
                          double *g) {
    (void)m;
    if (assembly_indicators(motion->assembly, t, x->value, g))
        for (int i = 0; i < N_INDICATORS; i++) g[i] = NAN;
}

#include "solver/host_stepper.c"

enum { EVENTS_PER_CHECK = 1000 };

static bool refuse_point(const Integrator *k, Message *message) {
    return fail(message, "%s", k->assembly->complaint.text);
}

static void record_row(Integrator *k, bool event) {
    if (k->on_row) k->on_row(k->context, k->t, k->assembly->x, event);
}

/* Restarts with a small step: the equations after an event are others. */
static void restart(Integrator *k) {
    k->step = 1e-3 * k->longest_step;
    record_row(k, true);
}

bool integrator_begin_change(Integrator *k, Message *message) {
    return assembly_enter_event(k->assembly, k->t, message);
}

bool integrator_end_change(Integrator *k, Message *message) {
    if (!assembly_settle(k->assembly, k->t, message)) return false;
    restart(k);
    return true;
}

/* Fails where events chatter: they would block the page. */
static bool check_progress(Integrator *k, Message *message) {
    k->events++;
    if (k->events - k->events_checked < EVENTS_PER_CHECK) return true;
    if (k->t - k->time_checked < 1e-3 * k->longest_step)
        return fail(message, "Events chatter: %d of them at t = %.9g s.", EVENTS_PER_CHECK, k->t);
    k->events_checked = k->events;
    k->time_checked = k->t;
    return true;
}

static bool handle_event(Integrator *k, Message *message) {
    record_row(k, true);
    return check_progress(k, message) && integrator_begin_change(k, message) &&
           integrator_end_change(k, message);
}

bool integrator_begin(Integrator *k, Assembly *assembly, double t, double tolerance,
                      Message *message) {
    *k = (Integrator){.assembly = assembly,
                      .t = t,
                      .tolerance = tolerance,
                      .on_row = k->on_row,
                      .context = k->context};
    k->longest_step = assembly->system->interval;
    if (assembly->n_states > INTEGRATOR_STATES || assembly->n_indicators > INTEGRATOR_INDICATORS)
        return fail(message, "The system has too many states or event indicators.");
    restart(k);
    return true;
}

/* Accepts a step to t, x1, and handles an event there. */
static bool accept_step(Integrator *k, double t, const States *x1, bool event, Message *message) {
    k->t = t;
    k->steps++;
    memcpy(k->assembly->x, x1->value, (size_t)k->assembly->n_states * sizeof *x1->value);
    if (event) return handle_event(k, message);
    record_row(k, false);
    return true;
}

bool integrator_advance(Integrator *k, double until, int trials, Message *message) {
    const double shortest = 1e-9 * k->longest_step, resolution = 1e-8 * k->longest_step;
    struct LastPoint last;
    const Motion of_assembly = {k->assembly, k->tolerance, 1e-4 * k->longest_step, 0, &last},
                 *motion = &of_assembly;
    const Modes modes = {0};
    States x1;
    memcpy(x1.value, k->assembly->x, (size_t)N_STATES * sizeof *x1.value);
    last.point.t = NAN;
    Point from;
    load_point(motion, k->t, &x1, &modes, &from);
    for (; k->t < until && trials > 0; trials--) {
        const double planned = assembly_next_event(k->assembly), stop = fmin(planned, until),
                     remaining = stop - k->t;
        double h = fmin(fmin(k->step, k->longest_step), remaining), after = 0;
        if (h < remaining && h > 0.5 * remaining) h = 0.5 * remaining;
        const double error = trial_step(motion, &from, h, &x1);
        const bool is_forced = h <= shortest && isfinite(error) && !(error <= 1);
        if (!(error <= 1) && !is_forced) {
            if (h <= shortest) return refuse_point(k, message);
            k->step = fmax(h * shrinkage(error), shortest);
            continue;
        }
        Probe start;
        probe(motion, &from, 0, 0, &from.x, &start);
        const double changed = can_change(motion) && N_INDICATORS > 0
                                   ? find_first_change(motion, &from, &start, h, &x1)
                                   : 0;
        if (changed > 0) {
            locate_change(motion, &from, &start, changed, resolution, &h, &after);
            x1 = from.x;
            if (h > 0) trial_step(motion, &from, h, &x1);
            h = step_across_change(motion, &from, &start, h, after, &x1);
        } else {
            const double longer = h * growth(error);
            if (h < remaining || longer > k->step) k->step = longer;
        }
        const double t = h == remaining ? stop : k->t + h;
        const bool event = changed > 0 || t >= planned;
        if (!accept_step(k, t, &x1, event, message)) return false;
        if (event) last.point.t = NAN; /* its rates are others */
        memcpy(x1.value, k->assembly->x, (size_t)N_STATES * sizeof *x1.value);
        load_point(motion, k->t, &x1, &modes, &from);
    }
    return true;
}
