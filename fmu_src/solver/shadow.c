/* Friction for hosts that hold its force over a step: the law acts on a shadow, a body of the mass
 * couplingMass with a velocity w of its own, and the host's body is led back to it. Such a host
 * gives the velocity v[n] and a step h, and applies the force F[n] that it gets in this step (at
 * once) or in the next one (late). Each step
 *
 *   observes the load      e += beta (m (v[n] - v[n-1])/h + F_acted - e),   F_acted = (1 - late) F[n-1] + late F[n-2]
 *   advances the shadow    over the last step under e, law and body together: what the law did under the load that was there
 *   looks ahead            with a copy over this step under the same e: the mean force is F_mean = e - m (w' - w)/h
 *   leads the body back    F[n] = F_mean + k m (v[n] - w)/h* + k_x m xi/h*^2,   xi += h (v[n] - w),
 *
 * h* the longest of the last steps, which fades. The force goes no further than the static limit of
 * the present normal force, or than F_mean where the law is beyond it. The excess v - w is momentum
 * that friction did not take because it could not know the load yet; it is no slip, so the law does
 * not see it. Nothing is learnt. docs/coupling.md has the tables.
 */
#include <math.h>
#include <string.h>

/* The gains, in the order of couplingTiming. In stick w = 0, and with r = couplingMass/mass and k_x
 * = 0 the loop has the characteristic polynomials z^2 - 2(1 - r) z + (1 - r) at once (dead beat at
 * r = 1, stable up to 4/3) and, late, (z - 1)^2 (z + 1) + r (5/4 z - 1) (a double root at 1/2 for r
 * = 1, stable up to 7/4). docs/coupling_stability.py computes all of them with k_x, and common
 * Lyapunov functions for steps that vary. */
typedef struct {
    double late, beta, k, k_x;
} Gains;

static const Gains gains_of_timing[] = {
    {0.5, 0.3, 0.25, 0.005}, {0, 1, 1, 0.02}, {1, 1, 0.25, 0.005}};

static const double LOOP_TOLERANCE =
    1e-4; /* of the mean force, relative to what the contact holds */
static const double LOOP_SHORTEST =
    1.0 / 64; /* part of a step down to which a departure from stick is followed */
/* What is left after a step of the longest one, so that the gains do not jump with steps that vary,
 * and of what the warning of a mass too large is found from: twenty steps count. Also the part of
 * the motion that the force has to explain for it. */
static const double NEARLY = 0.95;

/* What is remembered from step to step. */
typedef struct {
    States x;                /* of the shadow at the start of the last step */
    Inputs u;                /* inputs then, with the velocity of the host's body */
    double w[N_AXES];        /* velocity of the shadow then */
    double h;                /* length of the step */
    double longest;          /* of the last steps, which fades */
    double w_end[N_AXES];    /* velocity of the shadow at its end, as it was looked ahead */
    double ahead[N_AXES];    /* way by which the body is ahead of the shadow */
    double force[3][N_AXES]; /* given, the last one first */
    double v_mean[N_AXES];   /* velocity expected on the average while the last one acts */
    double load[N_AXES];     /* observed, less what is given as an input */
    double swing
        [2]
        [2]; /* with either timing, sums that fade: squares of changes of the force, and what they explain */
    double turn;       /* the same of the squares of changes of the acceleration */
    double a[N_AXES];  /* acceleration over the step before the last */
    double kept;       /* part of a velocity given to the shadow that it has twenty steps later */
    Response response; /* of the end of the step, as it was looked ahead, to the load */
} History;

typedef struct {
    History history;
    Modes m;   /* with history.x */
    int steps; /* whether there has been one */
} Coupling;

/* What is known of the body, as the outputs have it. */
typedef struct {
    double load[N_AXES];
} Observed;

/* Leaves of a vector what lies in the plane of contact. */
static void project_onto_plane(const Inputs *u, double *a) {
    if (COUPLED_NORMAL < 0) return;
    const double *n = (const double *)u + COUPLED_NORMAL;
    const double square = dot_product(n, n);
    if (!(square > 0)) return;
    const double along = dot_product(n, a) / square;
    for (int i = 0; i < N_AXES; i++) a[i] -= along * n[i];
}

static double given_load(const Inputs *u, int i) {
    return COUPLED_LOAD >= 0 ? ((const double *)u)[COUPLED_LOAD + i] : 0;
}

/* The normal force at a point. */
static double pressing_force(const Parameters *p, const Inputs *u, const States *x,
                             const Modes *m) {
    const double preload = COUPLED_PRELOAD >= 0 ? ((const double *)p)[COUPLED_PRELOAD] : 0;
    if (PRESSING_INPUT >= 0) return ((const double *)u)[PRESSING_INPUT] + preload;
    States dx;
    Outputs y;
    evaluate(p, u, x, m, &dx, &y);
    return ((const double *)&y)[PRESSING_OUTPUT];
}

/* What the contact holds at most under a normal force, in the direction in which it holds most. */
static double most_held(const Parameters *p, double pressing) {
    const double *value = (const double *)p;
    const double lever = COUPLED_LEVER >= 0 ? value[COUPLED_LEVER] : 1;
    return COUPLED_LIMIT >= 0 ? fmax(pressing, 0) * value[COUPLED_LIMIT] * lever : 0;
}

static double size_of_force(const Parameters *p, Inputs u, const double *w, const States *x,
                            const Modes *m) {
    States dx;
    Outputs y;
    for (int i = 0; i < N_AXES; i++) velocity_of(&u)[i] = w[i];
    evaluate(p, &u, x, m, &dx, &y);
    return norm_of((const double *)&y + COUPLED_FORCE);
}

/* Takes the force no further than the limit, by direction, or than the mean force of the law where
 * the law itself is beyond the limit at one of the ends of the step. */
static void limit_force(const Motion *motion, const Coupling *c, double limit, const double *own,
                        const States *x, const Modes *m, double *force) {
    const History *s = &c->history;
    const double ratio = COUPLED_RATIO >= 0 ? ((const double *)motion->p)[COUPLED_RATIO] : 1;
    const double forward = N_AXES == 1 ? limit : limit * fmin(1, ratio),
                 backward = N_AXES == 1 ? ratio * limit : forward;
    const double side = own[0] < 0 ? backward : forward, size = norm_of(own);
    double most = side;
    if (size > side) {
        const Inputs end = inputs_at(motion, s->h);
        const double law = fmax(size_of_force(motion->p, s->u, s->w, &s->x, &c->m),
                                size_of_force(motion->p, end, s->w_end, x, m));
        most = fmax(side, fmin(size, law));
    }
    const double allowed = N_AXES > 1 || (force[0] < 0) == (own[0] < 0) ? most
                           : force[0] < 0                               ? backward
                                                                        : forward;
    const double given = norm_of(force);
    for (int i = 0; i < N_AXES && given > allowed; i++) force[i] *= allowed / given;
}

/* Law and shadow over an interval of length h under a load, from the inputs of a motion on; x, m
 * and w go to its end. */
static int run_shadow(const Motion *motion, double h, const double *load, double speed, States *x,
                      Modes *m, double *w, const double *given, double *kept, Response *response) {
    Inputs start = *motion->u_start, rate = *motion->u_rate;
    loop_Motion of = {{motion->p, &start, &rate, LOOP_TOLERANCE, motion->held, NULL, NULL},
                      LOOP_TOLERANCE,
                      motion->held,
                      1 / ((const double *)motion->p)[COUPLED_MASS],
                      {0},
                      speed,
                      h * LOOP_SHORTEST,
                      h,
                      response};
    loop_States y = loop_no_states;
    for (int i = 0; i < N_STATES; i++) y.value[i] = ((const double *)x)[i];
    for (int i = 0; i < N_AXES; i++) {
        y.value[N_STATES + i] = w[i];
        of.load[i] = load[i];
        if (COUPLED_LOAD < 0) continue;
        ((double *)&start)[COUPLED_LOAD + i] = load[i];
        ((double *)&rate)[COUPLED_LOAD + i] = 0;
    }
    const int outcome = advance_loop(&of, h, &y, m, given, h / (1 - NEARLY), kept);
    if (outcome == SOLVER_NOT_FINITE) return outcome;
    for (int i = 0; i < N_STATES; i++) ((double *)x)[i] = y.value[i];
    for (int i = 0; i < N_AXES; i++) w[i] = y.value[N_STATES + i];
    return outcome;
}

/* Changes states and velocity of the shadow at the end of the last step, as they were looked ahead,
 * by what they owe to a change of the load over it, where law and body are linear from the one end
 * to the other: the rates that are found there are those of the line, over the step to the
 * tolerance of the solution. Returns whether they are. */
static int shift_end(const Motion *last, const Coupling *c, const double *load,
                     const double *change, double speed, States *x, const Modes *m, double *w) {
    const History *s = &c->history;
    const Response *r = &s->response;
    const double per_mass = 1 / ((const double *)last->p)[COUPLED_MASS];
    if (COUPLED_LOAD >= 0 || r->known == 0 || !last->held) return 0;
    loop_Motion of = {*last, LOOP_TOLERANCE, 1, per_mass, {0}, speed, 0, s->h, NULL};
    loop_Point end = {s->h, loop_no_states, *m, loop_no_states, {{0}}};
    double *y = end.x.value, allowed[loop_N_STATES];
    for (int i = 0; i < N_STATES; i++) y[i] = ((const double *)x)[i];
    for (int i = 0; i < N_AXES; i++) {
        y[N_STATES + i] = w[i];
        of.load[i] = load[i];
    }
    Look before;
    loop_look(&of, &end, 0, 0, &end.x, &before);
    for (int i = 0; i < LINEAR_ROOM; i++)
        for (int a = 0; a < N_AXES; a++) y[i] += r->end_by[a][i] * per_mass * change[a];
    if (N_MODES > 0 && loop_indicator_changed(&of, &end, &before, 0, &end.x)) return 0;
    const loop_States rates = loop_rates_at(&of, s->h, &end.x, m);
    loop_allowed_errors(&of, &end, 0, &end.x, allowed);
    for (int i = 0; i < LINEAR_ROOM; i++) {
        double off = rates.value[i] - r->rate[i];
        for (int a = 0; a < N_AXES; a++) off -= r->end_rate_by[a][i] * per_mass * change[a];
        if (!(s->h * fabs(off) <= allowed[i])) return 0;
    }
    for (int i = 0; i < N_STATES; i++) ((double *)x)[i] = y[i];
    for (int i = 0; i < N_AXES; i++) w[i] = y[N_STATES + i];
    return 1;
}

/* How fast the inputs have changed over a step of length h; returns whether all but the velocity
 * and the load were held. */
static int rates_between(const Inputs *start, const Inputs *end, double h, Inputs *rate) {
    int held = 1;
    for (int i = 0; i < N_INPUTS; i++) {
        const double change = ((const double *)end)[i] - ((const double *)start)[i];
        const int found = (i >= COUPLED_VELOCITY && i < COUPLED_VELOCITY + N_AXES) ||
                          (COUPLED_LOAD >= 0 && i >= COUPLED_LOAD && i < COUPLED_LOAD + N_AXES);
        ((double *)rate)[i] = found ? 0 : change / h;
        if (change != 0 && !found) held = 0;
    }
    return held;
}

/* Sees how the acceleration answers to the force, for a warning alone: where the load is steady, m
 * da = -dF. */
static void watch_mass(Coupling *c, const double *v) {
    History *s = &c->history;
    double da[N_AXES];
    for (int i = 0; i < N_AXES; i++) {
        const double a = (v[i] - velocity_of(&s->u)[i]) / s->h;
        da[i] = a - s->a[i];
        s->a[i] = a;
    }
    s->turn = NEARLY * s->turn + dot_product(da, da);
    for (int late = 0; late < 2; late++) {
        double dF[N_AXES];
        for (int i = 0; i < N_AXES; i++) dF[i] = s->force[late][i] - s->force[late + 1][i];
        s->swing[late][0] = NEARLY * s->swing[late][0] + dot_product(dF, dF);
        s->swing[late][1] = NEARLY * s->swing[late][1] - dot_product(da, dF);
    }
}

/* Whether the force swings from one limit to the other and explains all of the motion with a mass
 * that is less than the one that was given by more than the loop bears at once, 4/3. */
static int mass_is_too_large(const Parameters *p, const Coupling *c) {
    const History *s = &c->history;
    const double limit = most_held(p, pressing_force(p, &s->u, &s->x, &c->m)),
                 mass = ((const double *)p)[COUPLED_MASS];
    for (int late = 0; late < 2; late++) {
        const double dF = s->swing[late][0], both = s->swing[late][1];
        if (dF > limit * limit / (1 - NEARLY) && both > 0 && both * both > NEARLY * dF * s->turn &&
            3 * both * mass > 4 * dF)
            return 1;
    }
    return 0;
}

/* Observes the load over the last step, at the end of which the inputs are u, and takes states,
 * modes and velocity of the shadow over it. They come as they were looked ahead, which is right if
 * the load has not changed by more than the solution resolves. */
static int follow_last_step(const Motion *motion, Coupling *c, const Inputs *u, const Gains *gains,
                            States *x, Modes *m, double *w) {
    History *s = &c->history;
    const Parameters *p = motion->p;
    const double mass = ((const double *)p)[COUPLED_MASS];
    Inputs end = *u, rate;
    double load[N_AXES], change[N_AXES], kept;
    Response response;
    int outcome = SOLVER_DONE;
    watch_mass(c, velocity_of(&end));

    for (int i = 0; i < N_AXES; i++) {
        const double acted = (1 - gains->late) * s->force[0][i] + gains->late * s->force[1][i];
        const double shown = mass * (velocity_of(&end)[i] - velocity_of(&s->u)[i]) / s->h + acted;
        change[i] = gains->beta * (shown - given_load(&s->u, i) - s->load[i]);
    }
    project_onto_plane(u, change);
    for (int i = 0; i < N_AXES; i++) {
        s->load[i] += change[i];
        load[i] = s->load[i] + given_load(&s->u, i);
        w[i] = s->w_end[i];
    }
    const int held = rates_between(&s->u, u, s->h, &rate);
    const double limit = most_held(p, pressing_force(p, &s->u, &s->x, &c->m));
    const double force = fmax(limit, norm_of(load));
    const double speed = force * s->h / mass;
    const Motion last = {p, &s->u, &rate, motion->tolerance, held, NULL, NULL};
    const int serves = held && norm_of(change) <= LOOP_TOLERANCE * force;
    if (!serves && !shift_end(&last, c, load, change, speed, x, m, w)) {
        *x = s->x;
        *m = c->m;
        for (int i = 0; i < N_AXES; i++) w[i] = s->w[i];
        outcome = run_shadow(&last, s->h, load, speed, x, m, w, change, &kept, &response);
        if (outcome == SOLVER_NOT_FINITE) return outcome;
    }
#if HAS_CONSTRAIN
    constrain(p, &s->u, u, x);
#endif
    for (int i = 0; i < N_AXES; i++) s->ahead[i] += s->h * (velocity_of(&end)[i] - w[i]);
    return outcome;
}

/* One communication step of length h from the inputs u on, with their rates. States and modes come
 * as the last step has left them and go to the end of this one; c->history.force[0] is the force
 * that is given. */
static int step_shadow(const Motion *motion, double h, Coupling *c, States *x, Modes *m) {
    const Parameters *p = motion->p;
    const Gains *gains = &gains_of_timing[m->timing - 1];
    const double mass = ((const double *)p)[COUPLED_MASS];
    History *s = &c->history;
    Inputs u = *motion->u_start;
    const double *v = velocity_of(&u);
    double w[N_AXES], load[N_AXES], own[N_AXES], force[N_AXES], excess[N_AXES], direction[N_AXES];
    const int before = c->steps > 0 ? follow_last_step(motion, c, &u, gains, x, m, w) : SOLVER_DONE;
    if (before == SOLVER_NOT_FINITE) return before;
    const double pressing = pressing_force(p, &u, x, m), limit = most_held(p, pressing);
    const int apart = !(pressing > 0) && motion->held;
    const double longest = s->longest = fmax(h, NEARLY * s->longest);
    for (int i = 0; i < N_AXES; i++) {
        const int known = c->steps > 0 && !apart;
        excess[i] = known ? v[i] - w[i] : 0;
        if (!known) s->ahead[i] = 0;
    }
    project_onto_plane(&u, excess);
    project_onto_plane(&u, s->ahead);
    for (int i = 0; i < N_AXES; i++) {
        w[i] = v[i] - excess[i]; /* out of the plane law and body move together */
        load[i] = s->load[i] + given_load(&u, i);
    }
    project_onto_plane(&u, load);
    const double slips = fmax(0, 2 * s->kept - 1);
    for (int i = 0; i < N_AXES; i++) {
        direction[i] = N_AXES == 1 ? 1 : excess[i];
        s->w[i] = w[i] += slips * gains->k * excess[i];
        excess[i] *= 1 - slips;
        s->ahead[i] *= 1 - slips * gains->k;
    }
    s->x = *x;
    s->u = u;
    s->h = h;
    c->m = *m;
    c->steps = 1;
    const double speed = fmax(limit, norm_of(load)) * h / mass;
    const int outcome =
        run_shadow(motion, h, load, speed, x, m, w, direction, &s->kept, &s->response);
    if (outcome == SOLVER_NOT_FINITE) return outcome;
    for (int i = 0; i < N_AXES; i++) {
        s->w_end[i] = w[i];
        own[i] = apart ? 0 : load[i] - mass * (w[i] - s->w[i]) / h;
        force[i] =
            own[i] + mass * (gains->k * excess[i] + gains->k_x * s->ahead[i] / longest) / longest;
    }
    limit_force(motion, c, limit, own, x, m, force);
    for (int i = 0; i < N_AXES; i++) {
        s->force[2][i] = s->force[1][i];
        s->force[1][i] = s->force[0][i];

        s->force[0][i] = force[i];
        s->v_mean[i] = v[i] + 0.5 * h * (load[i] - force[i]) / mass;
    }
    return outcome > before ? outcome : before;
}

/* The same; where that leads beyond all numbers, the shadow begins anew with the velocity of the
 * body. */
static int couple(const Motion *motion, double h, Coupling *c, States *x, Modes *m) {
    const States x_before = *x;
    const Modes m_before = *m;
    double sum = 0;
    const int outcome = step_shadow(motion, h, c, x, m);
    if (outcome != SOLVER_NOT_FINITE) {
        for (size_t i = 0; i < sizeof c->history / sizeof(double); i++)
            sum += 0 * ((const double *)&c->history)[i];
        if (isfinite(sum)) return outcome;
    }
    memset(c, 0, sizeof *c);
    *x = x_before;
    *m = m_before;
    return step_shadow(motion, h, c, x, m);
}

/* Puts the mean force of the last step, over which the mean velocity is v_mean, in place of that of
 * the law at its end, where the inputs are u, and all that depends on it. */
static void put_mean_force(const History *s, const Inputs *u, Outputs *y) {
    double *value = (double *)y, *F = value + COUPLED_FORCE;
    const double before = N_AXES == 1 ? F[0] : norm_of(F);
    const double now = N_AXES == 1 ? s->force[0][0] : norm_of(s->force[0]);
    const double power =
        dot_product(s->force[0], s->v_mean) - dot_product(F, (const double *)u + COUPLED_VELOCITY);
    for (size_t i = 0; i < sizeof proportional / sizeof *proportional; i++)
        if (before != 0) value[proportional[i]] *= now / before;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) value[powers[i]] += power;
    for (int i = 0; i < N_AXES; i++) {
        if (OPPOSED_FORCE >= 0) value[OPPOSED_FORCE + i] += F[i] - s->force[0][i];
        F[i] = s->force[0][i];
    }
}
