/* The law alone as an ODE: its states, under inputs that move as given. */
#include <math.h>

/* Linear states do not see each other, so one direction gives all of their slopes. */
static States all_directions(void) {
    States seed = no_states;
    for (int i = 0; i < N_STATES; i++) state_places(&seed)[i] = 1;
    return seed;
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
    if (!LINEAR_STATES) return full_point_at(motion, t, x, m);
    Point point = {t, *x, *m, no_states, {{0}}};
    const States seed = all_directions();
    States slope;
    linear_rates_at(motion, t, x, m, &seed, &point.f, &slope);
    for (int i = 0; i < N_STATES; i++) point.J[i][i] = state_values(&slope)[i];
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
 * vanish, or a damper make more of an error. Where the end is without contact, of which the law
 * says nothing, no less than at the start: a bristle survives and may soon carry again. */
static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m) {
    States resolved = resolved_under(motion, t, x, m);
    if (!HAS_RESOLUTION || motion->held || t >= motion->length) return resolved;
    const States end = resolved_under(motion, motion->length, x, m);
    for (int i = 0; i < N_STATES; i++) {
        double seen = state_values(&end)[i];
        if (seen >= state_nominals[i] + fabs(state_values(x)[i])) {
            const States start = resolved_under(motion, 0, x, m);
            seen = state_values(&start)[i];
        }
        state_places(&resolved)[i] = fmax(state_values(&resolved)[i], seen);
    }
    return resolved;
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

/* Length of a step down to which a motion that grows by itself is followed: that of a law alone is
 * left to the estimate of its error. Where stick gives way, the motion of a body grows, and an
 * L-stable method with long steps would damp it and hold the body: its matrix then has a negative
 * determinant. */
static double shortest_growing(const Motion *motion) {
    return motion->body ? motion->body->shortest : INFINITY;
}

/* Time at which the velocity turns round, or its size is least, and the rates have a corner, so
 * that a step must not run over it; -1 where it does not move, infinite where it is a state. */
static double time_of_reversal(const Motion *motion) {
    if (motion->held) return -1;
    if (motion->body) return INFINITY;
    const double *rate = input_values(motion->u_rate) + COUPLED_VELOCITY;
    const double *v = input_values(motion->u_start) + COUPLED_VELOCITY;
    const double square = dot_product(rate, rate);
    return square > 0 ? -dot_product(rate, v) / square : -1;
}
