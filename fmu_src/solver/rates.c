/* The law in an ODE: its states alone, or before the velocity of a body that the motion carries.
 *
 *     dx/dt = evaluate(p, u(t), x, m),   with a body   mass dw/dt = load - F(x, w),   w in u(t) */
#include <math.h>
#include <string.h>

static int settle_modes(const Parameters *p, const Inputs *u, LawStates *x, Modes *m);

static const LawStates *law_part(const States *x) {
    return (const LawStates *)x;
}

static Inputs inputs_of(const Motion *motion, double t, const States *x) {
    Inputs u = inputs_at(motion, t);
    for (int i = 0; i < N_STATES - LAW_STATES; i++) {
        input_places(&u)[COUPLED_VELOCITY + i] = state_values(x)[LAW_STATES + i];
        if (COUPLED_LOAD >= 0) input_places(&u)[COUPLED_LOAD + i] = motion->body->load[i];
    }
    return u;
}

/* Combines the rates of law and body, or with `changing` 0 their slopes, in which the load is
 * constant. */
static void put_rates(const Motion *motion, const LawStates *dx, const Outputs *y, double changing,
                      States *f) {
    memcpy(f, dx, LAW_STATES * sizeof(double));
    for (int i = LAW_STATES; i < N_STATES; i++) {
        const double load = changing * motion->body->load[i - LAW_STATES];
        const double force = output_values(y)[COUPLED_FORCE + i - LAW_STATES];
        state_places(f)[i] = (load - force) * motion->body->inverse_mass;
    }
}

FLATTENED static States rates_at(const Motion *motion, double t, const States *x, const Modes *m) {
    States f = no_states;
    LawStates dx = no_law_states;
    Outputs y;
    const Inputs u = inputs_of(motion, t, x);
    evaluate(motion->p, &u, law_part(x), m, &dx, &y);
    put_rates(motion, &dx, &y, 1, &f);
    return f;
}

/* Time derivatives of the rates, from moving inputs other than those of the body. */
FLATTENED static States rate_derivatives(const Motion *motion, const Point *point) {
    States f_rate = no_states;
    LawStates dx, dx_slope = no_law_states;
    Outputs y, y_slope;
    const Inputs u = inputs_of(motion, point->t, &point->x);
    Inputs u_seed = *motion->u_rate;
    for (int i = 0; i < N_STATES - LAW_STATES; i++) {
        input_places(&u_seed)[COUPLED_VELOCITY + i] = 0;
        if (COUPLED_LOAD >= 0) input_places(&u_seed)[COUPLED_LOAD + i] = 0;
    }
    evaluate_slopes(motion->p, &no_parameters, &u, &u_seed, law_part(&point->x), &no_law_states,
                    &point->m, &dx, &dx_slope, &y, &y_slope);
    put_rates(motion, &dx_slope, &y_slope, 0, &f_rate);
    return f_rate;
}

/* Evaluates a point with its rates and their Jacobian. */
FLATTENED static Point full_point_at(const Motion *motion, double t, const States *x,
                                     const Modes *m) {
    Point point = {t, *x, *m, no_states, {{0}}};
    const Inputs u = inputs_of(motion, t, x);
    LawStates dx = no_law_states, dx_slope = no_law_states;
    Outputs y, y_slope;
    States slope;
    for (int j = 0; j < N_STATES; j++) {
        LawStates x_seed = no_law_states;
        Inputs u_seed = no_inputs;
        if (j < LAW_STATES) {
            ((double *)&x_seed)[j] = 1;
            evaluate_state_slopes(motion->p, &u, law_part(x), &x_seed, m, &dx, &dx_slope, &y,
                                  &y_slope);
        } else {
            input_places(&u_seed)[COUPLED_VELOCITY + j - LAW_STATES] = 1;
            evaluate_slopes(motion->p, &no_parameters, &u, &u_seed, law_part(x), &no_law_states, m,
                            &dx, &dx_slope, &y, &y_slope);
        }
        put_rates(motion, &dx_slope, &y_slope, 0, &slope);
        for (int i = 0; i < N_STATES; i++) point.J[i][j] = state_values(&slope)[i];
    }
    if (N_STATES > 0) put_rates(motion, &dx, &y, 1, &point.f);
    return point;
}

/* Indicators at a point. A computed normal force may come and go within a step, so it takes the
 * place of its indicator, which has a gap at its root (common/contact_events.h). */
static void indicators_at(const Motion *motion, double t, const States *x, const Modes *m,
                          double *g) {
    const Inputs u = inputs_of(motion, t, x);
#if HAS_APPROACH
    (void)m;
    g[0] = normal_force(motion->p, &u);
#else
    indicators(motion->p, &u, law_part(x), m, g);
#endif
}

/* Settles the modes at the time t of a communication step, and reports it; returns whether the step
 * ends there. */
static int settle_at(const Motion *motion, double t, States *x, Modes *m) {
    const Modes before = *m;
    if (N_MODES > 0) {
        const Inputs u = inputs_of(motion, t, x);
        settle_modes(motion->p, &u, (LawStates *)x, m);
        if (memcmp(&before, m, sizeof before) == 0) return 0;
    }
    return motion->on_event ? motion->on_event(motion->log, t, &before, m) : 0;
}
