/* Co-simulation: takes the states of any model over one communication step.
 *
 *     dx/dt = evaluate(p, u(t), x, m),   u(t) = u + t u_rate,   0 <= t <= length
 *
 * Layers, each knowing only those above it in this list:
 *   point          the motion of the inputs, a point on the way with its rates and their slopes
 *   exponential    steps for linear states
 *   matrix         small linear systems
 *   rosenbrock     steps for all others
 *   events         the step in which an indicator changes its sign is cut there
 *   advance        the modes settle, the run goes on; error control finds the length of the next trial step
 *   joint, coupling  the same with the body in the loop, for hosts that hold the force over a step
 *
 * All steps keep no history, so a run can be stopped, stored and repeated bit by bit at any communication point.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/point.c"

#include "solver/exponential.c"

#include "solver/matrix.c"

#include "solver/rosenbrock.c"

#include "solver/events.c"

enum { SOLVER_DONE, SOLVER_TOLERANCE_MISSED, SOLVER_NOT_FINITE };

enum {
    TRIALS_AT_MOST = 50000, /* of one communication step */
    EVENTS_AT_MOST = 100,   /* one after the other without a step between them */
    SETTLING_AT_MOST = 10   /* calls of next_modes in one event; one settles, the others confirm it */
};

/* Lets the modes follow the inputs and states; returns 1 if a state was reset. */
static int settle_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    int reset = 0;
    for (int i = 0; i < SETTLING_AT_MOST; i++) {
        const Modes before = *m;
        if (next_modes(p, u, x, m)) reset = 1;
        if (memcmp(&before, m, sizeof before) == 0) break;
    }
    return reset;
}

/* Takes states and modes over a communication step. `step` remembers the length of the next trial step (0: none yet).
 * Where it does not succeed, x and m are in between: the caller works on copies. */
static int advance(const Motion *motion, double length, States *x, Modes *m, double *step) {
    const double resolution = 1e-11 * length;
    int events = 0;
    Inputs u = inputs_at(motion, 0);
    settle_modes(motion->p, &u, x, m);
    Point from = point_at(motion, 0, x, m);
    for (int trial = 0; from.t < length; trial++) {
        const double rest = length - from.t;
        double h = *step > 0 && *step < rest ? *step : rest;
        if (h < rest && h > 0.5 * rest) h = 0.5 * rest; /* two even steps rather than a long and a tiny one */
        if (trial == TRIALS_AT_MOST || events == EVENTS_AT_MOST || from.t + h == from.t) return SOLVER_TOLERANCE_MISSED;

        int sign[INDICATOR_ROOM];
        double after = 0;
        indicator_signs(motion, from.t, &from.x, &from.m, sign);
        double error = trial_step(motion, &from, h, x);
        const double changed = isfinite(error) ? first_change(motion, &from, sign, h, x) : 0;
        if (changed > 0) {
            locate_change(motion, &from, sign, changed, resolution, &h, &after);
            *x = from.x;
            error = h > 0 ? trial_step(motion, &from, h, x) : 0;
        }
        if (!(error <= 1)) {
            *step = isfinite(error) ? h * fmax(0.1, 0.9 / sqrt(sqrt(error))) : 0.1 * h;
            if (*step <= DBL_EPSILON * length) return isfinite(error) ? SOLVER_TOLERANCE_MISSED : SOLVER_NOT_FINITE;
            continue;
        }
        events = after > 0 && h <= 10 * resolution ? events + 1 : 0;
        if (after > 0) {
            cross_change(motion, &from, sign, h, after, x);
            h = after;
        }
        const double t = h < rest ? from.t + h : length;
        if (after > 0) {
            u = inputs_at(motion, t);
            settle_modes(motion->p, &u, x, m);
        } else {
            const double longer = h * fmin(5, 0.9 / sqrt(sqrt(fmax(error, 1e-4))));
            if (h < rest || longer > *step) *step = longer;
        }
        if (t == length) break;
        from = point_at(motion, t, x, m);
    }
    return SOLVER_DONE;
}

#if HAS_COUPLING
#include "solver/joint.c"

#include "solver/coupling.c"
#endif
