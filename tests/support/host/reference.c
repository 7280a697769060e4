/* An accurate integration of any FMU in model exchange: the reference for co-simulation.
 *
 * Extrapolated linearly implicit Euler (Deuflhard's scheme; Hairer and Wanner II, IV.9): another
 * method than the one in the FMUs, simple enough to be trusted. Events are located by bisection
 * with whole steps. Time runs from 0 to 1 over the length of the run.
 */
#include <math.h>
#include <string.h>

#include "fmi2FunctionTypes.h"

enum { MAX = 16, COLUMNS = 7, STEPS_AT_MOST = 20000 };

typedef struct {
    fmi2Component c;
    fmi2SetTimeTYPE *set_time;
    fmi2SetRealTYPE *set_real;
    fmi2SetContinuousStatesTYPE *set_states;
    fmi2GetContinuousStatesTYPE *get_states;
    fmi2GetDerivativesTYPE *get_derivatives;
    fmi2GetEventIndicatorsTYPE *get_indicators;
    fmi2GetDirectionalDerivativeTYPE *get_slopes;
    fmi2EnterEventModeTYPE *enter_event_mode;
    fmi2NewDiscreteStatesTYPE *new_discrete_states;
    fmi2EnterContinuousTimeModeTYPE *enter_continuous_time_mode;
    size_t states, indicators, inputs;
    const fmi2ValueReference *state_references, *derivative_references, *input_references;
    const double *nominal;
    double start, length;
    const double *input_start, *input_rate; /* inputs over time from the start on */
} System;

static int failed;

static void demand(fmi2Status status) {
    if (status != fmi2OK) failed = 1;
}

static void place(const System *s, double part, const double *x) {
    double u[MAX];
    const double since = part * s->length;
    for (size_t i = 0; i < s->inputs; i++) u[i] = s->input_start[i] + s->input_rate[i] * since;
    demand(s->set_time(s->c, s->start + since));
    if (s->inputs > 0) demand(s->set_real(s->c, s->input_references, s->inputs, u));
    demand(s->set_states(s->c, x, s->states));
}

static void rates(const System *s, double part, const double *x, double *f) {
    place(s, part, x);
    demand(s->get_derivatives(s->c, f, s->states));
    for (size_t i = 0; i < s->states; i++) f[i] *= s->length;
}

static void jacobian(const System *s, double part, const double *x, double J[MAX][MAX]) {
    place(s, part, x);
    for (size_t j = 0; j < s->states; j++) {
        const double one = 1;
        double column[MAX];
        demand(s->get_slopes(s->c, s->derivative_references, s->states, s->state_references + j, 1,
                             &one, column));
        for (size_t i = 0; i < s->states; i++) J[i][j] = s->length * column[i];
    }
}

/* x = A^-1 b by Gaussian elimination with row pivoting; A and b are used up. */
static void solve(size_t n, double A[MAX][MAX], double *b) {
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
        for (size_t j = 0; j < n; j++) {
            const double kept = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = kept;
        }
        const double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (size_t i = k + 1; i < n; i++) {
            const double factor = A[i][k] / A[k][k];
            for (size_t j = k; j < n; j++) A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

/* One extrapolated step of size h; returns its error in units of the tolerance. */
static double extrapolated_step(const System *s, double part, const double *x, double h,
                                double tolerance, double *x1) {
    double J[MAX][MAX], T[COLUMNS][MAX], previous[COLUMNS][MAX];
    jacobian(s, part, x, J);
    for (int row = 0; row < COLUMNS; row++) {
        const int substeps = row + 1;
        const double d = h / substeps;
        double y[MAX];
        memcpy(y, x, s->states * sizeof *y);
        for (int k = 0; k < substeps; k++) {
            double A[MAX][MAX], f[MAX];
            rates(s, part + (k + 1) * d, y, f);
            for (size_t i = 0; i < s->states; i++) {
                f[i] *= d;
                for (size_t j = 0; j < s->states; j++) A[i][j] = (i == j) - d * J[i][j];
            }
            solve(s->states, A, f);
            for (size_t i = 0; i < s->states; i++) y[i] += f[i];
        }
        memcpy(previous, T, sizeof previous);
        memcpy(T[0], y, sizeof y);
        for (int column = 1; column <= row; column++)
            for (size_t i = 0; i < s->states; i++)
                T[column][i] = T[column - 1][i] + (T[column - 1][i] - previous[column - 1][i]) /
                                                      ((double)substeps / (substeps - column) - 1);
    }
    double error = 0;
    for (size_t i = 0; i < s->states; i++) {
        const double allowed =
            tolerance * (0.01 * s->nominal[i] + fmax(fabs(x[i]), fabs(T[COLUMNS - 1][i])));
        const double wrong = fabs(T[COLUMNS - 1][i] - T[COLUMNS - 2][i]) / allowed;
        if (!(wrong <= 1e300)) return INFINITY;
        error = fmax(error, wrong);
    }
    memcpy(x1, T[COLUMNS - 1], s->states * sizeof *x1);
    return error;
}

static void signs(const System *s, double part, const double *x, int *sign) {
    double g[MAX];
    place(s, part, x);
    demand(s->get_indicators(s->c, g, s->indicators));
    for (size_t i = 0; i < s->indicators; i++) sign[i] = g[i] > 0;
}

static void settle(const System *s) {
    fmi2EventInfo info;
    demand(s->enter_event_mode(s->c));
    do demand(s->new_discrete_states(s->c, &info));
    while (!failed && info.newDiscreteStatesNeeded);
    demand(s->enter_continuous_time_mode(s->c));
}

/* Integrates from `begin` to `end` (fractions of the length), where the modes settle. Returns the
 * number of events, -1 if the FMU refused a call, -2 if there are too many steps. */
long integrate(const System *s, double begin, double end, double tolerance) {
    double x[MAX], x1[MAX], part = begin, h = 1e-6 * (end - begin);
    int before[MAX], after[MAX];
    long events = 0;
    failed = 0;
    demand(s->get_states(s->c, x, s->states));
    for (long step = 0; part < end && !failed; step++) {
        if (step > STEPS_AT_MOST) return -2;
        signs(s, part, x, before);
        /* short enough not to step over a pair of events */
        h = fmin(fmin(h, 1.0 / 64), end - part);
        const int last = h >= end - part;
        const double error = s->states > 0 ? extrapolated_step(s, part, x, h, tolerance, x1) : 0;
        const double factor = error > 0 ? fmin(4, fmax(0.1, 0.8 * pow(error, -1.0 / COLUMNS))) : 4;
        if (!(error <= 1) && h > 1e-15) {
            h *= isfinite(error) ? fmin(factor, 0.7) : 0.1;
            continue;
        }
        signs(s, last ? end : part + h, x1, after);
        const int changed = memcmp(before, after, s->indicators * sizeof *before) != 0;
        double low = 0, high = h;
        for (int i = 0; changed && i < 60 && high - low > 1e-13; i++) {
            const double middle = 0.5 * (low + high);
            if (s->states > 0) extrapolated_step(s, part, x, middle, tolerance, x1);
            signs(s, part + middle, x1, after);
            if (memcmp(before, after, s->indicators * sizeof *before) != 0)
                high = middle;
            else
                low = middle;
        }
        if (changed && s->states > 0) extrapolated_step(s, part, x, high, tolerance, x1);
        memcpy(x, x1, sizeof x);
        part = last && high >= h ? end : part + high;
        place(s, part, x);
        if (changed) {
            settle(s);
            demand(s->get_states(s->c, x, s->states));
            events++;
            h = 1e-9 * (end - begin);
        } else
            h *= factor;
    }
    place(s, end, x);
    settle(s);
    return failed ? -1 : events;
}
