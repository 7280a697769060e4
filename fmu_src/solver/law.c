/* The law alone as an ODE: its states, under inputs that move as given. */
#include <math.h>

/* Linear states do not see each other, so one direction gives all of their slopes. */
static States all_directions(void) {
    States seed = no_states;
    for (int i = 0; i < N_STATES; i++) state_places(&seed)[i] = 1;
    return seed;
}

FLATTENED static States rates_at(const Motion *motion, double t, const States *x, const Modes *m) {
    States f = no_states;
    Outputs y;
    const Inputs u = inputs_at(motion, t);
    evaluate(motion->p, &u, x, m, &f, &y);
    return f;
}

/* Time derivatives of the rates, as the inputs move. */
FLATTENED static States rate_derivatives(const Motion *motion, const Point *point) {
    States f, f_rate = no_states;
    Outputs y, y_slope;
    const Inputs u = inputs_at(motion, point->t);
    evaluate_slopes(motion->p, &no_parameters, &u, motion->u_rate, &point->x, &no_states, &point->m,
                    &f, &f_rate, &y, &y_slope);
    return f_rate;
}

/* Slopes of states that follow as a vector, each along itself: that of the vector along a direction
 * in which it has these slopes. */
static void take_one_slope(const double *direction, double *slopes) {
    double along = 0, square = 0;
    for (int i = 0; i < N_STATES; i++) {
        along += direction[i] * slopes[i];
        square += direction[i] * direction[i];
    }
    for (int i = 0; i < N_STATES; i++) slopes[i] = square > 0 ? along / square : 0;
}

/* Rates of linear states with their slopes along themselves, of a vector along the direction
 * `seed`. */
FLATTENED static void linear_rates_at(const Motion *motion, double t, const States *x,
                                      const Modes *m, const States *seed, States *f,
                                      States *slopes) {
    Outputs y, y_slopes;
    const Inputs u = inputs_at(motion, t);
    evaluate_state_slopes(motion->p, &u, x, seed, m, f, slopes, &y, &y_slopes);
    if (ONE_RATE) take_one_slope(state_values(seed), state_places(slopes));
}

/* A point with its rates and their slopes. */
FLATTENED static Point point_at(const Motion *motion, double t, const States *x, const Modes *m) {
    Point point = {t, *x, *m, no_states, {{0}}};
    States slope;
    if (LINEAR_STATES) {
        const States seed = all_directions();
        linear_rates_at(motion, t, x, m, &seed, &point.f, &slope);
        for (int i = 0; i < N_STATES; i++) point.J[i][i] = state_values(&slope)[i];
        return point;
    }
    const Inputs u = inputs_at(motion, t);
    Outputs y, y_slope;
    for (int j = 0; j < N_STATES; j++) {
        States seed = no_states;
        state_places(&seed)[j] = 1;
        evaluate_state_slopes(motion->p, &u, x, &seed, m, &point.f, &slope, &y, &y_slope);
        for (int i = 0; i < N_STATES; i++) point.J[i][j] = state_values(&slope)[i];
    }
    return point;
}

/* What a model says of that. One that does not say resolves the nominal values and the states
 * themselves; no model less than a 1e-7 part of a nominal value. */
static States resolved_under(const Motion *motion, double t, const States *x, const Modes *m) {
    States resolved = no_states;
    double *value = state_places(&resolved);
    for (int i = 0; i < N_STATES; i++) value[i] = INFINITY;
#if HAS_RESOLUTION
    const Inputs u = inputs_at(motion, t);
    resolution(motion->p, &u, x, m, &resolved);
#else
    (void)motion;
    (void)t;
    (void)m;
#endif
    for (int i = 0; i < N_STATES; i++) {
        const double size = state_nominals[i] + fabs(state_values(x)[i]);
        value[i] = fmax(fmin(value[i], size), 1e-7 * state_nominals[i]);
    }
    return resolved;
}

/* What the law tells apart of the states, each as a whole; no less than at the end of the
 * communication step, which is all that is seen of it: on the way there a normal force may all but
 * vanish, or a damper make more of an error. */
static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m) {
    States resolved = resolved_under(motion, t, x, m);
    if (!HAS_RESOLUTION || motion->held || t >= motion->length) return resolved;
    const States end = resolved_under(motion, motion->length, x, m);
    for (int i = 0; i < N_STATES; i++)
        state_places(&resolved)[i] = fmax(state_values(&resolved)[i], state_values(&end)[i]);
    return resolved;
}

/* A normal force that is computed may come and go within a step, so that it is looked at itself, in
 * place of its indicator, which has a gap at its root (common/contact_events.h). */
static void indicators_at(const Motion *motion, double t, const States *x, const Modes *m,
                          double *g) {
    const Inputs u = inputs_at(motion, t);
#if HAS_APPROACH
    (void)x;
    (void)m;
    g[0] = normal_force(motion->p, &u);
#else
    indicators(motion->p, &u, x, m, g);
#endif
}

/* Whether a normal force that is computed stays as it is between two times, since the surfaces
 * approach each other at both. */
static int keeps_contact(const Motion *motion, double t, double end) {
#if HAS_APPROACH
    const Inputs u = inputs_at(motion, t), u_end = inputs_at(motion, end);
    return approach(motion->p, &u) >= 0 && approach(motion->p, &u_end) >= 0;
#else
    (void)motion;
    (void)t;
    (void)end;
    return 1;
#endif
}

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

/* Lets the modes settle at the time t of a communication step, and tells of it; whether the step
 * ends there. */
static int settle_at(const Motion *motion, double t, States *x, Modes *m) {
    const Modes before = *m;
    if (N_MODES > 0) {
        const Inputs u = inputs_at(motion, t);
        settle_modes(motion->p, &u, x, m);
        if (memcmp(&before, m, sizeof before) == 0) return 0;
    }
    return motion->note ? motion->note(motion->log, t, &before, m) : 0;
}

/* Length of a step down to which a motion that grows by itself is followed: that of a law alone is
 * left to the estimate of its error. */
static double shortest_growing(const Motion *motion) {
    (void)motion;
    return INFINITY;
}

/* Time at which the velocity turns round, or its size is least, and the rates have a corner, so
 * that a step must not run over it; -1 where it does not move. */
static double time_of_reversal(const Motion *motion) {
    if (motion->held) return -1;
    double along = 0, square = 0;
    for (int i = 0; i < N_AXES; i++) {
        const double rate = input_values(motion->u_rate)[COUPLED_VELOCITY + i];
        along -= rate * input_values(motion->u_start)[COUPLED_VELOCITY + i];
        square += rate * rate;
    }
    return square > 0 ? along / square : -1;
}
