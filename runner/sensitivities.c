/* Exact slopes of a whole run with respect to parameters.
 *
 *     dx/dt = f(p, u, x),  y = g(p, u, x);   with s = dx/dp:   ds/dt = A s + B,   dy/dp = C s + D
 *
 * The states come from the FMU's own co-simulation, whose steps end where slopes are needed; A = df/dx, B = df/dp, C = dg/dx and D = dg/dp
 * there are its exact directional derivatives. The sensitivities s follow by Radau IIA with two stages (Hairer and Wanner, Solving Ordinary
 * Differential Equations II, IV.5): of order 3, L-stable, and without any iteration, because their equation is linear. Where the inputs turn
 * the law round, the steps become short, down to a part of the interval between two samples. The states are taken for continuous, and so are their
 * rates: a mode that changes makes both jump, and with it s, which FMI's derivatives do not tell. */
#include <math.h>

enum { STATES_AT_MOST = 16, MATRIX_ROOM = 2 * STATES_AT_MOST };
#include "solver/matrix.c"

static const double SLOPE_TOLERANCE = 1e-3; /* of a step, relative to the largest sensitivity so far */
static const double SHORTEST = 1.0 / 256; /* part of the interval between two samples, below which an error is taken */
static const double STAGE = 1.0 / 3;      /* of a step; the other stage is its end */
static const double FILTER = 0.40824829046386302; /* 1/sqrt(6): the mean of the eigenvalues of Radau IIA */

/* Everything that is needed on the way, in one piece of memory. A linearization has a column for each state and known, and a row for the
 * rate of each state and each output. */
typedef struct {
    size_t states, knowns, rows;
    fmi2ValueReference *unknowns; /* rates and outputs */
    double *begin, *inner, *end;  /* linearizations at the start, the inner stage and the end of a step */
    double *s, *next, *largest;   /* sensitivities, after the step, and the largest of each so far; known by known */
    double *right, *error;        /* of the linear systems */
    double trial;                 /* length of the next step, 0: none yet */
    fmi2FMUstate stored;
} Sensitivities;

static int make_room(Sensitivities *own, const Record *record) {
    const size_t n = record->states.count, m = record->knowns.count, rows = n + record->outputs.count;
    const size_t table = rows * (n + m), sizes[] = {table, table, table, n * m, n * m, n * m, 2 * n, n};
    double **const places[] = {&own->begin, &own->inner,   &own->end,   &own->s,
                               &own->next,  &own->largest, &own->right, &own->error};
    memset(own, 0, sizeof *own);
    own->states = n;
    own->knowns = m;
    own->rows = rows;
    own->unknowns = calloc(rows + 1, sizeof *own->unknowns);
    if (!own->unknowns) return 1;
    for (size_t i = 0; i < rows; i++)
        own->unknowns[i] = i < n ? record->derivatives.references[i] : record->outputs.references[i - n];
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

static int linearize(const Record *record, fmi2Component component, const Sensitivities *own, double *table) {
    const double one = 1;
    for (size_t i = 0; i < own->states + own->knowns; i++) {
        const fmi2ValueReference *known =
            i < own->states ? &record->states.references[i] : &record->knowns.references[i - own->states];
        if (fails(record->fmu->directional_derivative(component, own->unknowns, own->rows, known, 1, &one,
                                                      table + i * own->rows)))
            return 1;
    }
    return 0;
}

/* A s + B, or with rows behind those of the states C s + D, for one known. */
static double along(const Sensitivities *own, const double *table, const double *s, size_t known, size_t row) {
    double sum = table[(own->states + known) * own->rows + row];
    for (size_t k = 0; k < own->states; k++) sum += table[k * own->rows + row] * s[k];
    return sum;
}

/* The sensitivities after a step of length h, and the largest error in units of what is allowed. */
static double follow(Sensitivities *own, double h) {
    const size_t n = own->states, rows = own->rows;
    const int size = (int)n;
    double matrix[MATRIX_ROOM][MATRIX_ROOM], filter[MATRIX_ROOM][MATRIX_ROOM], worst = 0;
    int row[MATRIX_ROOM], filter_row[MATRIX_ROOM];
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            const double inner = own->inner[k * rows + i], end = own->end[k * rows + i], one = i == k;
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
            const double inner = along(own, own->inner, s, j, i), end = along(own, own->end, s, j, i);
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
            error[i] = FILTER * h *
                       (along(own, own->begin, s, j, i) - 1.5 * along(own, own->inner, inner_stage, j, i) +
                        0.5 * along(own, own->end, next, j, i));
        back_substitute(size, filter, filter_row, error, error);
        for (size_t i = 0; i < n; i++) {
            const double scale = fmax(own->largest[j * n + i], fabs(h * own->end[(n + j) * rows + i]));
            if (!isfinite(next[i]) || !isfinite(error[i])) return INFINITY;
            if (error[i] != 0) worst = fmax(worst, fabs(error[i]) / (SLOPE_TOLERANCE * scale));
        }
    }
    return worst;
}

/* Takes states and sensitivities from one sample to the next. */
static int advance_slopes(const Record *record, fmi2Component component, Sensitivities *own, double from,
                          double length) {
    const Fmu *fmu = record->fmu;
    for (double done = 0; done < length;) {
        const double rest = length - done;
        double h = own->trial > 0 && own->trial < rest ? own->trial : rest;
        if (h < rest && h > 0.5 * rest) h = 0.5 * rest;
        if (own->states && fails(fmu->get_state(component, &own->stored))) return 1;
        const double inner = own->states ? STAGE * h : 0;
        if (own->states && (fails(fmu->do_step(component, from + done, inner, fmi2False)) ||
                            linearize(record, component, own, own->inner)))
            return 1;
        if (fails(fmu->do_step(component, from + done + inner, h - inner, fmi2False)) ||
            linearize(record, component, own, own->end))
            return 1;
        const double error = own->states ? follow(own, h) : 0;
        own->trial = h * fmin(4, fmax(0.2, 0.8 / cbrt(fmax(error, 1e-3))));
        if (error > 1 && h > SHORTEST * length) {
            own->trial = fmax(own->trial, 0.999 * SHORTEST * length);
            if (fails(fmu->set_state(component, own->stored))) return 1;
            continue;
        }
        for (size_t i = 0; i < own->states * own->knowns; i++) {
            own->s[i] = own->next[i];
            own->largest[i] = fmax(own->largest[i], fabs(own->s[i]));
        }
        double *begin = own->begin;
        own->begin = own->end;
        own->end = begin;
        done = h < rest ? done + h : length;
    }
    return 0;
}

/* How the states at the start depend on the parameters. */
static int start_slopes(const Record *record, fmi2Component component, Sensitivities *own) {
    const double one = 1;
    for (size_t j = 0; j < own->knowns; j++)
        if (own->states && fails(record->fmu->directional_derivative(component, record->states.references, own->states,
                                                                     &record->knowns.references[j], 1, &one,
                                                                     own->s + j * own->states)))
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

static int simulate_slopes(Record *record, fmi2Component component, Sensitivities *own, const fmi2Integer *orders,
                           double *rates) {
    const clock_t begin = record->seconds > 0 ? clock() : 0;
    if (start(record, component, 0) || start_slopes(record, component, own) ||
        fails(record->fmu->exit_initialization(component)) || linearize(record, component, own, own->begin))
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
            if (record->linear && move_signals(record, component, sample, length, orders, rates)) return 1;
            if (advance_slopes(record, component, own, record->times[sample], length)) return 1;
        }
        if (set_signals(record, component, sample + 1)) return 1;
        /* Inputs that move are already there, to rounding. */
        if ((!record->linear || length <= 0) && linearize(record, component, own, own->begin)) return 1;
    }
}

static int simulate_with_slopes(Record *record, fmi2Component component, const fmi2Integer *orders, double *rates) {
    Sensitivities own;
    if (record->states.count > STATES_AT_MOST) return give_up(record, "The FMU has too many states for slopes.");
    const int failed = make_room(&own, record) || simulate_slopes(record, component, &own, orders, rates);
    give_room_back(&own, record, component);
    return failed;
}
