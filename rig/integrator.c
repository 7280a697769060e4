#include "integrator.h"

#include <math.h>
#include <string.h>

#include "solver/rodas.h"

enum { MATRIX_ROOM = INTEGRATOR_STATES };
#include "solver/matrix.c"

enum { EVENTS_TO_A_WATCH = 1000 };

static const double TOO_LONG = 1e4; /* scaled error that makes the next trial ten times shorter */

/* A point of the run with its rates and their slopes, from which trial steps start. */
typedef struct {
    double x[INTEGRATOR_STATES], f[INTEGRATOR_STATES], f_rate[INTEGRATOR_STATES];
    double J[INTEGRATOR_STATES * INTEGRATOR_STATES]; /* column by column */
} Start;

static bool refuse_point(const Integrator *k, Message *message) {
    return fail(message, "%s", k->coupling->complaint.text);
}

/* Where there is no exact Jacobian, as in a loop of loads, by differences. */
static int find_jacobian(Integrator *k, double t, Start *start) {
    Coupling *c = k->coupling;
    const int n = c->n_states;
    if (coupling_has_jacobian(c)) return coupling_jacobian(c, t, start->x, start->J);
    int answer = coupling_evaluate(c, t, start->x, start->f);
    for (int j = 0; j < n && !answer; j++) {
        double *column = start->J + j * n, x = start->x[j];
        const double change = 1e-7 * (c->nominals[j] + fabs(x));
        start->x[j] = x + change;
        answer = coupling_evaluate(c, t, start->x, column);
        start->x[j] = x;
        for (int i = 0; i < n; i++) column[i] = (column[i] - start->f[i]) / change;
    }
    return answer;
}

/* The rates over time come from a difference: only the load of a system depends on the time, and
 * smoothly. False if the element refuses. */
static bool start_at(Integrator *k, double t, const double *x, Start *start) {
    Coupling *c = k->coupling;
    const double later = 1e-4 * k->longest_step;
    memcpy(start->x, x, (size_t)c->n_states * sizeof *x);
    if (coupling_evaluate(c, t + later, start->x, start->f_rate) || find_jacobian(k, t, start) ||
        coupling_evaluate(c, t, start->x, start->f))
        return false;
    for (int i = 0; i < c->n_states; i++)
        start->f_rate[i] = (start->f_rate[i] - start->f[i]) / later;
    return true;
}

/* Whether a state is stiff at the start of a step and much softer at its end, as at touch-down: the
 * stages, all damped with the stiffness of the start, then miss the motion and the error estimate
 * does not see it. */
static bool softens(const Integrator *k, const Start *start, const Start *end, double h) {
    const int n = k->coupling->n_states;
    for (int i = 0; i < n; i++) {
        const double stiffness = fabs(start->J[i * n + i]);
        if (h * stiffness > 1 && fabs(end->J[i * n + i]) < 0.1 * stiffness) return true;
    }
    return false;
}

static double scaled_error(const Integrator *k, const double *error, const double *x0,
                           const double *x1) {
    double worst = 0;
    for (int i = 0; i < k->coupling->n_states; i++) {
        const double scale =
            k->tolerance * (k->coupling->nominals[i] + fmax(fabs(x0[i]), fabs(x1[i])));
        if (!isfinite(x1[i])) return INFINITY;
        worst = fmax(worst, fabs(error[i]) / scale);
    }
    return isfinite(worst) ? worst : INFINITY;
}

/* A step of length h to x1; gives its scaled error, which is infinite where the element refuses a
 * point on the way. */
static double trial_step(Integrator *k, const Start *start, double h, double *x1) {
    Coupling *c = k->coupling;
    const int n = c->n_states;
    double W[MATRIX_ROOM][MATRIX_ROOM], stage[RODAS_STAGES][INTEGRATOR_STATES];
    double f[INTEGRATOR_STATES], rhs[INTEGRATOR_STATES];
    int row[INTEGRATOR_STATES];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            W[i][j] = (i == j ? 1 / (rodas_gamma * h) : 0) - start->J[j * n + i];
    factorize(n, W, row);
    memcpy(f, start->f, (size_t)n * sizeof *f);
    for (int s = 0; s < RODAS_STAGES; s++) {
        if (s > 0) {
            for (int i = 0; i < n; i++) {
                x1[i] = start->x[i];
                for (int j = 0; j < s; j++) x1[i] += rodas_a[s][j] * stage[j][i];
                if (!isfinite(x1[i])) return INFINITY;
            }
            if (coupling_evaluate(c, k->t + rodas_time[s] * h, x1, f)) return INFINITY;
        }
        for (int i = 0; i < n; i++) {
            rhs[i] = f[i] + rodas_time_slope[s] * h * start->f_rate[i];
            for (int j = 0; j < s; j++) rhs[i] += rodas_c[s][j] * stage[j][i] / h;
        }
        back_substitute(n, W, row, rhs, stage[s]);
    }
    for (int i = 0; i < n; i++) x1[i] += stage[RODAS_STAGES - 1][i];
    return scaled_error(k, stage[RODAS_STAGES - 1], start->x, x1);
}

static bool read_signs(Integrator *k, double t, const double *x, bool *signs) {
    double g[INTEGRATOR_INDICATORS];
    if (coupling_indicators(k->coupling, t, x, g)) return false;
    for (int i = 0; i < k->coupling->n_indicators; i++) signs[i] = g[i] > 0;
    return true;
}

static bool signs_changed(Integrator *k, double t, const double *x) {
    bool signs[INTEGRATOR_INDICATORS];
    return read_signs(k, t, x, signs) &&
           memcmp(signs, k->signs, (size_t)k->coupling->n_indicators * sizeof *signs) != 0;
}

/* Whether an indicator changes its sign on the way, also if only for a while: the states are
 * interpolated between the ends. */
static double first_change(Integrator *k, const Start *start, double h, const double *x1) {
    static const double parts[] = {0.0625, 0.25, 0.5, 0.75};
    double f1[INTEGRATOR_STATES], x[INTEGRATOR_STATES];
    const int n = k->coupling->n_states;
    if (k->coupling->n_indicators == 0) return 0;
    if (coupling_evaluate(k->coupling, k->t + h, x1, f1)) return h;
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        const double s = parts[p];
        for (int i = 0; i < n; i++) {
            const double rise = x1[i] - start->x[i];
            x[i] = start->x[i] + s * rise +
                   s * (1 - s) * ((1 - s) * (h * start->f[i] - rise) - s * (h * f1[i] - rise));
        }
        if (signs_changed(k, k->t + s * h, x)) return s * h;
    }
    return signs_changed(k, k->t + h, x1) ? h : 0;
}

/* The first point at which the change has happened, to the resolution; x1 becomes its states. */
static double locate_change(Integrator *k, const Start *start, double h, double resolution,
                            double *x1) {
    double before = 0, after = h;
    while (after - before > resolution) {
        const double middle = 0.5 * (before + after);
        if (middle <= before || middle >= after) break;
        if (isfinite(trial_step(k, start, middle, x1)) && !signs_changed(k, k->t + middle, x1))
            before = middle;
        else
            after = middle;
    }
    trial_step(k, start, after, x1);
    return after;
}

static void record_row(Integrator *k, bool event) {
    if (k->on_row) k->on_row(k->context, k->t, k->coupling->x, event);
}

/* A step restarts small: what comes after an event is another law. */
static bool begin_again(Integrator *k, Message *message) {
    k->step = 1e-3 * k->longest_step;
    record_row(k, true);
    return read_signs(k, k->t, k->coupling->x, k->signs) || refuse_point(k, message);
}

bool integrator_begin_change(Integrator *k, Message *message) {
    return coupling_enter_event(k->coupling, k->t, message);
}

bool integrator_end_change(Integrator *k, Message *message) {
    return coupling_settle(k->coupling, k->t, message) && begin_again(k, message);
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
    return begin_again(k, message);
}

/* The next event that is known beforehand. */
static double planned_event(const Integrator *k) {
    const Coupling *c = k->coupling;
    return fmin(c->system->event_time ? c->system->event_time(&c->moment) : INFINITY,
                c->next_event);
}

bool integrator_advance(Integrator *k, double until, int trials, Message *message) {
    const double shortest = 1e-9 * k->longest_step, resolution = 1e-8 * k->longest_step;
    Coupling *c = k->coupling;
    Start points[2], *start = &points[0], *end = &points[1];
    double x1[INTEGRATOR_STATES];
    if (k->t < until && !start_at(k, k->t, c->x, start)) return refuse_point(k, message);
    for (; k->t < until && trials > 0; trials--) {
        const double planned = planned_event(k), stop = fmin(planned, until), rest = stop - k->t;
        double h = fmin(fmin(k->step, k->longest_step), rest);
        if (h < rest && h > 0.5 * rest) h = 0.5 * rest;
        double error = trial_step(k, start, h, x1);
        if (error <= 1 && !start_at(k, k->t + h, x1, end)) error = INFINITY;
        if (error <= 1 && h > shortest && softens(k, start, end, h)) error = TOO_LONG;
        const bool forced = h <= shortest && isfinite(error) && !(error <= 1);
        if (!(error <= 1) && !forced) {
            if (h <= shortest) return refuse_point(k, message);
            k->step =
                fmax(h * (isfinite(error) ? fmax(0.1, 0.9 / sqrt(sqrt(error))) : 0.1), shortest);
            continue;
        }
        const double change = first_change(k, start, h, x1);
        if (change > 0) h = locate_change(k, start, change, resolution, x1);
        k->t = h == rest ? stop : k->t + h;
        k->steps++;
        k->forced += forced;
        memcpy(c->x, x1, (size_t)c->n_states * sizeof *x1);
        const bool event = change > 0 || k->t >= planned;
        if (event && !take_event(k, message)) return false;
        if (!event) {
            const double longer = h * fmin(5, 0.9 / sqrt(sqrt(fmax(error, 1e-4))));
            if (h < rest || longer > k->step) k->step = longer;
            record_row(k, false);
        }
        if (!event && !forced) {
            Start *reached = end;
            end = start;
            start = reached;
        } else if (!start_at(k, k->t, c->x, start)) {
            return refuse_point(k, message);
        }
    }
    return true;
}
