/* The law alone as an ODE: its states, under inputs that move as given. */
#include <math.h>

/* The direction that gives the slopes of all linear states at once, which are independent of each
 * other. */
static States all_directions(void) {
    States seed = no_states;
    for (int i = 0; i < N_STATES; i++) state_places(&seed)[i] = 1;
    return seed;
}

/* Sets the slopes of the components of a vector to the common one: that of the vector along a
 * direction, in which it has the given slopes. */
static void set_common_slope(const double *direction, double *slopes) {
    double along = 0, square = 0;
    for (int i = 0; i < N_STATES; i++) {
        along += direction[i] * slopes[i];
        square += direction[i] * direction[i];
    }
    for (int i = 0; i < N_STATES; i++) slopes[i] = square > 0 ? along / square : 0;
}

/* Evaluates the rates of linear states and their diagonal slopes, those of a vector along the
 * direction `seed`. */
FLATTENED static void linear_rates_at(const Motion *motion, double t, const States *x,
                                      const Modes *m, const States *seed, States *f,
                                      States *slopes) {
    Outputs y, y_slopes;
    const Inputs u = inputs_at(motion, t);
    evaluate_state_slopes(motion->p, &u, x, seed, m, f, slopes, &y, &y_slopes);
    if (ONE_RATE) set_common_slope(state_values(seed), state_places(slopes));
}

/* Evaluates a point with its rates and their slopes. */
FLATTENED static Point point_at(const Motion *motion, double t, const States *x, const Modes *m) {
    if (!LINEAR_STATES) return full_point_at(motion, t, x, m);
    Point point = {t, *x, *m, no_states, {{0}}};
    const States seed = all_directions();
    States slope;
    linear_rates_at(motion, t, x, m, &seed, &point.f, &slope);
    for (int i = 0; i < N_STATES; i++) point.J[i][i] = state_values(&slope)[i];
    return point;
}

/* The resolution that the model states: by default nominal values and the states themselves; at
 * least a 1e-7 part of the nominal values. */
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

/* The change of each state that the law resolves; no less than at the end of the communication
 * step, which is its only visible result: before that a normal force may nearly vanish, or a damper
 * amplify an error. Where the end is without contact, and without a resolution, no less than at the
 * start: a bristle survives and may soon carry again. */
static States resolved_at(const Motion *motion, double t, const States *x, const Modes *m) {
    States resolved = resolved_under(motion, t, x, m);
    if (!HAS_RESOLUTION || motion->held || t >= motion->length) return resolved;
    const States end = resolved_under(motion, motion->length, x, m);
    for (int i = 0; i < N_STATES; i++) {
        double least = state_values(&end)[i];
        if (least >= state_nominals[i] + fabs(state_values(x)[i])) {
            const States start = resolved_under(motion, 0, x, m);
            least = state_values(&start)[i];
        }
        state_places(&resolved)[i] = fmax(state_values(&resolved)[i], least);
    }
    return resolved;
}

/* Whether a computed normal force cannot vanish between two times, since the surfaces approach each
 * other at both. */
static int stays_in_contact(const Motion *motion, double t, double end) {
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

/* Settles the modes under inputs and states; returns 1 if a state was reset. */
static int settle_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    int reset = 0;
    for (int i = 0; i < SETTLING_AT_MOST; i++) {
        const Modes before = *m;
        if (next_modes(p, u, x, m)) reset = 1;
        if (memcmp(&before, m, sizeof before) == 0) break;
    }
    return reset;
}

/* Length of a step down to which an unstable motion is resolved; for a law alone the error estimate
 * is enough. Where stick breaks away, the motion of a body grows, and an L-stable method with long
 * steps would damp it and hold the body: its matrix then has a negative determinant. */
static double shortest_growing(const Motion *motion) {
    return motion->body ? motion->body->shortest : INFINITY;
}

/* Time at which the velocity reverses, or its magnitude is least, and the rates have a corner, so
 * that no step may include it; -1 where the velocity is constant, infinite where it is a state. */
static double time_of_reversal(const Motion *motion) {
    if (motion->held) return -1;
    if (motion->body) return INFINITY;
    const double *rate = input_values(motion->u_rate) + COUPLED_VELOCITY;
    const double *v = input_values(motion->u_start) + COUPLED_VELOCITY;
    const double square = dot_product(rate, rate);
    return square > 0 ? -dot_product(rate, v) / square : -1;
}
