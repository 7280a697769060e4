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

enum {
    loop_N_STATES = N_STATES + N_AXES,
    loop_STATE_ROOM = loop_N_STATES,
    loop_IS_LINEAR = 0,
    loop_BY_INPUTS = 0,
    loop_SHOWS_LIMITS = 0,
    /* of the last step, this one, and where both lead beyond all numbers, this one anew */
    loop_SOLUTIONS = 3
};

typedef struct {
    double value[loop_N_STATES]; /* the states of the law, then w */
} loop_States;

static const loop_States loop_no_states = {{0}};

typedef struct {
    Motion of; /* all inputs; the velocity among them is not used */
    double tolerance;
    int held;
    double per_mass;
    double load[N_AXES];
    double speed;    /* change of velocity that matters */
    double shortest; /* step down to which a departure from stick is followed */
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
    memcpy(velocity_of(&u), y->value + N_STATES, N_AXES * sizeof(double));
    return u;
}

/* Puts the rates of law and body together, or with `changing` 0 their slopes, along which the load
 * does not change. */
static void put_rates(const loop_Motion *motion, const States *dx, const Outputs *y,
                      double changing, double *f) {
    const double *force = (const double *)y + COUPLED_FORCE;
    memcpy(f, dx, N_STATES * sizeof(double));
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
NOINLINE static loop_States loop_rate_derivatives(const loop_Motion *motion,
                                                  const loop_Point *point) {
    const Inputs u = loop_inputs(motion, point->t, &point->x);
    Inputs direction = *motion->of.u_rate;
    memset(velocity_of(&direction), 0, N_AXES * sizeof(double));
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
        States x_way = no_states;
        Inputs u_way = no_inputs;
        *(j < N_STATES ? (double *)&x_way + j : velocity_of(&u_way) + j - N_STATES) = 1;
        if (j < N_STATES)
            evaluate_state_slopes(motion->of.p, &u, law_part(y), &x_way, m, &dx, &dx_slope, &out,
                                  &out_slope);
        else
            evaluate_slopes(motion->of.p, &no_parameters, &u, &u_way, law_part(y), &no_states, m,
                            &dx, &dx_slope, &out, &out_slope);
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
    const Motion there = {motion->of.p, &u, &no_inputs, motion->tolerance, 1, NULL, NULL, 0};
    const States of_law = resolved_at(&there, 0, law_part(y), m);
    memcpy(resolved.value, &of_law, N_STATES * sizeof(double));
    for (int i = N_STATES; i < loop_N_STATES; i++)
        resolved.value[i] = fmax(motion->speed + fabs(y->value[i]), DBL_MIN);
    return resolved;
}

static void loop_indicators_at(const loop_Motion *motion, double t, const loop_States *y,
                               const Modes *m, double *g) {
    const Inputs u = loop_inputs(motion, t, y);
    indicators(motion->of.p, &u, law_part(y), m, g);
}

/* The velocity is a state, and how the surfaces move is not known before. */
static int loop_keeps_contact(const loop_Motion *motion, double t, double end) {
    (void)motion;
    (void)t;
    (void)end;
    return !HAS_APPROACH;
}

/* With the body no step ends at an event: it is one trial among others of what the load may be. */
static int loop_settle_at(const loop_Motion *motion, double t, loop_States *y, Modes *m) {
    const Inputs u = loop_inputs(motion, t, y);
    if (N_MODES > 0) settle_modes(motion->of.p, &u, (States *)y->value, m);
    return 0;
}

/* Where stick gives way, the motion grows by itself, and an L-stable method with long steps would
 * damp it and hold the body: its matrix then has a negative determinant. */
static double loop_shortest_growing(const loop_Motion *motion) {
    return motion->shortest;
}

/* The velocity is a state, and when it turns round is not known before. */
static double loop_time_of_reversal(const loop_Motion *motion) {
    (void)motion;
    return -1;
}

#undef ODE
#define ODE(name) loop_##name
#include "solver/rodas3.h"

#include "solver/rosenbrock.c"

static double trial_step(const Motion *motion, const Point *from, double h, States *x1) {
    return rosenbrock_step(motion, from, h, x1);
}

#include "solver/events.c"

#include "solver/trials.c"
#undef ODE
#define ODE(name) name

/* The part that is left after a time h of a velocity that the body is given along a direction, or
 * along the only axis, by Euler's implicit step: little in stick, all of it in slip, where the
 * motion may also grow. */
NOINLINE static double kept_velocity(const loop_Point *from, double h, const double *direction) {
    double W[MATRIX_ROOM][MATRIX_ROOM], given[loop_N_STATES] = {0}, kept[loop_N_STATES];
    int row[loop_N_STATES];
    for (int i = 0; i < loop_N_STATES; i++)
        for (int j = 0; j < loop_N_STATES; j++) W[i][j] = (i == j) - h * from->J[i][j];
    for (int i = 0; i < N_AXES; i++) given[N_STATES + i] = N_AXES == 1 ? 1 : direction[i];
    const double square = dot_product(given + N_STATES, given + N_STATES);
    if (factorize(loop_N_STATES, W, row)) return 1;
    back_substitute(loop_N_STATES, W, row, given, kept);
    return square > 0 ? fmin(dot_product(kept + N_STATES, given + N_STATES) / square, 1) : 0;
}
