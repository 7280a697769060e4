/* Co-simulation: takes the states of any model over one communication step.
 *
 *     dx/dt = evaluate(p, u(t), x, m),   u(t) = u + t u_rate,   0 <= t <= length
 *
 * Three layers, each knowing only the one below it:
 *   trial steps      exponential (linear states; exact under held inputs) or Rosenbrock pair (everything else)
 *   located events   the step in which an indicator changes its sign is cut there, the modes settle, the run goes on
 *   error control    the length of the next trial step
 *
 * The Rosenbrock pair is RODAS (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.7): order 4(3), six
 * stages, L-stable and stiffly accurate, with the exact Jacobian from evaluate_slopes. One-step methods keep no history, so a
 * run can be stopped, stored and repeated bit by bit at any communication point.
 */
#include <float.h>
#include <math.h>
#include <string.h>

enum { SOLVER_DONE, SOLVER_TOLERANCE_MISSED, SOLVER_NOT_FINITE };

enum {
    STATE_ROOM = N_STATES > 0 ? N_STATES : 1,
    INDICATOR_ROOM = N_INDICATORS > 0 ? N_INDICATORS : 1,
    STAGES = 6,
    TRIALS_AT_MOST = 50000, /* of one communication step */
    EVENTS_AT_MOST = 100,   /* one after the other without a step between them */
    SETTLING_AT_MOST = 10   /* calls of next_modes in one event; one settles, the others confirm it */
};

static const Parameters no_parameters = {0};
static const Inputs no_inputs = {0};
static const States no_states = {0};

static const double TOO_LONG = 1e4; /* scaled error that makes the next trial ten times shorter */

typedef struct {
    const Parameters *p;
    const Inputs *u_start; /* inputs at the start of the communication step, */
    const Inputs *u_rate;  /* their rates during it */
    double tolerance;      /* relative; absolute in units of a state's nominal value */
    int held;              /* all rates are zero */
} Motion;

static Inputs inputs_at(const Motion *motion, double t) {
    Inputs u = *motion->u_start;
    if (!motion->held) {
        double *value = (double *)&u;
        const double *rate = (const double *)motion->u_rate;
        for (int i = 0; i < N_INPUTS; i++) value[i] += t * rate[i];
    }
    return u;
}

/* Lets the modes follow the inputs and states; returns 1 if a state was reset. */
static int settle_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    int reset = 0;
    for (int i = 0; i < SETTLING_AT_MOST; i++) {
        const Modes before = *m;
        if (next_modes(p, u, x, m)) reset = 1;
        if (memcmp(&before, m, sizeof before) == 0) break;
    }
    return reset;
}

/* --- trial steps ------------------------------------------------------------------------------------------------ */

/* LU factors of a small full matrix in place, with row pivoting. A pivot of zero shows as a result that is not finite. */
static void factorize(double A[STATE_ROOM][STATE_ROOM], int row[STATE_ROOM]) {
    for (int i = 0; i < N_STATES; i++) row[i] = i;
    for (int k = 0; k < N_STATES; k++) {
        int pivot = k;
        for (int i = k + 1; i < N_STATES; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
        if (pivot != k) {
            const int kept_row = row[k];
            row[k] = row[pivot];
            row[pivot] = kept_row;
            for (int j = 0; j < N_STATES; j++) {
                const double kept = A[k][j];
                A[k][j] = A[pivot][j];
                A[pivot][j] = kept;
            }
        }
        for (int i = k + 1; i < N_STATES; i++) {
            A[i][k] /= A[k][k];
            for (int j = k + 1; j < N_STATES; j++) A[i][j] -= A[i][k] * A[k][j];
        }
    }
}

static void back_substitute(double A[STATE_ROOM][STATE_ROOM], int row[STATE_ROOM], const double *rhs, double *result) {
    double b[STATE_ROOM];
    for (int i = 0; i < N_STATES; i++) b[i] = rhs[row[i]];
    for (int i = 1; i < N_STATES; i++)
        for (int j = 0; j < i; j++) b[i] -= A[i][j] * b[j];
    for (int i = N_STATES - 1; i >= 0; i--) {
        for (int j = i + 1; j < N_STATES; j++) b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
    for (int i = 0; i < N_STATES; i++) result[i] = b[i];
}

/* Error of a step in units of what the tolerance allows; infinite if a state is not finite. */
static double scaled_error(const double *error, const double *x0, const double *x1, double tolerance) {
    double worst = 0;
    for (int i = 0; i < N_STATES; i++) {
        if (!isfinite(x1[i])) return INFINITY;
        const double scale = tolerance * (state_nominals[i] + fmax(fabs(x0[i]), fabs(x1[i])));
        worst = fmax(worst, fabs(error[i]) / scale);
    }
    return isfinite(worst) ? worst : INFINITY;
}

/* Exact for linear state equations that do not see each other, under held inputs:
 * x(h) = x + h phi(h J) f with phi(a) = (exp(a) - 1)/a. */
static double exponential_step(const Motion *motion, const States *x, const Modes *m, double h, States *x1) {
    States ones = no_states, f, J;
    Outputs y, y_slope;
    for (int i = 0; i < N_STATES; i++) ((double *)&ones)[i] = 1;
    evaluate_slopes(motion->p, &no_parameters, motion->u_start, &no_inputs, x, &ones, m, &f, &J, &y, &y_slope);
    for (int i = 0; i < N_STATES; i++) {
        const double a = h * ((const double *)&J)[i];
        const double phi = a == 0 ? 1 : expm1(a) / a;
        ((double *)x1)[i] = ((const double *)x)[i] + h * phi * ((const double *)&f)[i];
        if (!isfinite(((double *)x1)[i])) return INFINITY;
    }
    return 0;
}

/* The same under moving inputs, where the states keep up with them: dx/dt = b(t) (z(t) - x), z the value that x tends to.
 * Over the phase s, ds = b dt, this is dx/ds = z - x, so with z a cubic in s through four points of the step the
 * integral is exact again, however stiff the state is. Estimated is what the cubic does better than the parabola, in z
 * and in b. Returns an infinite error where a state does not keep up or b changes much: there the cubic says little. */
static double following_step(const Motion *motion, double t, const States *x, const Modes *m, double h, States *x1) {
    static const int order[] = {0, 3, 1, 2}; /* the ends first: where they do not fit, the rest is not looked at */
    static const double slow = 1, uneven = 4;
    double b[4][STATE_ROOM], z[4][STATE_ROOM], error[STATE_ROOM]; /* z from x on */
    States ones = no_states;
    for (int i = 0; i < N_STATES; i++) ((double *)&ones)[i] = 1;
    for (int point = 0; point < 4; point++) {
        const int k = order[point];
        const Inputs u = inputs_at(motion, t + k * h / 3);
        States f, J;
        Outputs y, y_slope;
        evaluate_slopes(motion->p, &no_parameters, &u, &no_inputs, x, &ones, m, &f, &J, &y, &y_slope);
        for (int i = 0; i < N_STATES; i++) {
            b[k][i] = -((const double *)&J)[i];
            if (!(h * b[k][i] > slow && b[k][i] < uneven * b[0][i] && b[0][i] < uneven * b[k][i])) return INFINITY;
            z[k][i] = ((const double *)&f)[i] / b[k][i];
        }
    }
    for (int i = 0; i < N_STATES; i++) {
        const double b0 = b[0][i], b1 = b[1][i], b2 = b[2][i], b3 = b[3][i];
        /* The phase from the points to the end, and its whole length. */
        const double S = h / 8 * (b0 + 3 * b1 + 3 * b2 + b3);
        const double s1 = h / 72 * (9 * b0 + 19 * b1 - 5 * b2 + b3) - S, s2 = h / 9 * (b0 + 4 * b1 + b2) - S;
        /* Newton's form of the cubic, from the end backwards. */
        const double d32 = (z[2][i] - z[3][i]) / s2, d21 = (z[1][i] - z[2][i]) / (s1 - s2);
        const double d10 = (z[0][i] - z[1][i]) / (-S - s1);
        const double d321 = (d21 - d32) / s1, d210 = (d10 - d21) / (-S - s2), d3210 = (d210 - d321) / -S;
        /* Integrals of exp(s) s^k from -S to 0. */
        const double faded = exp(-S);
        const double I0 = 1 - faded, I1 = S * faded - I0, I2 = -S * S * faded - 2 * I1;
        const double I3 = S * S * S * faded - 3 * I2;
        const double cubic = d3210 * (I3 - (s1 + s2) * I2 + s1 * s2 * I1);
        const double bend = fabs(b3 - 3 * b2 + 3 * b1 - b0) * h / (8 * S);
        ((double *)x1)[i] = ((const double *)x)[i] + z[3][i] * I0 + d32 * I1 + d321 * (I2 - s2 * I1) + cubic;
        error[i] = fabs(cubic) + bend * (fabs(d32 * I1) + S * faded * fabs(z[0][i]));
    }
    return scaled_error(error, (const double *)x, (const double *)x1, motion->tolerance);
}

/* f and its Jacobian with respect to the states. */
static void jacobian(const Motion *motion, const Inputs *u, const States *x, const Modes *m,
                     double J[STATE_ROOM][STATE_ROOM], States *f) {
    for (int j = 0; j < N_STATES; j++) {
        States seed = no_states, f_slope;
        Outputs y, y_slope;
        ((double *)&seed)[j] = 1;
        evaluate_slopes(motion->p, &no_parameters, u, &no_inputs, x, &seed, m, f, &f_slope, &y, &y_slope);
        for (int i = 0; i < N_STATES; i++) J[i][j] = ((const double *)&f_slope)[i];
    }
}

/* Whether a state is stiff at the start of a step and much softer at its end, as at touch-down: the stages, all damped
 * with the stiffness of the start, then miss the motion and the error estimate does not see it. */
static int softens(const Motion *motion, double t, const States *x, const Modes *m, double h, const double *before) {
    double J[STATE_ROOM][STATE_ROOM], stiffest = 0;
    States f;
    for (int i = 0; i < N_STATES; i++) stiffest = fmax(stiffest, h * fabs(before[i]));
    if (stiffest < 1) return 0;
    const Inputs u = inputs_at(motion, t);
    jacobian(motion, &u, x, m, J, &f);
    for (int i = 0; i < N_STATES; i++)
        if (h * fabs(before[i]) > 1 && fabs(J[i][i]) < 0.1 * fabs(before[i])) return 1;
    return 0;
}

/* States inside a step, at the part s of it: the cubic through both ends and their rates. */
static States inside(const States *x0, const States *f0, const States *x1, const States *f1, double h, double s) {
    States x = no_states;
    for (int i = 0; i < N_STATES; i++) {
        const double a = ((const double *)x0)[i], b = ((const double *)x1)[i];
        const double bend =
            (1 - s) * (h * ((const double *)f0)[i] - (b - a)) - s * (h * ((const double *)f1)[i] - (b - a));
        ((double *)&x)[i] = a + s * (b - a) + s * (1 - s) * bend;
    }
    return x;
}

static States rates_at(const Motion *motion, double t, const States *x, const Modes *m) {
    States f = no_states;
    Outputs y;
    const Inputs u = inputs_at(motion, t);
    evaluate(motion->p, &u, x, m, &f, &y);
    return f;
}

/* Whether a step that looks smooth runs over a limit which none of its stages has seen, as that of a deflection that is
 * held there: inside the step the rates are then not those of the cubic. Where the start is stiff the cubic means
 * nothing, but there the stages see the limit. */
static int runs_over(const Motion *motion, double t, const States *x, const Modes *m, double h, const States *x1,
                     const double *diagonal) {
    static const double ds = 1e-3;
    for (int i = 0; i < N_STATES; i++)
        if (h * fabs(diagonal[i]) > 0.1) return 0;
    const States f0 = rates_at(motion, t, x, m), f1 = rates_at(motion, t + h, x1, m);
    for (int part = 1; part < 8; part++) {
        const double s = 0.125 * part;
        const States between = inside(x, &f0, x1, &f1, h, s);
        const States left = inside(x, &f0, x1, &f1, h, s - ds), right = inside(x, &f0, x1, &f1, h, s + ds);
        const States f = rates_at(motion, t + s * h, &between, m);
        double defect[STATE_ROOM];
        for (int i = 0; i < N_STATES; i++)
            defect[i] =
                h * ((const double *)&f)[i] - (((const double *)&right)[i] - ((const double *)&left)[i]) / (2 * ds);
        if (scaled_error(defect, (const double *)x, (const double *)x1, motion->tolerance) > 30) return 1;
    }
    return 0;
}

/* One Rosenbrock step of length h from (t, x) to x1; returns its scaled error. */
static double rosenbrock_step(const Motion *motion, double t, const States *x, const Modes *m, double h, States *x1) {
    static const double gamma = 0.25;
    static const double time[STAGES] = {0, 0.386, 0.21, 0.63, 1, 1};
    static const double time_slope[STAGES] = {0.25, -0.1043, 0.1035, -0.0362, 0, 0};
    static const double a[STAGES][STAGES - 1] = {
        {0},
        {1.544},
        {0.9466785280815826, 0.2557011698983284},
        {3.314825187068521, 2.896124015972201, 0.9986419139977817},
        {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
        {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1},
    };
    static const double c[STAGES][STAGES - 1] = {
        {0},
        {-5.6688},
        {-2.430093356833875, -0.2063599157091915},
        {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
        {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
        {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054},
    };
    const double *x0 = (const double *)x;
    double *end = (double *)x1;
    const double per_h = 1 / h;
    double W[STATE_ROOM][STATE_ROOM], k[STAGES][STATE_ROOM], diagonal[STATE_ROOM];
    int row[STATE_ROOM];
    States f, f_rate;
    Outputs y, y_slope;
    const Inputs u = inputs_at(motion, t);

    jacobian(motion, &u, x, m, W, &f);
    for (int i = 0; i < N_STATES; i++) {
        diagonal[i] = W[i][i];
        for (int j = 0; j < N_STATES; j++) W[i][j] = (i == j ? 1 / (gamma * h) : 0) - W[i][j];
    }
    if (motion->held)
        f_rate = no_states;
    else
        evaluate_slopes(motion->p, &no_parameters, &u, motion->u_rate, x, &no_states, m, &f, &f_rate, &y, &y_slope);
    factorize(W, row);

    for (int s = 0; s < STAGES; s++) {
        if (s > 0) {
            const Inputs u_stage = inputs_at(motion, t + time[s] * h);
            for (int i = 0; i < N_STATES; i++) {
                end[i] = x0[i];
                for (int j = 0; j < s; j++) end[i] += a[s][j] * k[j][i];
            }
            evaluate(motion->p, &u_stage, x1, m, &f, &y);
        }
        double rhs[STATE_ROOM];
        for (int i = 0; i < N_STATES; i++) {
            rhs[i] = ((const double *)&f)[i] + time_slope[s] * h * ((const double *)&f_rate)[i];
            for (int j = 0; j < s; j++) rhs[i] += c[s][j] * per_h * k[j][i];
        }
        back_substitute(W, row, rhs, k[s]);
    }
    for (int i = 0; i < N_STATES; i++) end[i] += k[STAGES - 1][i];
    const double error = scaled_error(k[STAGES - 1], x0, end, motion->tolerance);
    if (error <= 1 && softens(motion, t + h, x1, m, h, diagonal)) return TOO_LONG;
    if (error <= 1 && !LINEAR_STATES && runs_over(motion, t, x, m, h, x1, diagonal)) return TOO_LONG;
    return error;
}

static double trial_step(const Motion *motion, double t, const States *x, const Modes *m, double h, States *x1) {
    if (N_STATES == 0) {
        *x1 = *x;
        return 0;
    }
    if (LINEAR_STATES && motion->held) return exponential_step(motion, x, m, h, x1);
    if (LINEAR_STATES) {
        const double error = following_step(motion, t, x, m, h, x1);
        if (error <= 1) return error;
    }
    return rosenbrock_step(motion, t, x, m, h, x1);
}

/* --- located events --------------------------------------------------------------------------------------------- */

static void indicator_signs(const Motion *motion, double t, const States *x, const Modes *m, int *sign) {
    double g[INDICATOR_ROOM];
    const Inputs u = inputs_at(motion, t);
    indicators(motion->p, &u, x, m, g);
    for (int i = 0; i < N_INDICATORS; i++) sign[i] = g[i] > 0;
}

/* Whether an indicator has another sign at (t, x) than before. */
static int indicator_changed(const Motion *motion, double t, const States *x, const Modes *m, const int *before) {
    int sign[INDICATOR_ROOM];
    indicator_signs(motion, t, x, m, sign);
    for (int i = 0; i < N_INDICATORS; i++)
        if (sign[i] != before[i]) return 1;
    return 0;
}

/* The first part of a trial step after which an indicator is seen to have changed; 0 if none has. Inside the step the
 * states are interpolated, so that a change that is gone again at the end is found too. Short-lived changes are most
 * likely at the start, after an event. Without modes only inputs, which move linearly, make events. */
static double first_change(const Motion *motion, double t, const States *x, const Modes *m, const int *sign, double h,
                           const States *x1) {
    static const double parts[] = {1.0 / 256, 1.0 / 64, 1.0 / 16, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875};
    if (N_MODES > 0) {
        const States f0 = rates_at(motion, t, x, m), f1 = rates_at(motion, t + h, x1, m);
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            const States between = inside(x, &f0, x1, &f1, h, parts[i]);
            if (indicator_changed(motion, t + parts[i] * h, &between, m, sign)) return parts[i] * h;
        }
    }
    return indicator_changed(motion, t + h, x1, m, sign) ? h : 0;
}

/* Narrows a change of an indicator in a trial step of length h down to an interval [*before, *after]. */
static void locate_change(const Motion *motion, double t, const States *x, const Modes *m, const int *sign, double h,
                          double resolution, double *before, double *after) {
    double left = 0, right = h;
    while (right - left > resolution) {
        const double middle = 0.5 * (left + right);
        States x1;
        if (middle <= left || middle >= right) break;
        const double error = trial_step(motion, t, x, m, middle, &x1);
        if (isfinite(error) && !indicator_changed(motion, t + middle, &x1, m, sign))
            left = middle;
        else
            right = middle;
    }
    *before = left;
    *after = right;
}

/* From the last point before a located change to the first point after it. The step is so short that its error does not
 * count, but it has to be stable, and it has to arrive: where rounding keeps it from doing so, the trial step over the
 * whole way, which has located the change, serves. */
static void cross_change(const Motion *motion, double t, const States *x, const Modes *m, const int *sign,
                         double before, double after, States *x1) {
    States over;
    const double error = trial_step(motion, t + before, x1, m, after - before, &over);
    if (isfinite(error) && indicator_changed(motion, t + after, &over, m, sign))
        *x1 = over;
    else
        trial_step(motion, t, x, m, after, x1);
}

/* --- error control ---------------------------------------------------------------------------------------------- */

/* Takes states and modes over a communication step. `step` remembers the length of the next trial step (0: none yet).
 * Where it does not succeed, x and m are in between: the caller works on copies. */
static int advance(const Motion *motion, double length, States *x, Modes *m, double *step) {
    const double resolution = 1e-11 * length;
    double t = 0;
    int events = 0;
    Inputs u = inputs_at(motion, 0);
    settle_modes(motion->p, &u, x, m);
    for (int trial = 0; t < length; trial++) {
        const double rest = length - t;
        double h = *step > 0 && *step < rest ? *step : rest;
        if (h < rest && h > 0.5 * rest) h = 0.5 * rest; /* two even steps rather than a long and a tiny one */
        if (trial == TRIALS_AT_MOST || events == EVENTS_AT_MOST || t + h == t) return SOLVER_TOLERANCE_MISSED;

        int sign[INDICATOR_ROOM];
        double after = 0;
        States x1;
        indicator_signs(motion, t, x, m, sign);
        double error = trial_step(motion, t, x, m, h, &x1);
        const double changed = isfinite(error) ? first_change(motion, t, x, m, sign, h, &x1) : 0;
        if (changed > 0) {
            locate_change(motion, t, x, m, sign, changed, resolution, &h, &after);
            x1 = *x;
            error = h > 0 ? trial_step(motion, t, x, m, h, &x1) : 0;
        }
        if (!(error <= 1)) {
            *step = isfinite(error) ? h * fmax(0.1, 0.9 / sqrt(sqrt(error))) : 0.1 * h;
            if (*step <= DBL_EPSILON * length) return isfinite(error) ? SOLVER_TOLERANCE_MISSED : SOLVER_NOT_FINITE;
            continue;
        }
        events = after > 0 && h <= 10 * resolution ? events + 1 : 0;
        if (after > 0) {
            cross_change(motion, t, x, m, sign, h, after, &x1);
            h = after;
        }
        *x = x1;
        t = h < rest ? t + h : length;
        if (after > 0) {
            u = inputs_at(motion, t);
            settle_modes(motion->p, &u, x, m);
        } else {
            const double longer = h * fmin(5, 0.9 / sqrt(sqrt(fmax(error, 1e-4))));
            if (h < rest || longer > *step) *step = longer;
        }
    }
    return SOLVER_DONE;
}
