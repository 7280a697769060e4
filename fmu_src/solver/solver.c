/* Co-simulation: takes the states of any model over one communication step.
 *
 *     dx/dt = evaluate(p, u(t), x, m),   u(t) = u + t u_rate,   0 <= t <= length
 *
 * Layers, each knowing only those above it in this list:
 *   motion         the motion of the inputs
 *   point          a point on the way with its rates and their slopes
 *   rates          the law in an ODE, alone or with a body
 *   law            the law alone
 *   matrix         small linear systems
 *   rosenbrock     steps for any states
 *   exponential    steps for one state or two, and for linear states under held inputs
 *   following      steps for linear states under moving inputs
 *   looks, events  the step in which an indicator changes its sign is cut there
 *   trials         the modes settle, the run goes on; error control finds the length of the next
 *                  trial step
 *   loop           law and body together as an ODE, over which the same files are compiled again
 *   shadow         the body's load, and the force, for hosts that hold it over a step
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
    HALVINGS = 30,        /* of a communication step until nothing of it is left that matters */
    SETTLING_AT_MOST = 10 /* calls of next_modes in one event; one settles, the others confirm it */
};

/* Tolerance of the rest of a communication step whose trials run short. */
static const double COARSE = 1e-3;

#include "solver/names.h"

#include "solver/motion.c"

#include "solver/point.c"

#include "solver/rates.c"

#include "solver/law.c"

/* Of the states alone and of the states with the body; two, since elimination names a second
 * row. */
enum { MATRIX_ROOM = N_STATES + N_AXES > 1 ? N_STATES + N_AXES : 2 };
#include "solver/matrix.c"

#include "solver/rosenbrock.c"

#include "solver/exponential.c"

#include "solver/following.c"

/* Whether a step of length h from a point starts or ends where the velocity turns round. */
static int is_beside_reversal(const Motion *motion, const Point *from, double h) {
    const double before = time_of_reversal(motion) - from->t;
    return before == 0 || before == h;
}

/* A trial step of whatever kind suits; returns its scaled error. Where a step that follows its
 * inputs is possible but errs, a shorter one is tried rather than another kind, whose estimate may
 * vanish by chance. */
static INLINED double trial_step(const Motion *motion, const Point *from, double h, States *x1) {
    if (N_STATES == 0) {
        *x1 = from->x;
        return 0;
    }
    if (LINEAR_STATES && motion->held) return held_step(from, h, x1);
    if ((FOLLOWS || N_STATES <= 2) && !is_beside_reversal(motion, from, h)) {
        if (!FOLLOWS) return exponential_step(motion, from, h, x1);
        const double error =
            motion->held ? held_step(from, h, x1) : following_step(motion, from, h, x1);
        if (isfinite(error)) return error;
    }
    return rosenbrock_step(motion, from, h, x1);
}

#include "solver/looks.c"

#include "solver/events.c"

#include "solver/trials.c"

/* Whether one trial may be enough for a communication step: without states and modes there is
 * nothing to take over it, unless it is to end at an event; under held inputs modes alone do not
 * change; linear states have an exact solution there and are followed easily under moving ones,
 * unless earlier steps have found that the solver has to go in smaller ones. */
static int goes_at_once(const Motion *motion, double length, double step) {
    if (N_STATES + N_MODES == 0) return !motion->note;
    if (N_STATES == 0 ? !motion->held
                      : N_MODES > 0 || !(FOLLOWS || (N_STATES == 1 && motion->held)))
        return 0;
    return length > 0 && !(step > 0 && step < length);
}

/* The error of such a step under moving inputs; infinite where an event is in it, which takes
 * more. */
NOINLINE static double followed_at_once(const Motion *motion, const Point *from, double length,
                                        States *end) {
    const double error = following_step(motion, from, length, end);
    Look start;
    if (!(error <= 1)) return INFINITY;
    look(motion, from, 0, 0, &from->x, &start);
    return first_change(motion, from, &start, length, end) > 0 ? INFINITY : error;
}

/* Makes such a step; 0 where it takes more, and nothing has changed. */
static int advance_at_once(const Motion *motion, const Point *from, double length, States *x,
                           double *step) {
    if (!goes_at_once(motion, length, *step)) return 0;
    double error = 0;
    if (N_STATES > 0) {
        States end;
        error = motion->held ? trial_step(motion, from, length, &end)
                             : followed_at_once(motion, from, length, &end);
        if (!(error <= 1)) return 0;
        *x = end;
    }
    *step = fmax(*step, length * growth(error));
    return 1;
}

/* The same, at once where that is possible. */
static int advance_from(const Motion *motion, Point *from, double length, States *x, Modes *m,
                        double *step) {
    if (advance_at_once(motion, from, length, x, step)) return SOLVER_DONE;
    return advance_in_trials(motion, from, length, x, m, step);
}

#if HAS_APPROACH || HAS_COUPLING
/* What is left after a step of the longest one, with a body, so that gains do not jump with steps
 * that vary: twenty steps count, which is what the loop takes to settle. */
static const double LONGEST_FADES = 0.95;
#endif

#if HAS_APPROACH
#include "solver/pressing.c"
#endif

#if HAS_COUPLING
#include "solver/loop.c"

#include "solver/shadow.c"
#endif
