/* A run in trial steps: the modes settle, the run goes on; error control finds the length of the
 * next step. */
#include <float.h>
#include <math.h>

/* Takes states and modes over a communication step. A bristle that is stiff enough swings so fast
 * between stick and slip that no step could follow it: when the trials of a step are used up, the
 * states are as good for any later time, and half of what is left of the step is left out, again
 * and again until the end is reached. So the work is bounded, and the phase of the oscillation is
 * lost. Three quarters of the trials that the user allows (the option maximumSubsteps) are for the
 * way to the first part that is left out, where there are enough for all parts. `step` remembers
 * the length of the next trial step (0: none yet). `from` is the point at the start, where the
 * modes have settled. Where it does not succeed, x and m are in between: the caller works on
 * copies. */
NOINLINE static int advance_in_trials(const Motion *motion, Point from, double length, States *x,
                                      Modes *m, double *step) {
    /* of the time of an event; a step may have to be shorter */
    const double resolution = 1e-11 * length;
    /* a step that ends there does not see a steep curve beside it, as a linear bristle has with
     * its Stribeck curve: there the error of a step over the reversal finds both */
    const int runs_over = N_MODES == 0 && (IS_LINEAR || N_AXES > 1);
    const double reversal = motion->held || runs_over ? 0 : time_of_reversal(motion);
    const int after_each_part = m->substeps / (4 * HALVINGS);
    int events = 0, outcome = SOLVER_DONE, patience = m->substeps - HALVINGS * after_each_part;
    for (int trial = 0; from.t < length; trial++) {
        const double target = reversal > from.t && reversal < length ? reversal : length,
                     rest = target - from.t;
        double h = *step > 0 && *step < rest ? *step : rest;
        /* two even steps rather than a long and a tiny one */
        if (h < rest && h > 0.5 * rest) h = 0.5 * rest;
        /* cannot be told from none */
        const double finest = fmin(fmax(4 * DBL_EPSILON * from.t, DBL_MIN), rest);
        if (h < finest) h = finest;
        if (trial >= patience || events == EVENTS_AT_MOST) {
            const double left = length - from.t,
                         t = left > 1e-9 * length ? from.t + 0.5 * left : length;
            outcome = SOLVER_SKIPPED;
            events = 0;
            patience = trial + after_each_part;
            *x = from.x;
            *step = 1e-3 * left;
            if (settle_at(motion, t, x, m)) break;
            from = point_at(motion, t, x, m);
            continue;
        }

        Look start = {0, {0}};
        double after = 0;
        if (can_change(motion)) look(motion, &from, 0, 0, &from.x, &start);
        double error = trial_step(motion, &from, h, x);
        const double changed =
            can_change(motion) && isfinite(error) ? first_change(motion, &from, &start, h, x) : 0;
        if (changed > 0) {
            trial += locate_change(motion, &from, &start, changed, resolution, &h, &after);
            *x = from.x;
            error = h > 0 ? trial_step(motion, &from, h, x) : 0;
        }
        if (!(error <= 1) && h > finest) {
            *step = h * shrinkage(error);
            continue;
        }
        if (!isfinite(error)) return SOLVER_NOT_FINITE;
        events = after > 0 && h <= 10 * resolution ? events + 1 : 0;
        if (after > 0) h = cross_change(motion, &from, &start, h, after, x);
        const double t = h < rest ? from.t + h : target;
        if (after > 0 && indicator_changed(motion, &from, &start, t - from.t, x)) {
            if (settle_at(motion, t, x, m)) break;
        } else {
            const double longer = h * growth(error);
            if (h < rest || longer > *step) *step = longer;
        }
        if (t == length) break;
        from = point_at(motion, t, x, m);
    }
    return outcome;
}
