/* Law and body together as an ODE (rates.c): the states of the law and the velocity w of a body
 * under a constant load. The change of w gives the mean force, load - mass (w' - w)/length, with
 * the right impulse however stiff the law is. The files of the solver are compiled once more. */
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    loop_N_STATES = N_STATES + N_AXES,
    loop_STATE_ROOM = loop_N_STATES,
    loop_IS_LINEAR = 0,
    loop_BY_INPUTS = 0,
    /* of the last step, this one, and where both overflow, this one again */
    loop_SOLUTIONS = 3
};

typedef struct {
    double value[loop_N_STATES]; /* the states of the law, then w */
} loop_States;

static const loop_States loop_no_states = {{0}};

static double norm_of(const double *a) {
    return N_AXES == 1 ? fabs(a[0]) : sqrt(dot_product(a, a));
}

#undef ODE
#define ODE(name) loop_##name
#include "solver/point.c"

#define loop_full_point_at loop_point_at /* no state is linear */
#define loop_trial_step loop_rosenbrock_step

#include "solver/rates.c"
#undef ODE
#define ODE(name) name

static loop_States loop_resolved_at(const Motion *motion, double t, const loop_States *y,
                                    const Modes *m) {
    loop_States resolved = loop_no_states;
    const Inputs u = loop_inputs_of(motion, t, y);
    const Motion there = {motion->p, &u, NULL, 0, 1, NULL, NULL, 0, NULL};
    const States of_law = resolved_at(&there, 0, loop_law_part(y), m);
    memcpy(resolved.value, &of_law, N_STATES * sizeof(double));
    for (int i = N_STATES; i < loop_N_STATES; i++)
        resolved.value[i] = fmax(motion->body->speed + fabs(y->value[i]), DBL_MIN);
    return resolved;
}

#undef ODE
#define ODE(name) loop_##name
#include "solver/rodas3.h"

#include "solver/rosenbrock.c"

#include "solver/event_search.c"

#include "solver/step_control.c"

/* Advances law and body by a time; where there can be no event, one trial is nearly always
 * enough. */
static int advance_together(const Motion *motion, Point *from, double length, States *y, Modes *m) {
    double step = 0;
    if (!can_change(motion)) {
        const double error = trial_step(motion, from, length, y);
        if (error <= 1) return SOLVER_DONE;
        step = length * shrinkage(error);
    }
    return advance_adaptively(motion, from, length, y, m, &step);
}
#undef ODE
#define ODE(name) name

/* The fraction of an added velocity of the body, along a direction or the only axis, that remains
 * after a time h, by an implicit Euler step: little in stick, all in slip, where motion may
 * grow. */
NOINLINE static double remaining_velocity(const Motion *motion, const loop_Point *from, double h,
                                          const double *direction) {
    double given[loop_N_STATES] = {0}, remaining[loop_N_STATES];
    for (int i = 0; i < N_AXES; i++) given[N_STATES + i] = N_AXES == 1 ? 1 : direction[i];
    const double square = dot_product(given + N_STATES, given + N_STATES);
    if (loop_solve_shifted(motion, from, 1 / h, given, remaining)) return 1;
    return square > 0 ? fmin(dot_product(remaining + N_STATES, given + N_STATES) / (h * square), 1)
                      : 0;
}

/* Change of the states by a load of 1 over a time h: for (exp(h J) - 1)/J the L-stable step of
 * order 2, (h - g^2 h^2 J)/(1 - g h J)^2, g = 1 - sqrt(1/2). In slip all of it moves the body; a
 * law with the load as an input responds to it at once in stick. */
NOINLINE static void respond_to_load(const Motion *motion, const loop_Point *from, double h,
                                     double remaining, double *change) {
    const double g = 1 - sqrt(0.5);
    double W[MATRIX_ROOM][MATRIX_ROOM], rates[loop_N_STATES] = {0};
    int row[loop_N_STATES];
    memset(change, 0, sizeof rates);
    rates[N_STATES] = motion->body->inverse_mass;
    if (remaining == 1) change[N_STATES] = h * motion->body->inverse_mass;
    if (remaining == 1 || COUPLED_LOAD >= 0) return;
    loop_factorize_shifted(motion, from, 1 / (g * h), W, row);
    back_substitute(loop_N_STATES, W, row, rates, change);
    for (int i = 0; i < loop_N_STATES; i++) rates[i] += (1 - g) / (g * g * h) * change[i];
    back_substitute(loop_N_STATES, W, row, rates, change);
}
