/* Steps for linear states that do not see each other, under moving inputs: dx/dt = b (z - x), where
 * z is the value that x tends to.
 *
 * x follows z; over the phase s, ds = b dt,
 *
 *     dx/ds = z(s) - x,   x(S) = x(0) exp(-S) + integral of exp(s - S) z(s) ds from 0 to S,
 *
 * and with a cubic for z through four points of the step the integral is exact, however large b is.
 * A state that is slow against the step, as in stick, where z is far away or nowhere, takes the
 * integral over the time from the same four points.
 */
#include <math.h>

/* phase of a step above which a state follows: the integrals, which fall with its fourth power,
 * keep twelve digits there; and part of it where it is near the value that it tends to, so that its
 * rate says less than that value: at a tolerance of 1e-9 it spares half of the work */
static const double KEEPING_UP = 0.1, NEAR = 0.1;
/* phase of a step up to which three eighths are good for its exponential; beyond it the error would
 * refuse nearly all steps, which are not tried */
static const double SLOW = 0.5;

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

/* What a cubic through four points of a step does better than the parabola through the last three,
 * in the mean over the step. */
static double third_difference(const double *value) {
    return (value[3] - 3 * value[2] + 3 * value[1] - value[0]) / 8;
}

/* The way of one state over a step of length h, from b and z (less the state at the start) at 0,
 * 1/3, 2/3 and 1 of it. The error is what the cubics of z and b do better than the parabolas
 * through the last three points. */
static double followed(const double *b, const double *z, double h, double *error) {
    const Phases phases = phases_of(b, h);
    const double S = phases.whole, s1 = phases.first, s2 = phases.second;
    /* Newton's form of z(s), from the end on: divided differences. */
    const double d32 = (z[2] - z[3]) / s2, d21 = (z[1] - z[2]) / (s1 - s2),
                 d10 = (z[0] - z[1]) / (-S - s1);
    const double d321 = (d21 - d32) / s1, d210 = (d10 - d21) / (-S - s2);
    const double d3210 = (d210 - d321) / -S;
    /* Integrals of exp(s) s^k from -S to 0. */
    const double I0 = S < KEEPING_UP ? -expm1(-S) : 1 - exp(-S), faded = 1 - I0,
                 I1 = S * faded - I0, I2 = -S * S * faded - 2 * I1, I3 = S * S * S * faded - 3 * I2;
    const double cubic = d3210 * (I3 - (s1 + s2) * I2 + s1 * s2 * I1);
    const double uneven = fabs(third_difference(b)) * h / S;
    *error = fabs(cubic) + uneven * (fabs(d32 * I1) + S * faded * fabs(z[0]));
    return z[3] * I0 + d32 * I1 + d321 * (I2 - s2 * I1) + cubic;
}

/* The same of a state that is slow against the step, from b and the rates f that it would have if
 * it stayed where it is: the integral of exp(s - S) f dt by the rule of three eighths. Its error
 * is, again, what cubics do better than parabolas, which is more than a bend of f costs wherever it
 * lies in the step; a bend of b, as where a velocity turns round, shows as a lowest value inside if
 * not in that. */
static double drifted(const double *b, const double *f, double h, double *error) {
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

/* Whether the state x with the rate f keeps up with the value that it tends to over a phase, */
static int keeps_up(double x, double f, double b, double phase) {
    return phase > KEEPING_UP || (phase > NEAR * KEEPING_UP && fabs(f) < NEAR * b * fabs(x));
}

/* at a rate b that is about as large at the point k of a step as at its start: else a cubic of that
 * value says nothing. */
static int is_even(const double *b, int k) {
    return b[k] < 4 * b[0] && b[0] < 4 * b[k];
}

static int is_slow(const double *b, int k, double h) {
    return h * fabs(b[0]) <= SLOW && h * fabs(b[k]) <= SLOW;
}

/* Rates f that the states would have at the point k of a step if they stayed where they are, and
 * b. */
static void rates_at_point(const Motion *motion, const Point *from, const States *seed, double h,
                           int k, double b[][4], double f[][4]) {
    States rates, slopes;
    linear_rates_at(motion, from->t + k * h / 3, &from->x, &from->m, seed, &rates, &slopes);
    for (int i = 0; i < N_STATES; i++) {
        b[i][k] = -state_values(&slopes)[i];
        f[i][k] = state_values(&rates)[i];
    }
}

/* Moving inputs. The error is infinite where a state is neither slow nor keeps up with them. */
NOINLINE static double following_step(const Motion *motion, const Point *from, double h,
                                      States *x1) {
    double b[STATE_ROOM][4], f[STATE_ROOM][4], error[STATE_ROOM];
    double slopes[STATE_ROOM];
    int follows[STATE_ROOM];
    const States seed = ONE_RATE ? direction_of(from) : all_directions();
    own_slopes(from, slopes);
    for (int i = 0; i < N_STATES; i++) {
        b[i][0] = -slopes[i];
        f[i][0] = state_values(&from->f)[i];
        follows[i] = keeps_up(state_values(&from->x)[i], f[i][0], b[i][0], h * b[i][0]);
    }
    rates_at_point(motion, from, &seed, h, 3, b,
                   f); /* the ends first: where they do not fit, the rest is not looked at */
    for (int i = 0; i < N_STATES; i++)
        if (!(follows[i] && is_even(b[i], 3)) && !is_slow(b[i], 3, h)) return INFINITY;
    rates_at_point(motion, from, &seed, h, 1, b, f);
    rates_at_point(motion, from, &seed, h, 2, b, f);
    for (int k = 0; ONE_RATE && k < 4; k++) {
        double rate[STATE_ROOM];
        for (int i = 0; i < N_STATES; i++) rate[i] = f[i][k];
        if (!shares_slope(from, slopes, rate)) return INFINITY;
    }
    for (int i = 0; i < N_STATES; i++) {
        double way;
        if (follows[i] && is_even(b[i], 1) && is_even(b[i], 2) && is_even(b[i], 3)) {
            double z[4];
            for (int k = 0; k < 4; k++) z[k] = f[i][k] / b[i][k];
            way = followed(b[i], z, h, &error[i]);
        } else if (is_slow(b[i], 1, h) && is_slow(b[i], 2, h) && is_slow(b[i], 3, h)) {
            way = drifted(b[i], f[i], h, &error[i]);
        } else {
            return INFINITY;
        }
        state_places(x1)[i] = state_values(&from->x)[i] + way;
    }
    double allowed[STATE_ROOM];
    allowed_errors(motion, from, h, x1, allowed);
    /* one may have gone over to another line on the way, which shows in its rate at the end */
    if (N_STATES > 1) {
        const States rates = rates_at(motion, from->t + h, x1, &from->m);
        for (int i = 0; i < N_STATES; i++) {
            const double way = state_values(x1)[i] - state_values(&from->x)[i];
            const double other = state_values(&rates)[i] - (f[i][3] - b[i][3] * way);
            error[i] += h * fabs(other) / (1 + h * fabs(b[i][3]));
        }
    }
    const double worst = scaled_error(motion, error, state_values(x1), allowed);
    return worst <= 1 && misses_limit(motion, from, h, x1, allowed) ? TOO_LONG : worst;
}
