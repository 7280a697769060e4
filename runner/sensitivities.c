/* Exact slopes of a whole run with respect to parameters.
 *
 *     dx/dt = f(p, u, x),  y = g(p, u, x);   with s = dx/dp:   ds/dt = A s + B,   dy/dp = C s + D
 *
 * The states come from the FMU's own co-simulation, whose steps end where slopes are needed; A =
 * df/dx, B = df/dp, C = dg/dx and D = dg/dp there are its exact directional derivatives. The
 * sensitivities s follow by Radau IIA with two stages (Hairer and Wanner, Solving Ordinary
 * Differential Equations II, IV.5): of order 3, L-stable, and without any iteration, because their
 * equation is linear. Where the inputs turn the law round, the steps become short, down to a part
 * of the interval between two samples. Where a mode changes, states and rates jump, and with them
 * s: steps end there, and jumps.c takes s over the event. */
#include <math.h>

enum { STATES_AT_MOST = 16, MATRIX_ROOM = 2 * STATES_AT_MOST };
#include "solver/matrix.c"

#include "jumps.c"

/* of a step, relative to the largest sensitivity so far */
static const double SLOPE_TOLERANCE = 1e-3;
/* of a step towards an event: at a fold of the law slopes grow without bound */
static const double EVENT_TOLERANCE = 1e-5;
/* between two samples: beyond, a bristle swings faster than the record shows */
enum { EVENTS_AT_MOST = 40 };
/* part of the interval between two samples, below which an error is taken */
static const double SHORTEST = 1.0 / 256;
static const double STAGE = 1.0 / 3; /* of a step; the other stage is its end */
/* 1/sqrt(6): the mean of the eigenvalues of Radau IIA */
static const double FILTER = 0.40824829046386302;

/* Everything that is needed during a run, in one piece of memory. A linearization has a column for
 * each state and known, and a row for the rate of each state and each output. */
typedef struct {
    size_t states, knowns, rows;
    fmi2ValueReference *unknowns; /* rates and outputs */
    /* linearizations at the start, the inner stage and the end of a step */
    double *begin, *inner, *end;
    /* sensitivities, after the step, and the largest of each so far; known by known */
    double *s, *next, *largest;
    double *right, *error; /* of the linear systems */
    double trial;          /* length of the next step, 0: none yet */
    fmi2FMUstate stored;
    Events events; /* where there are states and modes */
} Sensitivities;

static int make_room(Sensitivities *own, const Record *record) {
    const size_t n = record->states.count, m = record->knowns.count,
                 rows = n + record->outputs.count;
    const size_t table = rows * (n + m),
                 sizes[] = {table, table, table, n * m, n * m, n * m, 2 * n, n};
    double **const places[] = {&own->begin, &own->inner,   &own->end,   &own->s,
                               &own->next,  &own->largest, &own->right, &own->error};
    memset(own, 0, sizeof *own);
    own->states = n;
    own->knowns = m;
    own->rows = rows;
    own->unknowns = calloc(rows + 1, sizeof *own->unknowns);
    if (!own->unknowns) return 1;
    for (size_t i = 0; i < rows; i++)
        own->unknowns[i] =
            i < n ? record->derivatives.references[i] : record->outputs.references[i - n];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!(*places[i] = calloc(sizes[i] + 1, sizeof(double)))) return 1;
    return 0;
}

static void give_room_back(Sensitivities *own, const Record *record, fmi2Component component) {
    double *const places[] = {own->begin, own->inner,   own->end,   own->s,
                              own->next,  own->largest, own->right, own->error};
    if (own->stored) record->fmu->free_state(component, &own->stored);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) free(places[i]);
    free(own->unknowns);
}

static int linearize(const Record *record, fmi2Component component, const Sensitivities *own,
                     double *table) {
    const double one = 1;
    for (size_t i = 0; i < own->states + own->knowns; i++) {
        const fmi2ValueReference *known = i < own->states
                                              ? &record->states.references[i]
                                              : &record->knowns.references[i - own->states];
        if (fails(record->fmu->directional_derivative(component, own->unknowns, own->rows, known, 1,
                                                      &one, table + i * own->rows)))
            return 1;
    }
    return 0;
}

/* A s + B, or with rows behind those of the states C s + D, for one known. */
static double along(const Sensitivities *own, const double *table, const double *s, size_t known,
                    size_t row) {
    double sum = table[(own->states + known) * own->rows + row];
    for (size_t k = 0; k < own->states; k++) sum += table[k * own->rows + row] * s[k];
    return sum;
}

/* The sensitivities after a step of length h, and the largest error in units of what is allowed. */
static double follow(Sensitivities *own, double h, double tolerance) {
    const size_t n = own->states, rows = own->rows;
    const int size = (int)n;
    double matrix[MATRIX_ROOM][MATRIX_ROOM], filter[MATRIX_ROOM][MATRIX_ROOM], worst = 0;
    int row[MATRIX_ROOM], filter_row[MATRIX_ROOM];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double inner = own->inner[k * rows + i], end = own->end[k * rows + i],
                         one = i == k;
            matrix[i][k] = one - h * 5 / 12 * inner;
            matrix[i][n + k] = h / 12 * end;
            matrix[n + i][k] = -h * 3 / 4 * inner;
            matrix[n + i][n + k] = one - h / 4 * end;
            filter[i][k] = one - h * FILTER * own->begin[k * rows + i];
        }
    factorize(2 * size, matrix, row);
    factorize(size, filter, filter_row);
    for (size_t j = 0; j < own->knowns; j++) {
        const double *s = own->s + j * n;
        double *next = own->next + j * n, *z = own->right, inner_stage[STATES_AT_MOST];
        for (size_t i = 0; i < n; i++) {
            const double inner = along(own, own->inner, s, j, i),
                         end = along(own, own->end, s, j, i);
            z[i] = h * (5 * inner - end) / 12;
            z[n + i] = h * (3 * inner + end) / 4;
        }
        back_substitute(2 * size, matrix, row, z, z);
        for (size_t i = 0; i < n; i++) {
            inner_stage[i] = s[i] + z[i];
            next[i] = s[i] + z[n + i];
        }
        double *error = own->error;
        for (size_t i = 0; i < n; i++)
            error[i] =
                FILTER * h *
                (along(own, own->begin, s, j, i) - 1.5 * along(own, own->inner, inner_stage, j, i) +
                 0.5 * along(own, own->end, next, j, i));
        back_substitute(size, filter, filter_row, error, error);
        for (size_t i = 0; i < n; i++) {
            const double scale =
                fmax(own->largest[j * n + i], fabs(h * own->end[(n + j) * rows + i]));
            if (!isfinite(next[i]) || !isfinite(error[i])) return INFINITY;
            if (error[i] != 0) worst = fmax(worst, fabs(error[i]) / (tolerance * scale));
        }
    }
    return worst;
}

/* One step of the run, with the linearization at its end. Where it leads over an event, it ends
 * there, and `passed` is 1. */
static int try_step(const Record *record, fmi2Component component, Sensitivities *own,
                    size_t sample, double done, double from, double to, double *table,
                    int *passed) {
    *passed = 0;
    if (fails(record->fmu->do_step(component, record->times[sample] + done + from, to - from,
                                   fmi2False)) ||
        (watches(record) &&
         event_passed(record, component, &own->events, sample, done + to, passed)))
        return 1;
    return *passed ? 0 : linearize(record, component, own, table);
}

static void take_largest(Sensitivities *own) {
    for (size_t i = 0; i < own->states * own->knowns; i++)
        own->largest[i] = fmax(own->largest[i], fabs(own->s[i]));
}

/* Takes states and sensitivities from one sample to the next. */
static int advance_slopes(Record *record, fmi2Component component, Sensitivities *own,
                          size_t sample, double length) {
    const Fmu *fmu = record->fmu;
    const double resolution = fmax(EVENT_TIME * length, 1e-14 * fabs(record->times[sample]));
    double until = length; /* where the next event lies ahead */
    /* how far ahead: more than can be resolved, where the repeated steps towards it
     * were others */
    double back = 0;
    int due = 0, events = 0;
    for (double done = 0; done < length;) {
        const double remaining = length - done;
        int passed = 0;
        if (due) {
            const double ahead = fmin(2 * resolution, remaining);
            if (++events > EVENTS_AT_MOST)
                return give_up(record, "There are too many events for slopes.");
            if (cross(record, component, &own->events, own->s, sample, done, ahead, length,
                      &passed) ||
                linearize(record, component, own, own->begin))
                return 1;
            take_largest(own);
            due = 0;
            until = length;
            back = 0;
            done = ahead < remaining ? done + ahead : length;
            continue;
        }
        const double to_go = until - done;
        const double shortest = SHORTEST * (until < length ? to_go : length);
        double h = own->trial > 0 && own->trial < to_go ? own->trial : to_go;
        if (h < to_go && h > 0.5 * to_go) h = 0.5 * to_go;
        if (own->states && fails(fmu->get_state(component, &own->stored))) return 1;
        const double inner = own->states ? STAGE * h : 0;
        if (own->states &&
            try_step(record, component, own, sample, done, 0, inner, own->inner, &passed))
            return 1;
        const double tried = passed ? inner : h;
        if (!passed && try_step(record, component, own, sample, done, inner, h, own->end, &passed))
            return 1;
        if (passed) {
            double before;
            if (locate(record, component, &own->events, own->stored, sample, done, tried,
                       resolution, &before) ||
                fails(fmu->set_state(component, own->stored)))
                return 1;
            due = before <= resolution;
            back = until < length ? 4 * fmax(back, resolution) : 0;
            until = done + fmax(before - back, 0.5 * before);
            continue;
        }
        const double error =
            own->states ? follow(own, h, until < length ? EVENT_TOLERANCE : SLOPE_TOLERANCE) : 0;
        const double next = h * fmin(4, fmax(0.2, 0.8 / cbrt(fmax(error, 1e-3))));
        /* an end that is near says nothing about it */
        own->trial = h < to_go || error > 1 ? next : fmax(next, own->trial);
        if (error > 1 && h > shortest) {
            own->trial = fmax(own->trial, 0.999 * shortest);
            if (fails(fmu->set_state(component, own->stored))) return 1;
            continue;
        }
        memcpy(own->s, own->next, own->states * own->knowns * sizeof *own->s);
        take_largest(own);
        double *begin = own->begin;
        own->begin = own->end;
        own->end = begin;
        done = h < to_go ? done + h : until;
        if (h >= to_go) {
            due = until < length && back == 0;
            until = length;
            back = 0;
        }
    }
    return 0;
}

/* How the states at the start depend on the parameters. */
static int start_slopes(const Record *record, fmi2Component component, Sensitivities *own) {
    const double one = 1;
    for (size_t j = 0; j < own->knowns; j++)
        if (own->states && fails(record->fmu->directional_derivative(
                               component, record->states.references, own->states,
                               &record->knowns.references[j], 1, &one, own->s + j * own->states)))
            return 1;
    return 0;
}

static void keep_slopes(const Record *record, const Sensitivities *own, size_t sample) {
    const size_t count = record->outputs.count;
    for (size_t j = 0; j < own->knowns; j++)
        for (size_t i = 0; i < count; i++)
            record->slopes[(sample * own->knowns + j) * count + i] =
                along(own, own->begin, own->s + j * own->states, j, own->states + i);
}

static int simulate_slopes(Record *record, fmi2Component component, Sensitivities *own,
                           const fmi2Integer *orders, double *rates) {
    const clock_t begin = record->seconds > 0 ? clock() : 0;
    if (start(record, component, 0) || start_slopes(record, component, own) ||
        fails(record->fmu->exit_initialization(component)) ||
        linearize(record, component, own, own->begin) ||
        (watches(record) && remember(record, component, &own->events, 0, 0)))
        return 1;
    for (;;) {
        const size_t sample = record->done;
        if (get_results(record, component, sample)) return 1;
        keep_slopes(record, own, sample);
        record->done = sample + 1;
        if (record->done == record->n_samples) return 0;
        if (out_of_time(record, begin)) return give_up(record, "The run takes too long.");
        const double length = record->times[sample + 1] - record->times[sample];
        if (length > 0) {
            if (record->linear && move_signals(record, component, signals_at(record, sample),
                                               sample, length, orders, rates))
                return 1;
            if (advance_slopes(record, component, own, sample, length)) return 1;
        }
        if (set_signals(record, component, sample + 1)) return 1;
        /* inputs that move are already there, to rounding */
        if (record->linear && length > 0) continue;
        if ((watches(record) &&
             jump_at_sample(record, component, &own->events, own->s, sample + 1)) ||
            linearize(record, component, own, own->begin))
            return 1;
    }
}

static int simulate_with_slopes(Record *record, fmi2Component component, const fmi2Integer *orders,
                                double *rates, double *inputs) {
    (void)inputs;
    Sensitivities own;
    if (record->states.count > STATES_AT_MOST)
        return give_up(record, "The FMU has too many states for slopes.");
    const fmi2CallbackFunctions callbacks = {keep_message, calloc, free, NULL, record};
    int failed = make_room(&own, record);
    if (!failed && watches(record))
        failed = make_room_for_events(&own.events, record, rates) ||
                 start_watching(record, &callbacks, &own.events);
    if (!failed) failed = simulate_slopes(record, component, &own, orders, rates);
    give_room_for_events_back(&own.events, record, component);
    give_room_back(&own, record, component);
    return failed;
}
