/* Exponential steps: exact ones under held inputs, for linear states that are independent of each
 * other or components of a vector; and one of order 4, for one state or two of any law. */
#include <math.h>

static void multiply(const Point *from, const double *a, double *product) {
    for (int i = 0; i < N_STATES; i++) {
        product[i] = 0;
        for (int j = 0; j < N_STATES; j++) product[i] += from->J[i][j] * a[j];
    }
}

/* The direction for the slope of a vector: its own or, where it is zero, that of its rate. */
static States slope_direction(const Point *from) {
    for (int i = 0; i < N_STATES; i++)
        if (state_values(&from->x)[i] != 0) return from->x;
    return from->f;
}

/* Finds the slope of each rate along its own state. */
static void diagonal_slopes(const Point *from, double *slopes) {
    if (ONE_RATE) {
        const States direction = slope_direction(from);
        multiply(from, state_values(&direction), slopes);
        set_common_slope(state_values(&direction), slopes);
        return;
    }
    for (int i = 0; i < N_STATES; i++) slopes[i] = from->J[i][i];
}

/* Whether the Jacobian at a point multiplies a rate f of a vector by the common slope, up to
 * rounding: with a grain, or out of the plane, there is no common slope. */
static int has_common_slope(const Point *from, const double *slopes, const double *f) {
    double change[STATE_ROOM], size = 0, remainder = 0;
    multiply(from, f, change);
    for (int i = 0; i < N_STATES; i++) {
        const double x = state_values(&from->x)[i];
        size = fmax(size, fabs(slopes[i]) * (fabs(f[i]) + fabs(slopes[i] * x)));
        remainder = fmax(remainder, fabs(change[i] - slopes[i] * f[i]));
    }
    return remainder <= 1e-9 * size;
}

/* Makes an exact step under held inputs: x(h) = x + h phi(h J) f with phi(a) = (exp(a) - 1)/a. */
static double held_step(const Point *from, double h, States *x1) {
    double slopes[STATE_ROOM];
    diagonal_slopes(from, slopes);
    for (int i = 0; i < N_STATES; i++) {
        const double a = h * slopes[i];
        const double phi = a == 0 ? 1 : expm1(a) / a;
        state_places(x1)[i] = state_values(&from->x)[i] + h * phi * state_values(&from->f)[i];
        if (!isfinite(state_values(x1)[i])) return INFINITY;
    }
    return !ONE_RATE || has_common_slope(from, slopes, state_values(&from->f)) ? 0 : INFINITY;
}

typedef struct {
    double of[STATE_ROOM][STATE_ROOM];
} Matrix;

static const double per_factorial[] = {1, 1, 0.5, 1.0 / 6, 1.0 / 24};
static const double LAST_TERM = 1.0 / 1307674368000; /* 1/15!, of a series in up to a half */

/* phi_1 to phi_4 of a number: phi_0 = exp(z) and z phi_k = phi_(k-1) - 1/(k-1)!. */
static void phi_of_number(double z, Matrix *phi) {
    double value = 0, term = LAST_TERM;
    if (fabs(z) > 0.5) {
        for (int k = 1; k <= 4; k++)
            phi[k].of[0][0] = value = (k == 1 ? expm1(z) : value - per_factorial[k - 1]) / z;
        return;
    }
    for (int k = 15; k > 4; term *= k--) value = z * value + term;
    for (int k = 4; k > 0; k--) phi[k].of[0][0] = value = z * value + per_factorial[k];
}

/* A function of a matrix with two rows: a number plus a multiple of the matrix, since by Cayley and
 * Hamilton its square is trace times it less its determinant. */
typedef struct {
    double number, multiple;
} Function;

static Function plus_multiple(Function A, double factor, Function B) {
    return (Function){A.number + factor * B.number, A.multiple + factor * B.multiple};
}

static Function product(Function A, Function B, double trace, double determinant) {
    const double square = A.multiple * B.multiple;
    return (Function){A.number * B.number - square * determinant,
                      A.number * B.multiple + A.multiple * B.number + square * trace};
}

static Matrix value_of(Function f, Matrix z) {
    for (int i = 0; i < N_STATES; i++)
        for (int j = 0; j < N_STATES; j++)
            z.of[i][j] = (i == j ? f.number : 0) + f.multiple * z.of[i][j];
    return z;
}

/* What no eigenvalue of a matrix exceeds, from its trace and determinant. */
static double size_of(const Matrix *z, double *trace, double *determinant) {
    *trace = *determinant = 0;
    for (int i = 0; i < N_STATES; i++) {
        *trace += z->of[i][i];
        for (int j = 0; j < i; j++)
            *determinant += z->of[i][i] * z->of[j][j] - z->of[i][j] * z->of[j][i];
    }
    return fabs(0.5 * *trace) + sqrt(fabs(0.25 * *trace * *trace - *determinant));
}

/* Computes phi_1 to phi_4 of z and of z/2: for two rows by series of a small fraction of z, which
 * is doubled until it is z. Returns whether z is too large: its exponential may overflow, and every
 * doubling may double the rounding error. */
static int phi_functions(const Matrix *z, Matrix *phi, Matrix *half) {
    double trace, determinant, part = 0.5, term = LAST_TERM;
    const double size = size_of(z, &trace, &determinant);
    if (N_STATES == 1) {
        phi_of_number(trace, phi);
        phi_of_number(0.5 * trace, half);
        return !(trace < 500);
    }
    if (!(size < 500)) return 1;
    while (part * size > 0.5) part *= 0.5;
    Function whole[5], before[5], value = {0, 0}; /* of the part, first in its multiples */
    const double t = part * trace, d = part * part * determinant;
    for (int k = 15; k > 4; term *= k--)
        value = (Function){term - d * value.multiple, value.number + t * value.multiple};
    for (int k = 4; k >= 0; k--) {
        value =
            (Function){per_factorial[k] - d * value.multiple, value.number + t * value.multiple};
        whole[k] = (Function){value.number, part * value.multiple};
    }
    for (; part < 1; part *= 2) {
        double scale = 1;
        memcpy(before, whole, sizeof before);
        for (int k = 0; k <= 4; k++, scale *= 0.5) {
            Function sum = {0, 0};
            for (int l = 1; l <= k; l++)
                sum = plus_multiple(sum, scale * per_factorial[k - l], before[l]);
            whole[k] = plus_multiple(sum, scale, product(before[0], before[k], trace, determinant));
        }
    }
    for (int k = 1; k <= 4; k++) {
        phi[k] = value_of(whole[k], *z);
        half[k] = value_of(before[k], *z);
    }
    return 0;
}

/* a + factor M b */
static States plus_product(States a, double factor, const Matrix *M, const double *b) {
    for (int i = 0; i < N_STATES; i++)
        for (int j = 0; j < N_STATES; j++) state_places(&a)[i] += factor * M->of[i][j] * b[j];
    return a;
}

/* The nonlinear remainder of the rates after a part of a step, with the states x: their difference
 * from the linearization at its start, whose slopes times the step are z. */
static States nonlinear_remainder(const Motion *motion, const Point *from, double h, double part,
                                  const States *x, const Matrix *z, const double *time_change) {
    States remainder = rates_at(motion, from->t + part * h, x, &from->m), change = *x;
    for (int i = 0; i < N_STATES; i++) {
        state_places(&change)[i] -= state_values(&from->x)[i];
        state_places(&remainder)[i] -= state_values(&from->f)[i] + part * time_change[i];
    }
    return plus_product(remainder, -1 / h, z, state_values(&change));
}

/* Whether the rates of two states become nonlinear while a fast motion decays, long before the
 * middle of a step: in stick any deflection may remain, and that time determines which one does.
 * (One state forgets it, or has lost its stiffness.) Earlier and earlier parts are checked, each
 * for the change that it may add, where the decay goes further than the square root of the
 * tolerance, up to which rates are linear to the tolerance. */
static int bends_early(const Motion *motion, const Point *from, double h, const Matrix *z,
                       const double *time_change, const double *allowed) {
    double trace, determinant, error[STATE_ROOM];
    const double size = size_of(z, &trace, &determinant), *f0 = state_values(&from->f);
    for (int i = 0; i < N_STATES; i++) error[i] = h / size * f0[i] * sqrt(motion->tolerance);
    if (N_STATES < 2 || scaled_error(motion, error, state_values(&from->x), allowed) <= 1) return 0;
    for (double part = 0.125; part * size > 0.25; part *= 0.25) {
        Matrix early = *z, phi[5], half[5];
        for (int i = 0; i < N_STATES; i++)
            for (int j = 0; j < N_STATES; j++) early.of[i][j] *= part;
        if (phi_functions(&early, phi, half)) return 1;
        const States decayed = plus_product(from->x, part * h, &phi[1], f0),
                     x = plus_product(decayed, part * part * h, &phi[2], time_change),
                     remainder = nonlinear_remainder(motion, from, h, part, &x, z, time_change);
        for (int i = 0; i < N_STATES; i++) error[i] = part * h * state_values(&remainder)[i];
        if (scaled_error(motion, error, state_values(&x), allowed) > 1) return 1;
    }
    return 0;
}

/* Makes a step of one state or two: exprb43 (Hochbruck, Ostermann and Schweitzer, Exponential
 * Rosenbrock-type methods, 2009), of order 4(3) with two new evaluations of the law, exact where
 * the rates are linear over the path. */
NOINLINE static double exponential_step(const Motion *motion, const Point *from, double h,
                                        States *x1) {
    const double *f0 = state_values(&from->f);
    int is_stationary = motion->held; /* for any time */
    for (int i = 0; i < N_STATES; i++)
        if (f0[i] != 0) is_stationary = 0;
    *x1 = from->x;
    if (is_stationary) return 0;
    const States f_rate = motion->held ? no_states : rate_derivatives(motion, from);
    double time_change[STATE_ROOM], third[STATE_ROOM], fourth[STATE_ROOM], allowed[STATE_ROOM];
    Matrix z, phi[5], half[5];
    for (int i = 0; i < N_STATES; i++) {
        time_change[i] = h * state_values(&f_rate)[i];
        for (int j = 0; j < N_STATES; j++) z.of[i][j] = h * from->J[i][j];
    }
    if (phi_functions(&z, phi, half)) return rosenbrock_step(motion, from, h, x1);
    const States half_line = plus_product(from->x, 0.5 * h, &half[1], f0),
                 middle = plus_product(half_line, 0.25 * h, &half[2], time_change),
                 remainder_middle =
                     nonlinear_remainder(motion, from, h, 0.5, &middle, &z, time_change),
                 line =
                     plus_product(plus_product(from->x, h, &phi[1], f0), h, &phi[2], time_change),
                 end = plus_product(line, h, &phi[1], state_values(&remainder_middle)),
                 remainder_end = nonlinear_remainder(motion, from, h, 1, &end, &z, time_change);
    for (int i = 0; i < N_STATES; i++) {
        const double a = state_values(&remainder_middle)[i], b = state_values(&remainder_end)[i];
        third[i] = 16 * a - 2 * b;
        fourth[i] = 12 * b - 48 * a;
    }
    const States embedded = plus_product(no_states, h, &phi[4], fourth);
    *x1 = plus_product(plus_product(line, h, &phi[3], third), h, &phi[4], fourth);
    allowed_errors(motion, from, h, x1, allowed);
    /* twice: where a state is stiff, the result has the same error as the embedded one */
    const double error =
        2 * scaled_error(motion, state_values(&embedded), state_values(x1), allowed);
    if (error <= 1 && loses_stiffness(motion, from, h, x1)) return TOO_LONG;
    if (error <= 1 && misses_limit(motion, from, h, x1, allowed)) return TOO_LONG;
    if (error <= 1 && bends_early(motion, from, h, &z, time_change, allowed)) return TOO_LONG;
    return error;
}
