/* Law and body together as an ODE: the states of the law and the velocity w of a body, on which a
 * load acts that is constant over the interval,
 *
 *     dx/dt = evaluate(p, u(t) with w, x, m),   mass dw/dt = load - F(x, w).
 *
 * The change of w gives the mean force over the interval, load - mass (w' - w)/length, with the
 * right impulse however stiff the law is. The files of the solver are compiled once more over this
 * ODE. */
#include <float.h>
#include <math.h>
#include <string.h>

enum { loop_N_STATES = N_STATES + N_AXES, loop_STATE_ROOM = loop_N_STATES, loop_IS_LINEAR = 0 };

typedef struct {
    double value[loop_N_STATES]; /* the states of the law, then w */
} loop_States;

static const loop_States loop_no_states = {{0}};

/* With more states than these the products of matrices of a linear step cost more than the stages
 * of RODAS. */
enum {
    LINEAR_AT_MOST = 3,
    HAS_LINEAR_STEP = loop_N_STATES <= LINEAR_AT_MOST,
    LINEAR_ROOM = HAS_LINEAR_STEP ? loop_N_STATES : 1
};

/* How an interval ends over which law and body were linear. */
typedef struct {
    double known;                       /* 1 where they were */
    double rate[LINEAR_ROOM];           /* rates at its end, */
    double end_by[N_AXES][LINEAR_ROOM]; /* what the end and */
    double
        end_rate_by[N_AXES]
                   [LINEAR_ROOM]; /* these rates change by, with an acceleration along each axis */
} Response;

typedef struct {
    Motion of; /* all inputs; the velocity among them is not used */
    double tolerance;
    int held;
    double per_mass;
    double load[N_AXES];
    double speed;    /* change of velocity that matters */
    double shortest; /* step down to which a departure from stick is followed */
    double length;   /* of the interval */
    Response *response;
} loop_Motion;

static const States *law_part(const loop_States *y) {
    return (const States *)y->value;
}

static double *velocity_of(Inputs *u) {
    return (double *)u + COUPLED_VELOCITY;
}

static double dot_product(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N_AXES; i++) sum += a[i] * b[i];
    return sum;
}

static double norm_of(const double *a) {
    return N_AXES == 1 ? fabs(a[0]) : sqrt(dot_product(a, a));
}

static Inputs loop_inputs(const loop_Motion *motion, double t, const loop_States *y) {
    Inputs u = inputs_at(&motion->of, t);
    for (int i = 0; i < N_AXES; i++) velocity_of(&u)[i] = y->value[N_STATES + i];
    return u;
}

/* Puts together the rates of the law and of the body, or their slopes, along which the load does
 * not change. */
static void put_rates(const loop_Motion *motion, const States *dx, const Outputs *y,
                      double changing, double *f) {
    const double *force = (const double *)y + COUPLED_FORCE;
    for (int i = 0; i < N_STATES; i++) f[i] = ((const double *)dx)[i];
    for (int i = 0; i < N_AXES; i++)
        f[N_STATES + i] = (changing * motion->load[i] - force[i]) * motion->per_mass;
}

#undef ODE
#define ODE(name) loop_##name
#include "solver/point.c"
#undef ODE
#define ODE(name) name

FLATTENED static loop_States loop_rates_at(const loop_Motion *motion, double t,
                                           const loop_States *y, const Modes *m) {
    const Inputs u = loop_inputs(motion, t, y);
    loop_States f = loop_no_states;
    States dx = no_states;
    Outputs out;
    evaluate(motion->of.p, &u, law_part(y), m, &dx, &out);
    put_rates(motion, &dx, &out, 1, f.value);
    return f;
}

/* Time derivatives of the rates, as the inputs beside the velocity move. */
FLATTENED static loop_States loop_rate_derivatives(const loop_Motion *motion,
                                                   const loop_Point *point) {
    const Inputs u = loop_inputs(motion, point->t, &point->x);
    Inputs direction = *motion->of.u_rate;
    for (int i = 0; i < N_AXES; i++) velocity_of(&direction)[i] = 0;
    loop_States f_rate = loop_no_states;
    States dx, dx_slope = no_states;
    Outputs out, out_slope;
    evaluate_slopes(motion->of.p, &no_parameters, &u, &direction, law_part(&point->x), &no_states,
                    &point->m, &dx, &dx_slope, &out, &out_slope);
    put_rates(motion, &dx_slope, &out_slope, 0, f_rate.value);
    return f_rate;
}

FLATTENED static loop_Point loop_point_at(const loop_Motion *motion, double t, const loop_States *y,
                                          const Modes *m) {
    const Inputs u = loop_inputs(motion, t, y);
    loop_Point point = {t, *y, *m, loop_no_states, {{0}}};
    States dx = no_states, dx_slope = no_states;
    Outputs out, out_slope;
    double column[loop_N_STATES];
    for (int j = 0; j < loop_N_STATES; j++) {
        States seed = no_states;
        Inputs direction = no_inputs;
        if (j < N_STATES) {
            ((double *)&seed)[j] = 1;
            evaluate_state_slopes(motion->of.p, &u, law_part(y), &seed, m, &dx, &dx_slope, &out,
                                  &out_slope);
        } else {
            velocity_of(&direction)[j - N_STATES] = 1;
            evaluate_slopes(motion->of.p, &no_parameters, &u, &direction, law_part(y), &seed, m,
                            &dx, &dx_slope, &out, &out_slope);
        }
        put_rates(motion, &dx_slope, &out_slope, 0, column);
        for (int i = 0; i < loop_N_STATES; i++) point.J[i][j] = column[i];
    }
    put_rates(motion, &dx, &out, 1, point.f.value);
    return point;
}

static loop_States loop_resolved_at(const loop_Motion *motion, double t, const loop_States *y,
                                    const Modes *m) {
    loop_States resolved = loop_no_states;
    const Inputs u = loop_inputs(motion, t, y);
    const Motion there = {motion->of.p, &u, &no_inputs, motion->tolerance, 1, NULL, NULL};
    const States of_law = resolved_at(&there, 0, law_part(y), m);
    for (int i = 0; i < N_STATES; i++) resolved.value[i] = ((const double *)&of_law)[i];
    for (int i = N_STATES; i < loop_N_STATES; i++)
        resolved.value[i] = fmax(motion->speed + fabs(y->value[i]), DBL_MIN);
    return resolved;
}

static void loop_indicators_at(const loop_Motion *motion, double t, const loop_States *y,
                               const Modes *m, double *g) {
    const Inputs u = loop_inputs(motion, t, y);
    indicators(motion->of.p, &u, law_part(y), m, g);
}

static void loop_settle_at(const loop_Motion *motion, double t, loop_States *y, Modes *m) {
    if (N_MODES == 0) return;
    const Inputs u = loop_inputs(motion, t, y);
    settle_modes(motion->of.p, &u, (States *)y->value, m);
}

/* Where stick gives way, the motion grows by itself, and an L-stable method with long steps would
 * damp it and hold the body: its matrix then has a negative determinant. */
static double loop_shortest_growing(const loop_Motion *motion) {
    return motion->shortest;
}

typedef double LoopMatrix[loop_N_STATES][loop_N_STATES];

/* C = one + factor A B, which may take the place of B. */
static void multiply(double one, double factor, LoopMatrix A, LoopMatrix B, LoopMatrix C) {
    for (int j = 0; j < loop_N_STATES; j++) {
        double column[loop_N_STATES];
        for (int i = 0; i < loop_N_STATES; i++) {
            column[i] = 0;
            for (int k = 0; k < loop_N_STATES; k++) column[i] += A[i][k] * B[k][j];
        }
        for (int i = 0; i < loop_N_STATES; i++) C[i][j] = (i == j ? one : 0) + factor * column[i];
    }
}

static void map_vector(LoopMatrix A, const double *x, double *y) {
    for (int i = 0; i < loop_N_STATES; i++) {
        y[i] = 0;
        for (int k = 0; k < loop_N_STATES; k++) y[i] += A[i][k] * x[k];
    }
}

/* A step under held inputs where the rates are all but linear over the way that it goes, y' = f + J
 * (y - y0), which has the end y0 + h phi(h J) f with phi(A) = (exp(A) - 1)/A, and the rates exp(h
 * J) f there: by the series of phi for a small part of the step, and phi(2 A) = (exp(A) + 1)
 * phi(A)/2. Its error is what the rates leave the line by, at the end and half way, over the step.
 * All in units of the errors that are allowed, in which a matrix has a size. */
NOINLINE static double loop_linear_step(const loop_Motion *motion, const loop_Point *from, double h,
                                        loop_States *y1) {
    enum { n = loop_N_STATES };
    LoopMatrix A, phi, e, half;
    double allowed[n], f[n], way[2][n], rate[2][n], size = 0, part = 1, worst = 0;
    loop_allowed_errors(motion, from, 0, &from->x, allowed);
    for (int i = 0; i < n; i++) {
        double row = 0;
        f[i] = h * from->f.value[i] / allowed[i];
        for (int j = 0; j < n; j++) {
            A[i][j] = h * from->J[i][j] * allowed[j] / allowed[i];
            row += fabs(A[i][j]);
        }
        size = fmax(size, row);
    }
    if (!isfinite(size)) return INFINITY;
    while (part > 0.5 || part * size > 0.25)
        part *= 0.5; /* where the series with four terms is off by 1e-6 */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i][j] *= part;
            phi[i][j] = (i == j) + A[i][j] / 5;
        }
    for (int term = 4; term > 1; term--) multiply(1, 1.0 / term, A, phi, phi);
    multiply(1, 1, A, phi, e);
    for (; part < 1; part *= 2) {
        map_vector(phi, f, way[0]);
        map_vector(e, f, rate[0]);
        memcpy(half, e, sizeof e);
        multiply(0, 1, half, half, e);
        for (int i = 0; i < n; i++) half[i][i] += 1;
        multiply(0, 0.5, half, phi, phi);
    }
    map_vector(phi, f, way[1]);
    map_vector(e, f, rate[1]);
    for (int at = 1; at >= 0;
         at--) { /* the end first: where it does not fit, the middle is not looked at */
        loop_States y = loop_no_states;
        double bent[n], off[n];
        for (int i = 0; i < n; i++)
            y.value[i] = from->x.value[i] + (at ? 1 : 0.5) * way[at][i] * allowed[i];
        if (at == 1) *y1 = y;
        const loop_States found = loop_rates_at(motion, from->t, &y, &from->m);
        for (int i = 0; i < n; i++) bent[i] = h * found.value[i] / allowed[i] - rate[at][i];
        map_vector(phi, bent, off);
        for (int i = 0; i < n; i++) worst = fmax(worst, fabs(off[i]));
        if (!(worst <= 1) || !isfinite(off[0])) return INFINITY;
    }
    if (h != motion->length) return worst;
    Response *r = motion->response;
    r->known = 1;
    for (int i = 0; i < LINEAR_ROOM; i++) {
        r->rate[i] = rate[1][i] * allowed[i] / h;
        for (int a = 0; a < N_AXES; a++) {
            const double unit = allowed[i] / allowed[N_STATES + a];
            r->end_by[a][i] = h * phi[i][N_STATES + a] * unit;
            r->end_rate_by[a][i] = e[i][N_STATES + a] * unit;
        }
    }
    return worst;
}

/* The velocity is a state, and when it turns round is not known before. */
static double loop_time_of_reversal(const loop_Motion *motion) {
    (void)motion;
    return 0;
}

#undef ODE
#define ODE(name) loop_##name
#include "solver/rosenbrock.c"

static double trial_step(const Motion *motion, const Point *from, double h, States *x1) {
    motion->response->known = 0;
    if (HAS_LINEAR_STEP && motion->held) {
        const double error = loop_linear_step(motion, from, h, x1);
        if (error <= 1) return error;
    }
    return rosenbrock_step(motion, from, h, x1);
}

#include "solver/events.c"

#include "solver/trials.c"
#undef ODE
#define ODE(name) name

/* The part that is left after a time h of a velocity that is given to the body, by Euler's implicit
 * step: little in stick, all of it in slip, where the motion may also grow. */
static double kept_velocity(const loop_Point *from, double h, const double *given) {
    double W[MATRIX_ROOM][MATRIX_ROOM], rhs[loop_N_STATES] = {0}, kept[loop_N_STATES];
    int row[loop_N_STATES];
    for (int i = 0; i < loop_N_STATES; i++)
        for (int j = 0; j < loop_N_STATES; j++) W[i][j] = (i == j) - h * from->J[i][j];
    for (int i = 0; i < N_AXES; i++) rhs[N_STATES + i] = given[i];
    if (factorize(loop_N_STATES, W, row)) return 1;
    back_substitute(loop_N_STATES, W, row, rhs, kept);
    const double square = dot_product(given, given);
    return square > 0 ? fmin(dot_product(kept + N_STATES, given) / square, 1) : 0;
}

/* Law and body over an interval, from states and modes that settle first. Gives the part that is
 * kept of a velocity over a horizon. */
static int advance_loop(const loop_Motion *motion, double length, loop_States *y, Modes *m,
                        const double *given, double horizon, double *kept) {
    double step = 0;
    loop_settle_at(motion, 0, y, m);
    const loop_Point from = loop_point_at(motion, 0, y, m);
    *kept = kept_velocity(&from, horizon, given);
    return loop_advance_in_trials(motion, from, length, y, m, &step);
}
