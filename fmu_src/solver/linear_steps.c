/* Steps for independent linear states under moving inputs: dx/dt = b (z - x), where z is the value
 * that x tends to.
 *
 * Over the phase s, ds = b dt,
 *
 *     dx/ds = z(s) - x,   x(S) = x(0) exp(-S) + integral of exp(s - S) z(s) ds from 0 to S,
 *
 * and with a cubic for z through four points of the step the integral is exact, however large b is.
 * For a state that is slow against the step, as in stick, where z is far away or infinite, the
 * integral is one over the time, from the same four points.
 */
#include <math.h>

/* phase of a step above which a state tracks z: the integrals, which fall with its fourth power,
 * have twelve digits there; and the fraction of that phase for states near z, whose rate has fewer
 * digits than z: at a tolerance of 1e-9 that saves half of the work */
static const double TRACKING_PHASE = 0.1, NEAR_TARGET = 0.1;
/* phase of a step up to which the rule of three eighths suits its exponential; beyond it nearly all
 * steps would be rejected, and are not tried */
static const double SLOW_PHASE = 0.5;

/* Phases inside a step of length h, counted from its end, at 1/3 and 2/3 of it, and its whole
 * length, from b at 0, 1/3, 2/3 and 1. */
typedef struct {
    double whole, first, second;
} Phases;

static Phases phases_of(const double *b, double h) {
    const double S = h / 8 * (b[0] + 3 * b[1] + 3 * b[2] + b[3]);
    const Phases phases = {S, h / 72 * (9 * b[0] + 19 * b[1] - 5 * b[2] + b[3]) - S,
                           h / 9 * (b[0] + 4 * b[1] + b[2]) - S};
    return phases;
}

/* Difference of the cubic through four points of a step from the parabola through the last three,
 * in the mean over the step. */
static double third_difference(const double *value) {
    return (value[3] - 3 * value[2] + 3 * value[1] - value[0]) / 8;
}

/* The change of a state that tracks z over a step of length h, from b and z (less the initial
 * state) at 0, 1/3, 2/3 and 1 of it. The error is the difference of the cubics of z and b from the
 * parabolas through the last three points. */
static double tracking_change(const double *b, const double *z, double h, double *error) {
    const Phases phases = phases_of(b, h);
    const double S = phases.whole, s1 = phases.first, s2 = phases.second;
    /* Newton's form of z(s), from the end on: divided differences. */
    const double d32 = (z[2] - z[3]) / s2, d21 = (z[1] - z[2]) / (s1 - s2),
                 d10 = (z[0] - z[1]) / (-S - s1);
    const double d321 = (d21 - d32) / s1, d210 = (d10 - d21) / (-S - s2);
    const double d3210 = (d210 - d321) / -S;
    /* Integrals of exp(s) s^k from -S to 0. */
    const double I0 = S < TRACKING_PHASE ? -expm1(-S) : 1 - exp(-S), faded = 1 - I0,
                 I1 = S * faded - I0, I2 = -S * S * faded - 2 * I1, I3 = S * S * S * faded - 3 * I2;
    const double cubic = d3210 * (I3 - (s1 + s2) * I2 + s1 * s2 * I1);
    const double uneven = fabs(third_difference(b)) * h / S;
    *error = fabs(cubic) + uneven * (fabs(d32 * I1) + S * faded * fabs(z[0]));
    return z[3] * I0 + d32 * I1 + d321 * (I2 - s2 * I1) + cubic;
}

/* The same of a state that is slow against the step, from b and the rates f at its initial value:
 * the integral of exp(s - S) f dt by the rule of three eighths. The error is again the difference
 * of cubics from parabolas, which exceeds the effect of a corner of f anywhere in the step; a
 * corner of b, as at a reversal of the velocity, shows there or as a minimum inside the step. */
static double slow_change(const double *b, const double *f, double h, double *error) {
    const Phases phases = phases_of(b, h);
    double g[] = {f[0], f[1], f[2], f[3]};
    if (phases.whole != 0) {
        g[0] *= exp(-phases.whole);
        g[1] *= exp(phases.first);
        g[2] *= exp(phases.second);
    }
    const double most = fmax(fmax(fabs(g[0]), fabs(g[1])), fmax(fabs(g[2]), fabs(g[3])));
    const double depth = fmax(0, fmin(b[0], b[3]) - fmin(b[1], b[2]));
    *error =
        h * fabs(third_difference(g)) + h * most * h * (fabs(third_difference(b)) + depth / 16);
    return h / 8 * (g[0] + 3 * g[1] + 3 * g[2] + g[3]);
}

/* Whether the state x with the rate f tracks the value that it tends to over a phase. */
static int is_tracking(double x, double f, double b, double phase) {
    return phase > TRACKING_PHASE ||
           (phase > NEAR_TARGET * TRACKING_PHASE && fabs(f) < NEAR_TARGET * b * fabs(x));
}

/* Whether b is about as large at the point k of a step as at its start: else a cubic of z has no
 * meaning. */
static int has_even_rate(const double *b, int k) {
    return b[k] < 4 * b[0] && b[0] < 4 * b[k];
}

static int is_slow(const double *b, int k, double h) {
    return h * fabs(b[0]) <= SLOW_PHASE && h * fabs(b[k]) <= SLOW_PHASE;
}

/* Computes b, and the rates f of the initial states, at the point k of a step, k/3 of it. */
static void rates_at_third(const Motion *motion, const Point *from, const States *seed, double h,
                           int k, double b[][4], double f[][4]) {
    States rates, slopes;
    linear_rates_at(motion, from->t + k * h / 3, &from->x, &from->m, seed, &rates, &slopes);
    for (int i = 0; i < N_STATES; i++) {
        b[i][k] = -state_values(&slopes)[i];
        f[i][k] = state_values(&rates)[i];
    }
}

/* Makes a step under moving inputs. The error is infinite where a state is neither slow nor tracks
 * its value. */
NOINLINE static double linear_step(const Motion *motion, const Point *from, double h, States *x1) {
    double b[STATE_ROOM][4], f[STATE_ROOM][4], error[STATE_ROOM];
    double slopes[STATE_ROOM];
    int tracks[STATE_ROOM];
    const States seed = ONE_RATE ? slope_direction(from) : all_directions();
    diagonal_slopes(from, slopes);
    for (int i = 0; i < N_STATES; i++) {
        b[i][0] = -slopes[i];
        f[i][0] = state_values(&from->f)[i];
        tracks[i] = is_tracking(state_values(&from->x)[i], f[i][0], b[i][0], h * b[i][0]);
    }
    rates_at_third(motion, from, &seed, h, 3, b, f); /* the end first: others may not be needed */
    for (int i = 0; i < N_STATES; i++)
        if (!(tracks[i] && has_even_rate(b[i], 3)) && !is_slow(b[i], 3, h)) return INFINITY;
    rates_at_third(motion, from, &seed, h, 1, b, f);
    rates_at_third(motion, from, &seed, h, 2, b, f);
    for (int k = 0; ONE_RATE && k < 4; k++) {
        double rate[STATE_ROOM];
        for (int i = 0; i < N_STATES; i++) rate[i] = f[i][k];
        if (!has_common_slope(from, slopes, rate)) return INFINITY;
    }
    for (int i = 0; i < N_STATES; i++) {
        double change;
        if (tracks[i] && has_even_rate(b[i], 1) && has_even_rate(b[i], 2) &&
            has_even_rate(b[i], 3)) {
            double z[4];
            for (int k = 0; k < 4; k++) z[k] = f[i][k] / b[i][k];
            change = tracking_change(b[i], z, h, &error[i]);
        } else if (is_slow(b[i], 1, h) && is_slow(b[i], 2, h) && is_slow(b[i], 3, h)) {
            change = slow_change(b[i], f[i], h, &error[i]);
        } else {
            return INFINITY;
        }
        state_places(x1)[i] = state_values(&from->x)[i] + change;
    }
    double allowed[STATE_ROOM];
    allowed_errors(motion, from, h, x1, allowed);
    /* a state may have left its linear equation, which shows in its rate at the end */
    if (N_STATES > 1) {
        const States rates = rates_at(motion, from->t + h, x1, &from->m);
        for (int i = 0; i < N_STATES; i++) {
            const double change = state_values(x1)[i] - state_values(&from->x)[i];
            const double other = state_values(&rates)[i] - (f[i][3] - b[i][3] * change);
            error[i] += h * fabs(other) / (1 + h * fabs(b[i][3]));
        }
    }
    const double worst = scaled_error(motion, error, state_values(x1), allowed);
    return worst <= 1 && misses_limit(motion, from, h, x1, allowed) ? TOO_LONG : worst;
}
