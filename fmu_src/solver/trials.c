/* A run in trial steps: the modes settle, the run goes on; error control finds the length of the
 * next step. */
#include <float.h>
#include <math.h>

/* Evaluations of a trial step: the points at both ends, the stages, what is looked at beside them,
 * and the indicators. Looks at a peak or beside a reversal come on top of it, but seldom. */
enum {
    EVALUATIONS_OF_A_TRIAL = 2 * (IS_LINEAR ? 1 : N_STATES) + 6 +
                             (IS_LINEAR                            ? 4
                              : RODAS_STAGES == 6 && N_STATES <= 2 ? 3
                                                                   : 8) +
                             (N_MODES > 0 ? 16 : 2)
};

/* Takes the states at the end of a part of length h that is left out over it, by Euler's implicit
 * step: what decays has decayed there. Where the motion grows by itself, or goes on until something
 * new stops it, so that the rates are no smaller there, they stay as they are. */
COLD static void relax(const Motion *motion, const Point *end, double h, States *x) {
    double way[STATE_ROOM];
    if (solve_less(motion, end, 1 / h, state_values(&end->f), way)) return;
    States relaxed = *x;
    for (int i = 0; i < N_STATES; i++) state_places(&relaxed)[i] += way[i];
    const States f = rates_at(motion, end->t, &relaxed, &end->m);
    for (int i = 0; i < N_STATES; i++)
        if (!isfinite(state_values(&relaxed)[i]) ||
            !(fabs(state_values(&f)[i]) <= fabs(state_values(&end->f)[i])))
            return;
    *x = relaxed;
}

/* Takes states and modes over a communication step. After three quarters of its trials it goes on
 * a thousandfold coarser, and again after a sixteenth of them, up to COARSE: what is followed
 * roughly is nearer to the law than what is left out. A bristle that is stiff enough swings so
 * fast between stick and slip that no step could follow it: when the trials of a step are used up,
 * the states are as good for any later time, but for what decays, and half of what is left of the
 * step is left out, again and again until the end is reached. So the work is bounded, and the
 * phase of the oscillation is lost. Seven eighths of the trials that the user allows (by the
 * option maximumSubsteps, each of EVALUATIONS) lead to the first part that is left out, where
 * there are enough for all parts; a communication step takes SOLUTIONS of the ODE at most. `step`
 * remembers the length of the next trial step (0: none yet). `from` is the point at the start,
 * where the modes have settled, and moves along. Where it does not succeed, x and m are in between:
 * the caller works on copies. */
NOINLINE static int advance_in_trials(const Motion *motion, Point *from, double length, States *x,
                                      Modes *m, double *step) {
    /* of the time of an event; a step may have to be shorter */
    const double resolution = fmax(1e-11 * length, DBL_MIN);
    const double reversal = time_of_reversal(motion);
    const int trials = EVALUATIONS * m->substeps / (SOLUTIONS * EVALUATIONS_OF_A_TRIAL);
    const int after_each_part = trials / (8 * HALVINGS);
    int coarse = 3 * trials / 4;
    int outcome = SOLVER_DONE, patience = trials - HALVINGS * after_each_part;
    double slack = 1;
    for (int trial = 0; from->t < length; trial++) {
        const double target = reversal > from->t && reversal < length ? reversal : length,
                     rest = target - from->t;
        double h = *step > 0 && *step < rest ? *step : rest;
        /* two even steps rather than a long and a tiny one */
        if (h < rest && h > 0.5 * rest) h = 0.5 * rest;
        /* cannot be told from none */
        const double finest = fmin(fmax(DBL_EPSILON * from->t, DBL_MIN), rest);
        if (h < finest) h = finest;
        if (trial >= coarse && slack < COARSE / motion->tolerance) {
            outcome = SOLVER_SKIPPED;
            slack = fmin(1e3 * slack, COARSE / motion->tolerance);
            coarse += trials / 16;
        }
        if (trial >= patience) {
            const double left = length - from->t,
                         t = left > 1e-9 * length ? from->t + 0.5 * left : length;
            outcome = SOLVER_SKIPPED;
            patience = trial + after_each_part;
            *x = from->x;
            *step = 1e-3 * left;
            const Point at = point_at(motion, t, x, m);
            relax(motion, &at, t - from->t, x);
            if (settle_at(motion, t, x, m)) break;
            *from = point_at(motion, t, x, m);
            continue;
        }

        Look start = {0, {0}};
        double after = 0;
        if (can_change(motion)) look(motion, from, 0, 0, &from->x, &start);
        double error = trial_step(motion, from, h, x) / slack;
        const double changed =
            can_change(motion) && isfinite(error) ? first_change(motion, from, &start, h, x) : 0;
        if (changed > 0) {
            trial += locate_change(motion, from, &start, changed, resolution, &h, &after);
            *x = from->x;
            error = h > 0 ? trial_step(motion, from, h, x) / slack : 0;
        }
        if (!(error <= 1) && h > finest) {
            *step = h * shrinkage(error);
            continue;
        }
        if (!isfinite(error)) return SOLVER_NOT_FINITE;
        /* no shorter step can be told from none, and this one says nothing */
        if (error > 1) *x = from->x;
        if (after > 0) h = cross_change(motion, from, &start, h, after, x);
        const double t = h < rest ? from->t + h : target;
        if (after > 0 && indicator_changed(motion, from, &start, t - from->t, x)) {
            if (settle_at(motion, t, x, m)) break;
        } else {
            const double longer = h * growth(error);
            if (h < rest || longer > *step) *step = longer;
        }
        if (t == length) break;
        *from = point_at(motion, t, x, m);
    }
    return outcome;
}
