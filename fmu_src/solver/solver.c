/* Co-simulation: advances the states of any model by one communication step.
 *
 *     dx/dt = evaluate(p, u(t), x, m),   u(t) = u + t u_rate,   0 <= t <= length
 *
 * Layers, each knowing only those above it in this list:
 *   motion             the motion of the inputs
 *   point              a point of the run with its rates and their slopes
 *   rates              the law in an ODE, alone or with a body
 *   law                the law alone
 *   matrix             small linear systems
 *   rosenbrock         steps for any states
 *   exponential        steps for one state or two, and for linear states under held inputs
 *   linear_steps       steps for linear states under moving inputs
 *   probes             indicators at points inside a step
 *   event_search       the point of a step where an indicator changes its sign
 *   step_control       steps from event to event, of the lengths that the error asks for
 *   contact_prediction the normal force of a contact, for hosts that hold it over a step
 *   loop               law and body together as an ODE, with the same files once more
 *   shadow             the body's load, and the friction force, for such hosts
 *
 * All steps keep no history, so a run can be stopped, stored and repeated bit for bit at any
 * communication point.
 */
#include <float.h>
#include <math.h>
#include <string.h>

enum { SOLVER_DONE, SOLVER_SKIPPED, SOLVER_NOT_FINITE };

enum {
    EVALUATIONS = 33,     /* of the law in a substep that the user allows */
    HALVINGS = 30,        /* of a communication step, until the remainder does not matter */
    SETTLING_AT_MOST = 10 /* calls of next_modes in one event; one settles, the others confirm it */
};

/* Tolerance for the remainder of a communication step with few trials left. */
static const double COARSE = 1e-3;

#include "solver/names.h"

#include "solver/motion.c"

#include "solver/point.c"

#include "solver/rates.c"

#include "solver/law.c"

/* Rows for the states alone and with the body; at least two, since elimination accesses a second
 * row. */
enum { MATRIX_ROOM = N_STATES + N_AXES > 1 ? N_STATES + N_AXES : 2 };
#include "solver/matrix.c"

#include "solver/rosenbrock.c"

#include "solver/exponential.c"

#include "solver/linear_steps.c"

/* Whether a step of length h from a point starts or ends at a reversal of the velocity. */
static int is_beside_reversal(const Motion *motion, const Point *from, double h) {
    const double before = time_of_reversal(motion) - from->t;
    return before == 0 || before == h;
}

/* Makes a trial step of the kind that suits; returns its scaled error. Where a linear step is
 * possible but its error too large, a shorter one is tried rather than another kind, whose estimate
 * may vanish by chance. */
static INLINED double trial_step(const Motion *motion, const Point *from, double h, States *x1) {
    if (N_STATES == 0) {
        *x1 = from->x;
        return 0;
    }
    if (LINEAR_STATES && motion->held) return held_step(from, h, x1);
    if ((HAS_LINEAR_STEPS || N_STATES <= 2) && !is_beside_reversal(motion, from, h)) {
        if (!HAS_LINEAR_STEPS) return exponential_step(motion, from, h, x1);
        const double error =
            motion->held ? held_step(from, h, x1) : linear_step(motion, from, h, x1);
        if (isfinite(error)) return error;
    }
    return rosenbrock_step(motion, from, h, x1);
}

#include "solver/probes.c"

#include "solver/event_search.c"

#include "solver/step_control.c"

/* Whether one trial may be enough for a communication step: without states and modes there is
 * nothing to integrate, unless the step is to end at an event; under held inputs modes alone do not
 * change; linear states have an exact solution there, and long steps under moving inputs, unless
 * earlier steps have needed shorter ones. */
static int fits_one_trial(const Motion *motion, double length, double step) {
    if (N_STATES + N_MODES == 0) return !motion->on_event;
    if (N_STATES == 0 ? !motion->held
                      : N_MODES > 0 || !(HAS_LINEAR_STEPS || (N_STATES == 1 && motion->held)))
        return 0;
    return length > 0 && !(step > 0 && step < length);
}

/* Returns the error of such a step under moving inputs; infinite if there is an event in it. */
NOINLINE static double error_of_one_step(const Motion *motion, const Point *from, double length,
                                         States *end) {
    const double error = linear_step(motion, from, length, end);
    Probe start;
    if (!(error <= 1)) return INFINITY;
    probe(motion, from, 0, 0, &from->x, &start);
    return find_first_change(motion, from, &start, length, end) > 0 ? INFINITY : error;
}

/* Makes such a step; 0 if one trial is not enough, and nothing has changed. */
static int advance_in_one_step(const Motion *motion, const Point *from, double length, States *x,
                               double *step) {
    if (!fits_one_trial(motion, length, *step)) return 0;
    double error = 0;
    if (N_STATES > 0) {
        States end;
        error = motion->held ? trial_step(motion, from, length, &end)
                             : error_of_one_step(motion, from, length, &end);
        if (!(error <= 1)) return 0;
        *x = end;
    }
    *step = fmax(*step, length * growth(error));
    return 1;
}

/* Makes a communication step from a point, with one trial where possible. */
static int advance_from(const Motion *motion, Point *from, double length, States *x, Modes *m,
                        double *step) {
    if (advance_in_one_step(motion, from, length, x, step)) return SOLVER_DONE;
    return advance_adaptively(motion, from, length, x, m, step);
}

#if HAS_APPROACH || HAS_COUPLING
/* Factor by which the longest step fades in every step with a body, so that gains do not jump with
 * varying steps: twenty steps count, in which the loop settles. */
static const double LONGEST_FADES = 0.95;
#endif

#if HAS_APPROACH
#include "solver/contact_prediction.c"
#endif

#if HAS_COUPLING
#include "solver/loop.c"

#include "solver/shadow.c"
#endif
