/* Exact slopes of a whole run with respect to parameters.
 *
 *     dx/dt = f(p, u, x),  y = g(p, u, x);   with s = dx/dp:   ds/dt = A s + B,   dy/dp = C s + D
 *
 * The run is one of model exchange, by the stepper of the FMUs' own co-simulation; A = df/dx, B =
 * df/dp, C = dg/dx and D = dg/dp are exact directional derivatives along it. The sensitivities s
 * are integrated along its steps by Radau IIA with two stages (Hairer and Wanner, Solving Ordinary
 * Differential Equations II, IV.5): of order 3, L-stable, and without any iteration, because their
 * equation is linear. Where a mode changes, jumps.c advances them across the event.
 *
 * The instance stays in event mode, where inputs, states, parameters and modes may be set and read
 * at any point. The time, which no law depends on, is never set. */
#include <math.h>

#include "solver/stepping.h"

enum {
    STATE_ROOM = 16,
    MATRIX_ROOM = 2 * STATE_ROOM,
    INDICATOR_ROOM = 64,
    MODE_ROOM = 16,
    KNOWN_ROOM = 128,
    ROW_ROOM = 64,
    IS_LINEAR = 0,
    N_MODES = 1
};
#define N_STATES ((int)motion->run->states.count)
#define N_INDICATORS (motion->indicators)

typedef struct {
    double value[STATE_ROOM];
} States;

typedef struct {
    int none; /* they are in the FMU */
} Modes;

/* The interval between two samples, with times since the first of them. */
typedef struct {
    SampledRun *run;
    fmi2Component component;
    const double *from, *rates; /* of the inputs */
    double length, tolerance;
    int held, indicators;
    States resolved;
    fmi2FMUstate before; /* an event */
} Motion;

static const States no_states = {{0}};

#include "solver/matrix.c"

#include "solver/point.c"

/* ---- the FMU as an ODE of the solver ---- */

static int set_point(const Motion *motion, double t, const States *x) {
    const Fmu *fmu = motion->run->fmu;
    const Variables *signals = &motion->run->signals;
    double u[INPUT_ROOM];
    for (size_t i = 0; i < signals->count; i++)
        u[i] = motion->from[i] + (motion->held ? 0 : motion->rates[i] * t);
    return fails(fmu->set_real(motion->component, signals->references, signals->count, u)) ||
           fails(fmu->set_continuous_states(motion->component, x->value, (size_t)N_STATES));
}

/* NaN where the FMU refuses the point; so is all that follows from it. */
static States rates_at(const Motion *motion, double t, const States *x, const Modes *m) {
    (void)m;
    States f = no_states;
    if (set_point(motion, t, x) ||
        fails(motion->run->fmu->get_derivatives(motion->component, f.value, (size_t)N_STATES)))
        for (int i = 0; i < N_STATES; i++) f.value[i] = NAN;
    return f;
}

static States rate_derivatives(const Motion *motion, const Point *from) {
    const SampledRun *run = motion->run;
    States f_rate = no_states;
    if (set_point(motion, from->t, &from->x) ||
        fails(run->fmu->directional_derivative(motion->component, run->derivatives.references,
                                               (size_t)N_STATES, run->signals.references,
                                               run->signals.count, motion->rates, f_rate.value)))
        f_rate.value[0] = NAN;
    return f_rate;
}

/* Computes rates and Jacobian at a point, for as many states as there are. */
static void find_point(const Motion *motion, double t, const States *x, Point *point) {
    const SampledRun *run = motion->run;
    double columns[STATE_ROOM][STATE_ROOM];
    point->t = t;
    point->x = *x;
    point->m.none = 0;
    point->f = rates_at(motion, t, x, &point->m);
    if (slopes_along(run, motion->component, &run->states, run->derivatives.references,
                     (size_t)N_STATES, STATE_ROOM, columns[0]))
        point->f.value[0] = NAN;
    for (int i = 0; i < N_STATES; i++)
        for (int j = 0; j < N_STATES; j++) point->J[i][j] = columns[j][i];
}

static Point point_at(const Motion *motion, double t, const States *x, const Modes *m) {
    (void)m;
    Point point;
    find_point(motion, t, x, &point);
    return point;
}

/* Returns the largest resolution of the law so far: the nominal values of model exchange, which are
 * updated at events, nearly vanish at touch-down. */
static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m) {
    (void)t;
    (void)x;
    (void)m;
    return motion->resolved;
}

static void indicators_at(const Motion *motion, double t, const States *x, const Modes *m,
                          double *g) {
    (void)m;
    if (set_point(motion, t, x) ||
        fails(motion->run->fmu->get_indicators(motion->component, g, (size_t)N_INDICATORS)))
        for (int i = 0; i < N_INDICATORS; i++) g[i] = NAN;
}

#include "solver/host_stepper.c"

#include "jumps.c"

/* ---- the sensitivities ---- */

/* of a step, relative to the largest sensitivity so far, or to its growth up to the next sample */
static const double SLOPE_TOLERANCE = 3e-4;
/* of a step towards an event: at a fold of the law slopes grow without bound */
static const double EVENT_TOLERANCE = 1e-6;
/* to which an event is located, as a fraction of the interval between two samples: nearer to a fold
 * the error of its time is no longer small against the distance to it */
static const double EVENT_TIME = 1e-6;
/* between two samples: more means that a bristle oscillates faster than the record shows */
enum { EVENTS_AT_MOST = 40, TRIALS_AT_MOST = 5000 };
/* of the run in a step of the sensitivities */
enum { SEGMENTS_AT_MOST = 64 };
/* fraction of the interval between two samples, below which any error is accepted */
static const double SHORTEST_STEP = 1.0 / 256;
static const double STAGE = 1.0 / 3; /* of a step; the other stage is its end */
/* 1/sqrt(6): the mean of the eigenvalues of Radau IIA */
static const double FILTER = 0.40824829046386302;

/* A column for each state and known, a row for the rate of each state and each output. */
typedef struct {
    double column[STATE_ROOM + KNOWN_ROOM][ROW_ROOM];
} Table;

/* A step of the run, and its dense output. */
typedef struct {
    Point from;
    double h;
    Cubic cubic;
} Segment;

typedef struct {
    size_t states, knowns, rows;
    fmi2ValueReference unknowns[ROW_ROOM]; /* rates and outputs */
    Table tables[3];
    Table *begin, *inner, *end; /* of these: at the start, the inner stage and the end of a step */
    /* sensitivities, after a step, and the largest of each so far; known by known */
    double s[KNOWN_ROOM][STATE_ROOM], next[KNOWN_ROOM][STATE_ROOM], largest[KNOWN_ROOM][STATE_ROOM];
    double rates[INPUT_ROOM];
    Segment path[SEGMENTS_AT_MOST + 1]; /* of a step; the last one has a start only */
    size_t segments;
    /* lengths of the next step of the sensitivities and of the run; 0: none yet */
    double next_step, run_step;
} Sensitivities;

static void make_tables(Sensitivities *self, const SampledRun *run) {
    self->states = run->states.count;
    self->knowns = run->knowns.count;
    self->rows = self->states + run->outputs.count;
    memcpy(self->unknowns, run->derivatives.references, self->states * sizeof *self->unknowns);
    memcpy(self->unknowns + self->states, run->outputs.references,
           run->outputs.count * sizeof *self->unknowns);
    self->begin = &self->tables[0];
    self->inner = &self->tables[1];
    self->end = &self->tables[2];
}

/* Computes the slopes of rates and outputs at the point that is set. */
static int linearize(const Motion *motion, const Sensitivities *self, Table *table) {
    const SampledRun *run = motion->run;
    return slopes_along(run, motion->component, &run->states, self->unknowns, self->rows, ROW_ROOM,
                        table->column[0]) ||
           slopes_along(run, motion->component, &run->knowns, self->unknowns, self->rows, ROW_ROOM,
                        table->column[self->states]);
}

/* Begins a step at the time t, from x. */
static int begin_at(const Motion *motion, Sensitivities *self, double t, const States *x) {
    find_point(motion, t, x, &self->path[0].from);
    return linearize(motion, self, self->begin);
}

/* Computes a row of A s + B or, behind the rows of the states, of C s + D, for one known. */
static double linear_response(const Sensitivities *self, const Table *table, const double *s,
                              size_t known, size_t row) {
    double sum = table->column[self->states + known][row];
    for (size_t k = 0; k < self->states; k++) sum += table->column[k][row] * s[k];
    return sum;
}

/* Finds the sensitivities after a step of length h; returns the largest error relative to what is
 * allowed, NaN where one is not finite. */
static double radau_step(const Motion *motion, Sensitivities *self, double h, double tolerance) {
    const size_t n = self->states;
    double matrix[MATRIX_ROOM][MATRIX_ROOM], filter[MATRIX_ROOM][MATRIX_ROOM], worst = 0;
    int row[MATRIX_ROOM], filter_row[MATRIX_ROOM];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double inner = self->inner->column[k][i], end = self->end->column[k][i],
                         one = i == k;
            matrix[i][k] = one - h * 5 / 12 * inner;
            matrix[i][n + k] = h / 12 * end;
            matrix[n + i][k] = -h * 3 / 4 * inner;
            matrix[n + i][n + k] = one - h / 4 * end;
            filter[i][k] = one - h * FILTER * self->begin->column[k][i];
        }
    factorize(2 * N_STATES, matrix, row);
    factorize(N_STATES, filter, filter_row);
    for (size_t j = 0; j < self->knowns; j++) {
        const double *s = self->s[j];
        double *next = self->next[j], z[MATRIX_ROOM], stage[STATE_ROOM], error[STATE_ROOM];
        for (size_t i = 0; i < n; i++) {
            const double inner = linear_response(self, self->inner, s, j, i),
                         end = linear_response(self, self->end, s, j, i);
            z[i] = h * (5 * inner - end) / 12;
            z[n + i] = h * (3 * inner + end) / 4;
        }
        back_substitute(2 * N_STATES, matrix, row, z, z);
        for (size_t i = 0; i < n; i++) {
            stage[i] = s[i] + z[i];
            next[i] = s[i] + z[n + i];
        }
        for (size_t i = 0; i < n; i++)
            error[i] = FILTER * h *
                       (linear_response(self, self->begin, s, j, i) -
                        1.5 * linear_response(self, self->inner, stage, j, i) +
                        0.5 * linear_response(self, self->end, next, j, i));
        back_substitute(N_STATES, filter, filter_row, error, error);
        for (size_t i = 0; i < n; i++) {
            const double scale =
                fmax(self->largest[j][i], fabs(motion->length * self->end->column[n + j][i]));
            if (!isfinite(next[i]) || !isfinite(error[i])) return NAN;
            if (error[i] != 0) worst = fmax(worst, fabs(error[i]) / (tolerance * scale));
        }
    }
    return worst;
}

/* Interpolates the states on the path. */
static States states_at(const Motion *motion, const Sensitivities *self, double t) {
    size_t i = 0;
    while (i + 1 < self->segments && self->path[i + 1].from.t <= t) i++;
    const Segment *segment = &self->path[i];
    return dense_output(motion, &segment->cubic, (t - segment->from.t) / segment->h);
}

/* The same, with the linearizations along the path. */
static double step_along_path(const Motion *motion, Sensitivities *self, double tolerance) {
    const Point *from = &self->path[0].from, *end = &self->path[self->segments].from;
    const double h = end->t - from->t, t = from->t + STAGE * h;
    if (h == 0) return 0;
    if (set_point(motion, end->t, &end->x) || linearize(motion, self, self->end)) return NAN;
    if (N_STATES == 0) return 0;
    const States inner = states_at(motion, self, t);
    if (set_point(motion, t, &inner) || linearize(motion, self, self->inner)) return NAN;
    return radau_step(motion, self, h, tolerance);
}

/* Continues from the end of the path. */
static void accept_step(Sensitivities *self) {
    Table *const begin = self->begin;
    if (self->segments == 0) return;
    self->begin = self->end;
    self->end = begin;
    memcpy(self->s, self->next, self->knowns * sizeof *self->s);
    self->path[0].from = self->path[self->segments].from;
}

static void update_largest(Sensitivities *self) {
    for (size_t j = 0; j < self->knowns; j++)
        for (size_t i = 0; i < self->states; i++)
            self->largest[j][i] = fmax(self->largest[j][i], fabs(self->s[j][i]));
}

/* Finds the next time at which an input passes through zero. Laws have corners there, and a step
 * over one is rejected again and again: with these stops runs take 0.6 to 0.9 of the time. */
static double next_stop(const Motion *motion, double t) {
    double stop = motion->length;
    for (size_t i = 0; !motion->held && i < motion->run->signals.count; i++) {
        const double zero = -motion->from[i] / motion->rates[i];
        if (zero > t + EVENT_TIME * motion->length && zero < stop) stop = zero;
    }
    return stop;
}

/* The first point after an event. */
typedef struct {
    double t; /* 0: there is no event */
    States x;
} Crossing;

/* Advances the run from the start of the path towards a time, up to an event. Where surfaces
 * separate, a deflection that a larger normal force has left relaxes at a rate that grows without
 * bound up to a corner: nothing changes over the finest step, and its error is accepted. */
static int run_to(const Motion *motion, Sensitivities *self, double target, Crossing *event) {
    const double resolution = EVENT_TIME * motion->length, finest = 1e-12 * motion->length;
    event->t = 0;
    self->segments = 0;
    for (int trials = 0; event->t == 0 && self->segments < SEGMENTS_AT_MOST; trials++) {
        Segment *segment = &self->path[self->segments];
        const Point *end = &segment->from;
        if (end->t == target) break;
        if (trials == TRIALS_AT_MOST)
            return give_up(motion->run, "There are too many steps or events for slopes.");
        const double remaining = target - end->t;
        double h = self->run_step > 0 && self->run_step < remaining ? self->run_step : remaining,
               after = 0;
        if (h < remaining && h > 0.5 * remaining) h = 0.5 * remaining;
        States x1 = end->x;
        Probe start = {0, {0}};
        double error = trial_step(motion, end, h, &x1);
        if (N_INDICATORS > 0 && isfinite(error) && can_change(motion)) {
            probe(motion, end, 0, 0, &end->x, &start);
            const double changed = find_first_change(motion, end, &start, h, &x1);
            if (changed > 0) {
                locate_change(motion, end, &start, changed, resolution, &h, &after);
                x1 = end->x;
                error = h > 0 ? trial_step(motion, end, h, &x1) : 0;
            }
        }
        const int refused = !isfinite(error);
        if (refused && h <= finest) return give_up(motion->run, "The slopes cannot be followed.");
        if (refused || (error > 1 && h > finest)) {
            self->run_step = h * shrinkage(error);
            continue;
        }
        const double longer = h * growth(fmin(error, 1));
        if (after == 0 && (h < remaining || longer > self->run_step)) self->run_step = longer;
        if (after > 0) {
            event->x = x1;
            event->t = end->t + step_across_change(motion, end, &start, h, after, &event->x);
        }
        if (h == 0) break;
        Point *next = &self->path[++self->segments].from;
        segment->h = h;
        find_point(motion, h < remaining ? end->t + h : target, &x1, next);
        segment->cubic = cubic_through(motion, end, &x1, &next->f, h);
    }
    return 0;
}

/* Advances states and sensitivities from one sample to the next. */
static int advance_slopes(Motion *motion, Sensitivities *self) {
    int trials = 0, events = 0, is_near_event = 0; /* one that has been located */
    for (double t = 0; t < motion->length; t = self->path[0].from.t) {
        if (++trials > TRIALS_AT_MOST || events > EVENTS_AT_MOST)
            return give_up(motion->run, "There are too many steps or events for slopes.");
        const double stop = next_stop(motion, t), remaining = stop - t;
        double h = self->next_step > 0 && self->next_step < remaining ? self->next_step : remaining;
        if (h < remaining && h > 0.5 * remaining) h = 0.5 * remaining;
        Crossing event;
        if (run_to(motion, self, h < remaining ? t + h : stop, &event)) return 1;
        if (event.t > 0) is_near_event = 1;
        h = self->path[self->segments].from.t - t;
        const double error = step_along_path(motion, self,
                                             is_near_event ? EVENT_TOLERANCE : SLOPE_TOLERANCE),
                     next = h * fmin(4, fmax(0.2, 0.8 / cbrt(error)));
        const int is_undefined = error != error; /* isnan would need mingw's library */
        if (!(error <= 1) &&
            h > motion->length * (is_undefined || is_near_event ? EVENT_TIME : SHORTEST_STEP)) {
            self->next_step = is_undefined ? 0.2 * h : next;
            continue;
        }
        if (is_undefined) return give_up(motion->run, "The slopes are not finite.");
        if (event.t == 0 && (h < remaining || next > self->next_step)) self->next_step = next;
        accept_step(self);
        if (event.t > 0) {
            events++;
            update_largest(self);
            if (cross_event(motion, self->s, &self->path[0].from, event.t, &event.x) ||
                begin_at(motion, self, event.t, &event.x))
                return 1;
            is_near_event = 0;
        }
        update_largest(self);
    }
    return 0;
}

static void store_slopes(const SampledRun *run, const Sensitivities *self, size_t sample) {
    const size_t count = run->outputs.count;
    for (size_t j = 0; j < self->knowns; j++)
        for (size_t i = 0; i < count; i++)
            run->slopes[(sample * self->knowns + j) * count + i] =
                linear_response(self, self->begin, self->s[j], j, self->states + i);
}

/* Sets the inputs of a sample; those with rates have arrived there by themselves, up to rounding,
 * and cause no event, except that a law without modes may project its states. */
static int apply_sample(Motion *motion, Sensitivities *self, size_t sample) {
    const SampledRun *run = motion->run;
    const int has_arrived = run->linear && motion->length > 0 && (N_STATES > 0 || N_INDICATORS > 0);
    States x = self->path[0].from.x;
    motion->from = signals_at(run, sample);
    motion->held = 1;
    self->path[0].from.t = 0;
    if (has_arrived && run->event_modes.count > 0) return set_point(motion, 0, &x);
    if (cross_event(motion, self->s, NULL, 0, &x)) return 1;
    if (has_arrived && memcmp(&x, &self->path[0].from.x, sizeof x) == 0) return 0;
    return begin_at(motion, self, 0, &x);
}

static int simulate_slopes(Motion *motion, Sensitivities *self) {
    SampledRun *run = motion->run;
    const Fmu *fmu = run->fmu;
    const clock_t begin = run->seconds > 0 ? clock() : 0;
    States x = no_states;
    motion->from = signals_at(run, 0);
    motion->held = 1;
    if (start(run, motion->component, 0) ||
        slopes_along(run, motion->component, &run->knowns, run->states.references, self->states,
                     STATE_ROOM, self->s[0]) ||
        fails(fmu->exit_initialization(motion->component)) || settle(motion) ||
        fails(fmu->get_continuous_states(motion->component, x.value, run->states.count)) ||
        begin_at(motion, self, 0, &x))
        return 1;
    for (;;) {
        const size_t sample = run->done;
        if (get_results(run, motion->component, sample)) return 1;
        store_slopes(run, self, sample);
        run->message[0] = '\0'; /* what was refused was only tried */
        run->done = sample + 1;
        if (run->done == run->n_samples) return 0;
        if (is_out_of_time(run, begin)) return give_up(run, "The run takes too long.");
        motion->length = run->times[sample + 1] - run->times[sample];
        if (motion->length > 0) {
            const double *to = signals_at(run, sample + 1);
            motion->held = 1;
            for (size_t i = 0; run->linear && i < run->signals.count; i++) {
                self->rates[i] = (to[i] - motion->from[i]) / motion->length;
                if (self->rates[i] != 0) motion->held = 0;
            }
            if ((N_STATES > 0 || N_INDICATORS > 0) && advance_slopes(motion, self)) return 1;
        }
        if (apply_sample(motion, self, sample + 1)) return 1;
    }
}

static int simulate_with_slopes(SampledRun *run, fmi2Component component) {
    if (run->states.count > STATE_ROOM || run->signals.count > INPUT_ROOM ||
        run->n_indicators > INDICATOR_ROOM || run->event_modes.count > MODE_ROOM ||
        run->knowns.count > KNOWN_ROOM || run->outputs.count > ROW_ROOM - STATE_ROOM)
        return give_up(run, "The FMU is too large for slopes.");
    Sensitivities *self = calloc(1, sizeof *self);
    if (!self) return give_up(run, "There is not enough memory.");
    Motion motion = {.run = run,
                     .component = component,
                     .indicators = run->event_modes.count ? (int)run->n_indicators : 0,
                     .rates = self->rates,
                     .tolerance = run->tolerance > 0 ? run->tolerance : 1e-6};
    make_tables(self, run);
    const int failed = simulate_slopes(&motion, self);
    if (motion.before) run->fmu->free_state(component, &motion.before);
    free(self);
    return failed;
}
