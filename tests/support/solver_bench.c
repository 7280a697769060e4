/* The solver with a law whose exact motion is known, for tests/every_fmu/test_solver.py:
 *
 *     dx_i/dt = v_i - (a + c N) x_i + q N,   F_i = k x_i + d v_i,   i = 1, 2, 3
 *
 * or up to STATES.
 */
#include <string.h>

#ifndef STATES
#define STATES 3
#endif

typedef struct {
    double a, c, q, k, d;
} Parameters;

typedef struct {
    double v[STATES], N;
} Inputs;

typedef struct {
    double x[STATES];
} States;

typedef struct {
    double F[STATES], mu;
} Outputs;

typedef struct {
    int substeps;
} Modes;

enum {
    N_INPUTS = STATES + 1,
    N_STATES = STATES,
    N_MODES = 0,
    N_INDICATORS = 1,
    N_AXES = STATES,
    LINEAR_STATES = 0,
    COUPLED_VELOCITY = 0,
    COUPLED_FORCE = 0,
    COUPLED_LOAD = -1,
    COUPLED_COEFFICIENT = STATES
};
#define HAS_APPROACH 0
#define HAS_RESOLUTION 0
#define HAS_COUPLING 0

static const double state_nominals[] = {1, 1, 1};

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y) {
    (void)m;
    for (int i = 0; i < STATES; i++) {
        dx->x[i] = u->v[i] - (p->a + p->c * u->N) * x->x[i] + p->q * u->N;
        y->F[i] = p->k * x->x[i] + p->d * u->v[i];
    }
    y->mu = 1;
}

static void evaluate_slopes(const Parameters *p, const Parameters *p_slope, const Inputs *u,
                            const Inputs *u_slope, const States *x, const States *x_slope,
                            const Modes *m, States *dx, States *dx_slope, Outputs *y,
                            Outputs *y_slope) {
    (void)p_slope;
    evaluate(p, u, x, m, dx, y);
    for (int i = 0; i < STATES; i++) {
        dx_slope->x[i] = u_slope->v[i] - (p->a + p->c * u->N) * x_slope->x[i] +
                         (p->q - p->c * x->x[i]) * u_slope->N;
        y_slope->F[i] = p->k * x_slope->x[i] + p->d * u_slope->v[i];
    }
    y_slope->mu = 0;
}

static void evaluate_state_slopes(const Parameters *p, const Inputs *u, const States *x,
                                  const States *x_slope, const Modes *m, States *dx,
                                  States *dx_slope, Outputs *y, Outputs *y_slope) {
    const Parameters no_parameters = {0};
    const Inputs no_inputs = {0};
    evaluate_slopes(p, &no_parameters, u, &no_inputs, x, x_slope, m, dx, dx_slope, y, y_slope);
}

static void indicators(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                       double *g) {
    (void)p, (void)x, (void)m;
    g[0] = u->N;
}

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)p, (void)u, (void)x, (void)m;
    return 0;
}

#include "solver/solver.c"

#include "solver/loop.c"

static const Modes modes = {1000};

/* Solves A x = b with n rows, A by rows; 1 where the determinant is negative. */
int bench_solve(int n, const double *A, const double *b, double *x) {
    double W[MATRIX_ROOM][MATRIX_ROOM];
    int row[MATRIX_ROOM];
    for (int i = 0; i < n; i++) memcpy(W[i], A + i * n, (size_t)n * sizeof(double));
    const int negative = factorize(n, W, row);
    back_substitute(n, W, row, b, x);
    return negative;
}

double bench_tracking(const double *b, const double *z, double h, double *error) {
    return tracking_change(b, z, h, error);
}

double bench_slow(const double *b, const double *f, double h, double *error) {
    return slow_change(b, f, h, error);
}

/* Makes one step of each kind from x, which is set to its end; returns the scaled error. */
double bench_held(double rate, double slope, double h, double *x) {
    Point from = {0, {{*x}}, modes, {{rate}}, {{slope}}};
    States end;
    const double error = held_step(&from, h, &end);
    *x = end.x[0];
    return error;
}

static Motion motion_of(const Parameters *p, const Inputs *u, const Inputs *rate, double tolerance,
                        double length) {
    Motion motion = {p,    u,    rate,   tolerance, memcmp(rate, &no_inputs, sizeof no_inputs) == 0,
                     NULL, NULL, length, NULL};
    return motion;
}

double bench_linear(const Parameters *p, const Inputs *u, const Inputs *rate, double tolerance,
                    double h, States *x) {
    const Motion motion = motion_of(p, u, rate, tolerance, h);
    const Point from = point_at(&motion, 0, x, &modes);
    return linear_step(&motion, &from, h, x);
}

double bench_rosenbrock(const Parameters *p, const Inputs *u, const Inputs *rate, double tolerance,
                        double h, States *x) {
    const Motion motion = motion_of(p, u, rate, tolerance, h);
    const Point from = point_at(&motion, 0, x, &modes);
    return rosenbrock_step(&motion, &from, h, x);
}

double bench_exponential(const Parameters *p, const Inputs *u, const Inputs *rate, double tolerance,
                         double h, States *x) {
    const Motion motion = motion_of(p, u, rate, tolerance, h);
    const Point from = point_at(&motion, 0, x, &modes);
    return exponential_step(&motion, &from, h, x);
}

/* Computes phi_1 to phi_4 of a matrix with up to two rows, and phi_1 and phi_2 of half of it; 1
 * where it is too large. */
int bench_phi(const Matrix *z, Matrix *result) {
    Matrix phi[5], half[5];
    const int refused = phi_functions(z, phi, half);
    memcpy(result, phi + 1, 4 * sizeof *phi);
    memcpy(result + 4, half + 1, 2 * sizeof *half);
    return refused;
}

/* Makes a whole communication step; 1 where it succeeds. */
int bench_advance(const Parameters *p, const Inputs *u, const Inputs *rate, double tolerance,
                  double h, States *x) {
    const Motion motion = motion_of(p, u, rate, tolerance, h);
    Modes m = modes;
    double step = 0;
    Point from = point_at(&motion, 0, x, &m);
    return advance_from(&motion, &from, h, x, &m, &step) == SOLVER_DONE;
}

static const double no_load[3] = {0};
static Body body;

/* The motion with a body beside it. */
static Motion loop_of(Motion motion, double mass, double speed, double h) {
    body = (Body){1 / mass, speed, h, no_load};
    motion.tolerance = 1e-4;
    motion.body = &body;
    return motion;
}

/* Finds the time in a step with the body at which the normal force, and with it the indicator,
 * changes its sign. */
double bench_located(const Parameters *p, const Inputs *u, const Inputs *rate, double h,
                     double resolution) {
    const Motion motion = motion_of(p, u, rate, 1e-6, h);
    const Motion loop = loop_of(motion, 1, 1, h);
    loop_States y = loop_no_states;
    const loop_Point from = loop_point_at(&loop, 0, &y, &modes);
    Probe start;
    double before, after;
    loop_probe(&loop, &from, 0, 0, &y, &start);
    loop_rosenbrock_step(&loop, &from, h, &y);
    if (!loop_indicator_changed(&loop, &from, &start, h, &y)) return 0;
    loop_locate_change(&loop, &from, &start, h, resolution, &before, &after);
    return after;
}

/* A step with the body. */
double bench_loop(const Parameters *p, const Inputs *u, const Inputs *rate, const double *load,
                  double mass, double speed, double h, States *x, double *dv) {
    const Motion motion = motion_of(p, u, rate, 1e-6, h);
    const Motion loop = loop_of(motion, mass, speed, h);
    body.load = load;
    loop_States y = loop_no_states;
    for (int i = 0; i < STATES; i++) {
        y.value[i] = x->x[i];
        y.value[STATES + i] = u->v[i];
    }
    const loop_Point from = loop_point_at(&loop, 0, &y, &modes);
    const double error = loop_rosenbrock_step(&loop, &from, h, &y);
    for (int i = 0; i < STATES; i++) {
        x->x[i] = y.value[i];
        dv[i] = y.value[STATES + i] - u->v[i];
    }
    return error;
}
