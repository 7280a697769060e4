/* Law and body together as an ODE (rates.c): the states of the law and the velocity w of a body, on
 * which a load acts that is constant over the interval. The change of w gives the mean force over
 * it, load - mass (w' - w)/length, with the right impulse however stiff the law is. The files of
 * the solver are compiled once more over this ODE. */
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    loop_N_STATES = N_STATES + N_AXES,
    loop_STATE_ROOM = loop_N_STATES,
    loop_IS_LINEAR = 0,
    loop_BY_INPUTS = 0,
    /* of the last step, this one, and where both lead beyond all numbers, this one anew */
    loop_SOLUTIONS = 3
};

typedef struct {
    double value[loop_N_STATES]; /* the states of the law, then w */
} loop_States;

static const loop_States loop_no_states = {{0}};

static double *velocity_of(Inputs *u) {
    return input_places(u) + COUPLED_VELOCITY;
}

static double dot_product(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N_AXES; i++) sum += a[i] * b[i];
    return sum;
}

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

#include "solver/events.c"

#include "solver/trials.c"

/* Takes law and body over a time; where there can be no event, one trial is nearly always good. */
static int advance_together(const Motion *motion, Point *from, double length, States *y, Modes *m) {
    double step = 0;
    if (!can_change(motion)) {
        const double error = trial_step(motion, from, length, y);
        if (error <= 1) return SOLVER_DONE;
        step = length * shrinkage(error);
    }
    return advance_in_trials(motion, from, length, y, m, &step);
}
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
