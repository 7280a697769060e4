/* A run of steps from event to event, whose lengths error control determines. */
#include <float.h>
#include <math.h>

/* Evaluations of a trial step: the points at both ends, the stages, the checks beside them, and the
 * indicators. Probes at a peak or beside a reversal are seldom, and not counted. */
enum {
    EVALUATIONS_OF_A_TRIAL = 2 * (IS_LINEAR ? 1 : N_STATES) + 6 +
                             (IS_LINEAR                            ? 4
                              : RODAS_STAGES == 6 && N_STATES <= 2 ? 3
                                                                   : 8) +
                             (N_MODES > 0 ? 16 : 2)
};

/* Advances the states over a skipped part of length h by an implicit Euler step: what decays has
 * decayed there. Where the motion is unstable, or continues until something else stops it, so that
 * the rates are no smaller there, the states do not change. */
COLD static void relax(const Motion *motion, const Point *end, double h, States *x) {
    double change[STATE_ROOM];
    if (solve_shifted(motion, end, 1 / h, state_values(&end->f), change)) return;
    States relaxed = *x;
    for (int i = 0; i < N_STATES; i++) state_places(&relaxed)[i] += change[i];
    const States f = rates_at(motion, end->t, &relaxed, &end->m);
    for (int i = 0; i < N_STATES; i++)
        if (!isfinite(state_values(&relaxed)[i]) ||
            !(fabs(state_values(&f)[i]) <= fabs(state_values(&end->f)[i])))
            return;
    *x = relaxed;
}

/* Advances states and modes by a communication step.
 *
 * After three quarters of its trials the tolerance becomes a thousandfold coarser, and again after
 * every sixteenth of them, up to COARSE: a coarse solution is nearer to the law than a gap. A
 * bristle that is stiff enough oscillates so fast between stick and slip that no step could resolve
 * it: when the trials are used up, the states are as good for any later time, except for what
 * decays, and half of the remaining step is skipped, again and again until the end is reached. So
 * the work is bounded, and the phase of the oscillation is lost. Seven eighths of the trials that
 * the user allows (by the option maximumSubsteps, each of EVALUATIONS) precede the first skipped
 * part, where there are enough for all parts; a communication step needs at most SOLUTIONS of the
 * ODE.
 *
 * `step` is the length of the next trial step (0: none yet). `from` is the point at the start, with
 * settled modes, and is advanced, too. If it fails, x and m are undefined: the caller works on
 * copies. */
NOINLINE static int advance_adaptively(const Motion *motion, Point *from, double length, States *x,
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
                     remaining = target - from->t;
        double h = *step > 0 && *step < remaining ? *step : remaining;
        /* two even steps rather than a long and a tiny one */
        if (h < remaining && h > 0.5 * remaining) h = 0.5 * remaining;
        /* a shorter step would not change the time */
        const double finest = fmin(fmax(DBL_EPSILON * from->t, DBL_MIN), remaining);
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

        Probe start = {0, {0}};
        double after = 0;
        if (can_change(motion)) probe(motion, from, 0, 0, &from->x, &start);
        double error = trial_step(motion, from, h, x) / slack;
        const double changed = can_change(motion) && isfinite(error)
                                   ? find_first_change(motion, from, &start, h, x)
                                   : 0;
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
        /* there is no shorter step, and this one means nothing */
        if (error > 1) *x = from->x;
        if (after > 0) h = step_across_change(motion, from, &start, h, after, x);
        const double t = h < remaining ? from->t + h : target;
        if (after > 0 && indicator_changed(motion, from, &start, t - from->t, x)) {
            if (settle_at(motion, t, x, m)) break;
        } else {
            const double longer = h * growth(error);
            if (h < remaining || longer > *step) *step = longer;
        }
        if (t == length) break;
        *from = point_at(motion, t, x, m);
    }
    return outcome;
}
