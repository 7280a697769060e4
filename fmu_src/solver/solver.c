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
 *   closed_loop    the same with the body in the loop
 *   coupling       what is learnt of the body, and the force, for hosts that hold it over a step
 *
 * All steps keep no history, so a run can be stopped, stored and repeated bit for bit at any communication point.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solver/point.c"

#include "solver/exponential.c"

/* Of the states alone and of the states with the body. */
enum { MATRIX_ROOM = N_STATES + N_AXES > 1 ? N_STATES + N_AXES : 2 }; /* two, since elimination names a second row */
#include "solver/matrix.c"

#include "solver/rosenbrock.c"

#include "solver/events.c"

enum { SOLVER_DONE, SOLVER_SKIPPED, SOLVER_NOT_FINITE };

enum {
    HALVINGS = 30,        /* of a communication step until nothing of it is left that matters */
    EVENTS_AT_MOST = 100, /* one after the other without a step between them */
    SETTLING_AT_MOST = 10 /* calls of next_modes in one event; one settles, the others confirm it */
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

/* Lets the modes settle at the time t of a communication step, and tells of it. */
static void settle_at(const Motion *motion, double t, States *x, Modes *m) {
    if (N_MODES == 0) return;
    const Inputs u = inputs_at(motion, t);
    const Modes before = *m;
    settle_modes(motion->p, &u, x, m);
    if (motion->note && memcmp(&before, m, sizeof before) != 0) motion->note(motion->log, t, &before, m);
}

/* How many times longer the next trial step may be than one that made this error: five at most. */
static double growth(double error) {
    return error < 1e-3 ? 5 : fmin(5, 0.9 / sqrt(sqrt(error)));
}

/* Whether one trial may be enough for a communication step: without states and modes there is nothing to take over it; under held inputs modes
 * alone do not change; linear states have an exact solution there and are followed easily under moving ones, unless earlier steps have found
 * that the solver has to go in smaller ones. */
static int goes_at_once(const Motion *motion, double length, double step) {
    if (N_STATES + N_MODES == 0) return 1;
    if (N_STATES == 0 ? !motion->held : N_MODES > 0 || !LINEAR_STATES) return 0;
    return length > 0 && !(step > 0 && step < length);
}

/* The error of such a step under moving inputs; infinite where an event is in it, which takes more. */
NOINLINE static double followed_at_once(const Motion *motion, const Point *from, double length, States *end) {
    const double error = following_step(motion, from, length, end);
    Look start;
    if (!(error <= 1)) return INFINITY;
    look(motion, from, 0, 0, &from->x, &start);
    return indicator_changed(motion, from, &start, length, end) ? INFINITY : error;
}

/* Makes such a step; 0 where it takes more, and nothing has changed. */
static int advance_at_once(const Motion *motion, const Point *from, double length, States *x, double *step) {
    if (!goes_at_once(motion, length, *step)) return 0;
    double error = 0;
    if (N_STATES > 0) {
        States end;
        error = motion->held ? held_step(from, length, &end) : followed_at_once(motion, from, length, &end);
        if (!(error <= 1)) return 0;
        *x = end;
    }
    *step = fmax(*step, length * growth(error));
    return 1;
}

/* Takes states and modes over a communication step. A bristle that is stiff enough swings so fast between stick and slip that no step
 * could follow it: when the trials of a step are used up, the states are as good for any later time, and half of what is left of the
 * step is left out, again and again until the end is reached. So the work is bounded, and the phase of the oscillation is lost. Half of the trials that the user
 * allows (the option maximumSubsteps) are for the way to the first part that is left out, where there are enough for all parts.
 * `step` remembers the length of the next trial step (0: none yet). `from` is the point at the start, where the modes have settled.
 * Where it does not succeed, x and m are in between: the caller works on copies. */
NOINLINE static int advance_in_trials(const Motion *motion, Point from, double length, States *x, Modes *m,
                                      double *step) {
    const double resolution = 1e-11 * length; /* of the time of an event; a step may have to be shorter */
    const int after_each_part = m->substeps / (2 * HALVINGS);
    int events = 0, outcome = SOLVER_DONE, patience = m->substeps - HALVINGS * after_each_part;
    for (int trial = 0; from.t < length; trial++) {
        const double rest = length - from.t;
        double h = *step > 0 && *step < rest ? *step : rest;
        if (h < rest && h > 0.5 * rest) h = 0.5 * rest; /* two even steps rather than a long and a tiny one */
        const double finest = fmin(fmax(4 * DBL_EPSILON * from.t, DBL_MIN), rest); /* cannot be told from none */
        if (h < finest) h = finest;
        if (trial >= patience || events == EVENTS_AT_MOST) {
            const double t = rest > 1e-9 * length ? from.t + 0.5 * rest : length;
            outcome = SOLVER_SKIPPED;
            events = 0;
            patience = trial + after_each_part;
            *x = from.x;
            *step = 1e-3 * rest;
            settle_at(motion, t, x, m);
            from = point_at(motion, t, x, m);
            continue;
        }

        Look start = {0, {0}};
        double after = 0;
        if (can_change(motion)) look(motion, &from, 0, 0, &from.x, &start);
        double error = trial_step(motion, &from, h, x);
        const double changed = can_change(motion) && isfinite(error) ? first_change(motion, &from, &start, h, x) : 0;
        if (changed > 0) {
            trial += locate_change(motion, &from, &start, changed, resolution, &h, &after);
            *x = from.x;
            error = h > 0 ? trial_step(motion, &from, h, x) : 0;
        }
        if (!(error <= 1) && h > finest) {
            *step = isfinite(error) ? h * fmax(0.1, 0.9 / sqrt(sqrt(error))) : 0.1 * h;
            continue;
        }
        if (!isfinite(error)) return SOLVER_NOT_FINITE;
        events = after > 0 && h <= 10 * resolution ? events + 1 : 0;
        if (after > 0) {
            cross_change(motion, &from, &start, h, after, x);
            h = after;
        }
        const double t = h < rest ? from.t + h : length;
        if (after > 0) {
            settle_at(motion, t, x, m);
        } else {
            const double longer = h * growth(error);
            if (h < rest || longer > *step) *step = longer;
        }
        if (t == length) break;
        from = point_at(motion, t, x, m);
    }
    return outcome;
}

/* The same, at once where that is possible. */
static int advance_from(const Motion *motion, const Point *from, double length, States *x, Modes *m, double *step) {
    if (advance_at_once(motion, from, length, x, step)) return SOLVER_DONE;
    return advance_in_trials(motion, *from, length, x, m, step);
}

/* The same from the states and modes of now, which settle first. */
static int advance(const Motion *motion, double length, States *x, Modes *m, double *step) {
    settle_at(motion, 0, x, m);
    const Point from = point_at(motion, 0, x, m);
    return advance_from(motion, &from, length, x, m, step);
}

#if HAS_COUPLING
#include "solver/closed_loop.c"

#include "solver/coupling.c"
#endif
