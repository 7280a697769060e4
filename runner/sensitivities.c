/* Exact slopes of a whole run with respect to parameters.
 *
 *     dx/dt = f(p, u, x),  y = g(p, u, x);   with s = dx/dp:   ds/dt = A s + B,   dy/dp = C s + D
 *
 * The run is one of model exchange, by the stepper of the FMUs' own co-simulation; A = df/dx, B =
 * df/dp, C = dg/dx and D = dg/dp are exact directional derivatives along it. The sensitivities s
 * follow each of its steps by Radau IIA with two stages (Hairer and Wanner, Solving Ordinary
 * Differential Equations II, IV.5): of order 3, L-stable, and without any iteration, because their
 * equation is linear. Where a mode changes, jumps.c takes them over the event.
 *
 * The instance stays in event mode, which allows at any point all that is needed: inputs, states,
 * parameters, modes. The time, which no law knows, is never set. */
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
#define N_STATES ((int)motion->record->states.count)
#define N_INDICATORS (motion->indicators)

typedef struct {
    double value[STATE_ROOM];
} States;

typedef struct {
    int none; /* they are in the FMU */
} Modes;

/* From one sample to the next, with times since the first of them. */
typedef struct {
    Record *record;
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
    const Fmu *fmu = motion->record->fmu;
    const Variables *signals = &motion->record->signals;
    double u[INPUT_ROOM];
    for (size_t i = 0; i < signals->count; i++)
        u[i] = motion->from[i] + (motion->held ? 0 : motion->rates[i] * t);
    return fails(fmu->set_real(motion->component, signals->references, signals->count, u)) ||
           fails(fmu->set_continuous_states(motion->component, x->value, (size_t)N_STATES));
}

/* Not finite where the FMU refuses the point; so are all that follow from it. */
static States rates_at(const Motion *motion, double t, const States *x, const Modes *m) {
    (void)m;
    States f = no_states;
    if (set_point(motion, t, x) ||
        fails(motion->record->fmu->get_derivatives(motion->component, f.value, (size_t)N_STATES)))
        for (int i = 0; i < N_STATES; i++) f.value[i] = NAN;
    return f;
}

static States rate_derivatives(const Motion *motion, const Point *from) {
    const Record *record = motion->record;
    States f_rate = no_states;
    if (set_point(motion, from->t, &from->x) ||
        fails(record->fmu->directional_derivative(
            motion->component, record->derivatives.references, (size_t)N_STATES,
            record->signals.references, record->signals.count, motion->rates, f_rate.value)))
        f_rate.value[0] = NAN;
    return f_rate;
}

/* Of the room for the Jacobian no more is filled than there are states. */
static void find_point(const Motion *motion, double t, const States *x, Point *point) {
    const Record *record = motion->record;
    double columns[STATE_ROOM][STATE_ROOM];
    point->t = t;
    point->x = *x;
    point->m.none = 0;
    point->f = rates_at(motion, t, x, &point->m);
    if (slopes_along(record, motion->component, &record->states, record->derivatives.references,
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

/* The largest of what the law has resolved so far: the nominal values of model exchange, which it
 * renews at events, nearly vanish where surfaces touch. */
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
        fails(motion->record->fmu->get_indicators(motion->component, g, (size_t)N_INDICATORS)))
        for (int i = 0; i < N_INDICATORS; i++) g[i] = NAN;
}

#include "solver/hosted.c"

#include "jumps.c"

/* ---- the sensitivities ---- */

/* of a step, relative to the largest sensitivity so far, or to what comes up to the next sample */
static const double SLOPE_TOLERANCE = 3e-4;
/* of a step towards an event: at a fold of the law slopes grow without bound */
static const double EVENT_TOLERANCE = 1e-6;
/* to which an event is located, as a part of the interval between two samples: nearer to a fold the
 * error of its time is no longer small against the distance to it */
static const double EVENT_TIME = 1e-6;
/* between two samples: beyond, a bristle swings faster than the record shows */
enum { EVENTS_AT_MOST = 40, TRIALS_AT_MOST = 5000 };
/* of the run in a step of the sensitivities */
enum { PIECES_AT_MOST = 64 };
/* part of the interval between two samples, below which an error is taken */
static const double SHORTEST = 1.0 / 256;
static const double STAGE = 1.0 / 3; /* of a step; the other stage is its end */
/* 1/sqrt(6): the mean of the eigenvalues of Radau IIA */
static const double FILTER = 0.40824829046386302;

/* A column for each state and known, a row for the rate of each state and each output. */
typedef struct {
    double column[STATE_ROOM + KNOWN_ROOM][ROW_ROOM];
} Table;

/* A step of the run, and the states in it. */
typedef struct {
    Point from;
    double h;
    Cubic cubic;
} Piece;

typedef struct {
    size_t states, knowns, rows;
    fmi2ValueReference unknowns[ROW_ROOM]; /* rates and outputs */
    Table tables[3];
    Table *begin, *inner, *end; /* of these: at the start, the inner stage and the end of a step */
    /* sensitivities, after a step, and the largest of each so far; known by known */
    double s[KNOWN_ROOM][STATE_ROOM], next[KNOWN_ROOM][STATE_ROOM], largest[KNOWN_ROOM][STATE_ROOM];
    double rates[INPUT_ROOM];
    Piece
        path[PIECES_AT_MOST + 1]; /* from the start of a step, up to one that only has its start */
    size_t pieces;
    /* lengths of the next step, 0: none yet, and of the next one of the run */
    double trial, run_trial;
} Sensitivities;

static void make_tables(Sensitivities *own, const Record *record) {
    own->states = record->states.count;
    own->knowns = record->knowns.count;
    own->rows = own->states + record->outputs.count;
    memcpy(own->unknowns, record->derivatives.references, own->states * sizeof *own->unknowns);
    memcpy(own->unknowns + own->states, record->outputs.references,
           record->outputs.count * sizeof *own->unknowns);
    own->begin = &own->tables[0];
    own->inner = &own->tables[1];
    own->end = &own->tables[2];
}

/* At the point that is set. */
static int linearize(const Motion *motion, const Sensitivities *own, Table *table) {
    const Record *record = motion->record;
    return slopes_along(record, motion->component, &record->states, own->unknowns, own->rows,
                        ROW_ROOM, table->column[0]) ||
           slopes_along(record, motion->component, &record->knowns, own->unknowns, own->rows,
                        ROW_ROOM, table->column[own->states]);
}

/* Begins a step at the time t, from x. */
static int begin_at(const Motion *motion, Sensitivities *own, double t, const States *x) {
    find_point(motion, t, x, &own->path[0].from);
    return linearize(motion, own, own->begin);
}

/* A s + B, or with rows behind those of the states C s + D, for one known. */
static double along(const Sensitivities *own, const Table *table, const double *s, size_t known,
                    size_t row) {
    double sum = table->column[own->states + known][row];
    for (size_t k = 0; k < own->states; k++) sum += table->column[k][row] * s[k];
    return sum;
}

/* Finds the sensitivities after a step of length h; gives the largest error in units of what is
 * allowed, NaN where one is not finite. */
static double follow(const Motion *motion, Sensitivities *own, double h, double tolerance) {
    const size_t n = own->states;
    double matrix[MATRIX_ROOM][MATRIX_ROOM], filter[MATRIX_ROOM][MATRIX_ROOM], worst = 0;
    int row[MATRIX_ROOM], filter_row[MATRIX_ROOM];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double inner = own->inner->column[k][i], end = own->end->column[k][i],
                         one = i == k;
            matrix[i][k] = one - h * 5 / 12 * inner;
            matrix[i][n + k] = h / 12 * end;
            matrix[n + i][k] = -h * 3 / 4 * inner;
            matrix[n + i][n + k] = one - h / 4 * end;
            filter[i][k] = one - h * FILTER * own->begin->column[k][i];
        }
    factorize(2 * N_STATES, matrix, row);
    factorize(N_STATES, filter, filter_row);
    for (size_t j = 0; j < own->knowns; j++) {
        const double *s = own->s[j];
        double *next = own->next[j], z[MATRIX_ROOM], stage[STATE_ROOM], error[STATE_ROOM];
        for (size_t i = 0; i < n; i++) {
            const double inner = along(own, own->inner, s, j, i),
                         end = along(own, own->end, s, j, i);
            z[i] = h * (5 * inner - end) / 12;
            z[n + i] = h * (3 * inner + end) / 4;
        }
        back_substitute(2 * N_STATES, matrix, row, z, z);
        for (size_t i = 0; i < n; i++) {
            stage[i] = s[i] + z[i];
            next[i] = s[i] + z[n + i];
        }
        for (size_t i = 0; i < n; i++)
            error[i] =
                FILTER * h *
                (along(own, own->begin, s, j, i) - 1.5 * along(own, own->inner, stage, j, i) +
                 0.5 * along(own, own->end, next, j, i));
        back_substitute(N_STATES, filter, filter_row, error, error);
        for (size_t i = 0; i < n; i++) {
            const double scale =
                fmax(own->largest[j][i], fabs(motion->length * own->end->column[n + j][i]));
            if (!isfinite(next[i]) || !isfinite(error[i])) return NAN;
            if (error[i] != 0) worst = fmax(worst, fabs(error[i]) / (tolerance * scale));
        }
    }
    return worst;
}

/* The states in the path. */
static States states_at(const Motion *motion, const Sensitivities *own, double t) {
    size_t i = 0;
    while (i + 1 < own->pieces && own->path[i + 1].from.t <= t) i++;
    const Piece *piece = &own->path[i];
    return dense_output(motion, &piece->cubic, (t - piece->from.t) / piece->h);
}

/* Makes the linearizations of a step along the path first. */
static double follow_path(const Motion *motion, Sensitivities *own, double tolerance) {
    const Point *from = &own->path[0].from, *end = &own->path[own->pieces].from;
    const double h = end->t - from->t, t = from->t + STAGE * h;
    if (h == 0) return 0;
    if (set_point(motion, end->t, &end->x) || linearize(motion, own, own->end)) return NAN;
    if (N_STATES == 0) return 0;
    const States inner = states_at(motion, own, t);
    if (set_point(motion, t, &inner) || linearize(motion, own, own->inner)) return NAN;
    return follow(motion, own, h, tolerance);
}

/* Goes on from the end of the path. */
static void take_step(Sensitivities *own) {
    Table *const begin = own->begin;
    if (own->pieces == 0) return;
    own->begin = own->end;
    own->end = begin;
    memcpy(own->s, own->next, own->knowns * sizeof *own->s);
    own->path[0].from = own->path[own->pieces].from;
}

static void take_largest(Sensitivities *own) {
    for (size_t j = 0; j < own->knowns; j++)
        for (size_t i = 0; i < own->states; i++)
            own->largest[j][i] = fmax(own->largest[j][i], fabs(own->s[j][i]));
}

/* The next time at which an input passes through zero. Laws have corners there, and a step over one
 * is rejected again and again: with these stops runs take 0.6 to 0.9 of the time. */
static double next_stop(const Motion *motion, double t) {
    double stop = motion->length;
    for (size_t i = 0; !motion->held && i < motion->record->signals.count; i++) {
        const double zero = -motion->from[i] / motion->rates[i];
        if (zero > t + EVENT_TIME * motion->length && zero < stop) stop = zero;
    }
    return stop;
}

/* The first point behind an event. */
typedef struct {
    double t; /* 0: there is no event */
    States x;
} Crossing;

/* Takes the run from the start of the path towards a time, up to an event. Where surfaces part,
 * rates of what a larger normal force has left grow without bound up to a corner: over the finest
 * step nothing has changed, and its error is taken. */
static int run_to(const Motion *motion, Sensitivities *own, double target, Crossing *event) {
    const double resolution = EVENT_TIME * motion->length, finest = 1e-12 * motion->length;
    event->t = 0;
    own->pieces = 0;
    for (int trials = 0; event->t == 0 && own->pieces < PIECES_AT_MOST; trials++) {
        Piece *piece = &own->path[own->pieces];
        const Point *end = &piece->from;
        if (end->t == target) break;
        if (trials == TRIALS_AT_MOST)
            return give_up(motion->record, "There are too many steps or events for slopes.");
        const double remaining = target - end->t;
        double h = own->run_trial > 0 && own->run_trial < remaining ? own->run_trial : remaining,
               after = 0;
        if (h < remaining && h > 0.5 * remaining) h = 0.5 * remaining;
        States x1 = end->x;
        Look start = {0, {0}};
        double error = trial_step(motion, end, h, &x1);
        if (N_INDICATORS > 0 && isfinite(error) && can_change(motion)) {
            look(motion, end, 0, 0, &end->x, &start);
            const double changed = first_change(motion, end, &start, h, &x1);
            if (changed > 0) {
                locate_change(motion, end, &start, changed, resolution, &h, &after);
                x1 = end->x;
                error = h > 0 ? trial_step(motion, end, h, &x1) : 0;
            }
        }
        const int refused = !isfinite(error);
        if (refused && h <= finest)
            return give_up(motion->record, "The slopes cannot be followed.");
        if (refused || (error > 1 && h > finest)) {
            own->run_trial = h * shrinkage(error);
            continue;
        }
        const double longer = h * growth(fmin(error, 1));
        if (after == 0 && (h < remaining || longer > own->run_trial)) own->run_trial = longer;
        if (after > 0) {
            event->x = x1;
            event->t = end->t + cross_change(motion, end, &start, h, after, &event->x);
        }
        if (h == 0) break;
        Point *next = &own->path[++own->pieces].from;
        piece->h = h;
        find_point(motion, h < remaining ? end->t + h : target, &x1, next);
        piece->cubic = cubic_through(motion, end, &x1, &next->f, h);
    }
    return 0;
}

/* Takes states and sensitivities from one sample to the next. */
static int advance_slopes(Motion *motion, Sensitivities *own) {
    int trials = 0, events = 0, nears = 0; /* an event that has been located */
    for (double t = 0; t < motion->length; t = own->path[0].from.t) {
        if (++trials > TRIALS_AT_MOST || events > EVENTS_AT_MOST)
            return give_up(motion->record, "There are too many steps or events for slopes.");
        const double stop = next_stop(motion, t), remaining = stop - t;
        double h = own->trial > 0 && own->trial < remaining ? own->trial : remaining;
        if (h < remaining && h > 0.5 * remaining) h = 0.5 * remaining;
        Crossing event;
        if (run_to(motion, own, h < remaining ? t + h : stop, &event)) return 1;
        if (event.t > 0) nears = 1;
        h = own->path[own->pieces].from.t - t;
        const double error = follow_path(motion, own, nears ? EVENT_TOLERANCE : SLOPE_TOLERANCE),
                     next = h * fmin(4, fmax(0.2, 0.8 / cbrt(error)));
        const int lost = error != error; /* isnan would need mingw's library */
        if (!(error <= 1) && h > motion->length * (lost || nears ? EVENT_TIME : SHORTEST)) {
            own->trial = lost ? 0.2 * h : next;
            continue;
        }
        if (lost) return give_up(motion->record, "The slopes are not finite.");
        if (event.t == 0 && (h < remaining || next > own->trial)) own->trial = next;
        take_step(own);
        if (event.t > 0) {
            events++;
            take_largest(own);
            if (jump(motion, own->s, &own->path[0].from, event.t, &event.x) ||
                begin_at(motion, own, event.t, &event.x))
                return 1;
            nears = 0;
        }
        take_largest(own);
    }
    return 0;
}

static void keep_slopes(const Record *record, const Sensitivities *own, size_t sample) {
    const size_t count = record->outputs.count;
    for (size_t j = 0; j < own->knowns; j++)
        for (size_t i = 0; i < count; i++)
            record->slopes[(sample * own->knowns + j) * count + i] =
                along(own, own->begin, own->s[j], j, own->states + i);
}

/* New inputs at a sample; those that move have come to it by themselves, to rounding, and make no
 * event there but that a law without modes may project its states. */
static int take_sample(Motion *motion, Sensitivities *own, size_t sample) {
    const Record *record = motion->record;
    const int there = record->linear && motion->length > 0 && (N_STATES > 0 || N_INDICATORS > 0);
    States x = own->path[0].from.x;
    motion->from = signals_at(record, sample);
    motion->held = 1;
    own->path[0].from.t = 0;
    if (there && record->event_modes.count > 0) return set_point(motion, 0, &x);
    if (jump(motion, own->s, NULL, 0, &x)) return 1;
    if (there && memcmp(&x, &own->path[0].from.x, sizeof x) == 0) return 0;
    return begin_at(motion, own, 0, &x);
}

static int simulate_slopes(Motion *motion, Sensitivities *own) {
    Record *record = motion->record;
    const Fmu *fmu = record->fmu;
    const clock_t begin = record->seconds > 0 ? clock() : 0;
    States x = no_states;
    motion->from = signals_at(record, 0);
    motion->held = 1;
    if (start(record, motion->component, 0) ||
        slopes_along(record, motion->component, &record->knowns, record->states.references,
                     own->states, STATE_ROOM, own->s[0]) ||
        fails(fmu->exit_initialization(motion->component)) || settle(motion) ||
        fails(fmu->get_continuous_states(motion->component, x.value, record->states.count)) ||
        begin_at(motion, own, 0, &x))
        return 1;
    for (;;) {
        const size_t sample = record->done;
        if (get_results(record, motion->component, sample)) return 1;
        keep_slopes(record, own, sample);
        record->message[0] = '\0'; /* what was refused was only tried */
        record->done = sample + 1;
        if (record->done == record->n_samples) return 0;
        if (out_of_time(record, begin)) return give_up(record, "The run takes too long.");
        motion->length = record->times[sample + 1] - record->times[sample];
        if (motion->length > 0) {
            const double *to = signals_at(record, sample + 1);
            motion->held = 1;
            for (size_t i = 0; record->linear && i < record->signals.count; i++) {
                own->rates[i] = (to[i] - motion->from[i]) / motion->length;
                if (own->rates[i] != 0) motion->held = 0;
            }
            if ((N_STATES > 0 || N_INDICATORS > 0) && advance_slopes(motion, own)) return 1;
        }
        if (take_sample(motion, own, sample + 1)) return 1;
    }
}

static int simulate_with_slopes(Record *record, fmi2Component component) {
    if (record->states.count > STATE_ROOM || record->signals.count > INPUT_ROOM ||
        record->n_indicators > INDICATOR_ROOM || record->event_modes.count > MODE_ROOM ||
        record->knowns.count > KNOWN_ROOM || record->outputs.count > ROW_ROOM - STATE_ROOM)
        return give_up(record, "The FMU is too large for slopes.");
    Sensitivities *own = calloc(1, sizeof *own);
    if (!own) return give_up(record, "There is not enough memory.");
    Motion motion = {.record = record,
                     .component = component,
                     .indicators = record->event_modes.count ? (int)record->n_indicators : 0,
                     .rates = own->rates,
                     .tolerance = record->tolerance > 0 ? record->tolerance : 1e-6};
    make_tables(own, record);
    const int failed = simulate_slopes(&motion, own);
    if (motion.before) record->fmu->free_state(component, &motion.before);
    free(own);
    return failed;
}
