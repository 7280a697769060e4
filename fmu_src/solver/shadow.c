/* Friction for hosts that hold its force over a step: the law acts on a shadow, a body of the mass
 * couplingMass with a velocity w of its own, and the host's body is held to it by a damper and a
 * spring (docs/coupling.md). The host gives the velocity v[n] and a step h, and applies the force
 * F[n] in this step (at once) or in the next one (late). Each step
 *
 *   observes the load      e := the load nearest to e among those that the body may have met,
 *                          m (v[n] - v[n-1])/h + F_acted, F_acted between F[n-1] and F[n-2]
 *     advances the shadow    over the last step under e: what the law did under the load there was
 *   predicts               with a copy over this step under the same e: F_mean = e - m (w' - w)/h
 *   holds the body         F[n] = F_mean + k m (v[n] - w)/h* + (s - q F_mean),
 *                          s += q k m h (v[n] - w)/(lag h*^2)
 *
 * h* the longest of the last steps, which fades, s the force of the spring. F goes no further than
 * the static limit, or than F_mean where the law is beyond it. The excess v - w is momentum that
 * friction did not take because it could not know the load yet. */
#include <math.h>
#include <string.h>

/* Fraction of F[n-2] in the force that has acted, at least and at most, the gain k, and the steps
 * until a force responds to a load, in the order of couplingTiming. In stick, with e known and r =
 * couplingMass/mass, the loop is at once z = 1 - k r, dead beat at k = r = 1; late z^2 - z + k r, a
 * double root at k = 1/4, and the fewest steps to rest near 0.3. Of several contacts on one body at
 * rest each one attributes its own force to its load: late F[n-2] for ever, so half of F[n-1] is
 * allowed. */
typedef struct {
    double least, most, k, lag;
} Timing;

static const Timing timings[] = {{0, 1, 0.3, 2}, {0, 0, 1, 1}, {0.5, 1, 0.3, 2}};

/* Fraction q of the load that the spring carries: the force has that error where the spring is not
 * loaded yet, and still settles within 1 %. */
static const double SPRING_PART = 0.01;
/* Error of a trial step of law and body, relative to the change of velocity that matters: the mean
 * force has that error, relative to what the contact holds. In the plane with 5e-5 the force under
 * a rotating load would depend on the axes by 0.6 % of the load, with this by less than 0.1 %. */
static const double LOOP_TOLERANCE = N_AXES == 1 ? 1e-4 : 2.5e-5;
/* Fraction of a step down to which a departure from stick is resolved: there a load that is 1 %
 * beyond the limit moves a body by no more than the tolerance. */
static const double LOOP_SHORTEST = 1.0 / 64;
/* Change of the load, relative to its distance from the limit, up to which the shadow is not solved
 * again where its response is known to first order, and its square where not: the error is at most
 * 1 %. */
static const double LOOP_DEFERS = 0.1;

typedef struct {
    loop_States y;           /* shadow at the start of the last step */
    Inputs u;                /* inputs then, with the velocity of the host's body */
    double h;                /* length of the step; 0 before the first one */
    double longest;          /* of the last steps, fading */
    double w[N_AXES];        /* predicted velocity of the shadow at its end */
    double spring[N_AXES];   /* force of the spring between shadow and body */
    double force[2][N_AXES]; /* returned to the host, the last one first */
    double load[N_AXES];     /* observed, less what is known as an input */
    double remaining;        /* fraction of an excess that the shadow still has 20 steps later */
    double by_load[loop_N_STATES]; /* response at its end to a load of 1 over the step */
    Modes m;                       /* with y */
    int smooth;                    /* one step was enough, so that by_load is known */
} Shadow;

/* Projects a vector onto the plane of contact. */
static void project_onto_plane(const Inputs *u, double *a) {
    if (COUPLED_NORMAL < 0) return;
    const double *n = input_values(u) + COUPLED_NORMAL;
    const double square = dot_product(n, n), along = square > 0 ? dot_product(n, a) / square : 0;
    for (int i = 0; i < N_AXES; i++) a[i] -= along * n[i];
}

static double given_load(const Inputs *u, int i) {
    return COUPLED_LOAD >= 0 ? input_values(u)[COUPLED_LOAD + i] : 0;
}

/* A parameter, or its default in models without it. */
static double parameter_or(const Parameters *p, int place, double without) {
    return place >= 0 ? parameter_values(p)[place] : without;
}

/* The largest force that the contact holds, in the direction of the larger limit. */
static double most_held(const Parameters *p, const Inputs *u, const States *x, const Modes *m) {
    const double friction = parameter_or(p, COUPLED_LIMIT, 0) * parameter_or(p, COUPLED_LEVER, 1);
    if (NORMAL_FORCE_INPUT >= 0)
        return friction *
               fmax(input_values(u)[NORMAL_FORCE_INPUT] + parameter_or(p, COUPLED_PRELOAD, 0), 0);
    States dx;
    Outputs y;
    evaluate(p, u, x, m, &dx, &y);
    return friction * fmax(output_values(&y)[NORMAL_FORCE_OUTPUT], 0);
}

/* Magnitude of the force of the law at one end of a step; 0 if it points against the mean one. */
static double size_of_force(const Parameters *p, Inputs u, const loop_States *y, const Modes *m,
                            const double *mean) {
    States dx;
    Outputs out;
    memcpy(velocity_of(&u), y->value + N_STATES, N_AXES * sizeof(double));
    evaluate(p, &u, loop_law_part(y), m, &dx, &out);
    const double *force = output_values(&out) + COUPLED_FORCE;
    return dot_product(force, mean) > 0 ? norm_of(force) : 0;
}

/* Bounds the force by the limit, by direction. Where the law itself exceeds the limit at one of the
 * ends of the step, the later one at y, the bound is the mean force of the law, in its direction:
 * the limit of one axis does not apply to another with less friction. */
static void limit_force(const Motion *motion, Shadow *s, double most, const double *own,
                        const loop_States *y, const Modes *m) {
    const Parameters *p = motion->p;
    const double ratio = parameter_or(p, COUPLED_RATIO, 1);
    const double size = norm_of(own), given = norm_of(s->force[0]);
    const double *towards = s->force[0];
    double allowed = N_AXES > 1 ? fmin(1, ratio) * most : s->force[0][0] < 0 ? ratio * most : most;
    if (given <= allowed) return;
    if (size > allowed && dot_product(own, s->force[0]) > 0) {
        const double law = fmax(size_of_force(p, s->u, &s->y, &s->m, own),
                                size_of_force(p, inputs_at(motion, s->h), y, m, own));
        allowed = fmin(given, fmax(allowed, fmin(size, law)));
        towards = own;
    }
    const double part = allowed / norm_of(towards);
    for (int i = 0; i < N_AXES; i++) s->force[0][i] = part * towards[i];
}

/* Advances the shadow by a time h under a load, from the inputs of a motion. In a prediction, also
 * finds the fraction of an excess that remains, and the response to more of a load. */
static int run_shadow(Motion motion, double h, const double *load, double most, loop_States *y,
                      Modes *m, const double *excess, Shadow *s) {
    const double inverse_mass = 1 / parameter_values(motion.p)[COUPLED_MASS];
    const Body body = {inverse_mass, fmax(most, norm_of(load)) * h * inverse_mass,
                       h * LOOP_SHORTEST, load};
    motion.tolerance = LOOP_TOLERANCE;
    motion.body = &body;
    loop_settle_at(&motion, 0, y, m);
    loop_Point from = loop_point_at(&motion, 0, y, m);
    /* a law without a slope at rest states up to which velocity it is at rest */
    const double speed = fabs(from.x.value[N_STATES]) * parameter_or(motion.p, COUPLED_LEVER, 1);
    const int is_at_rest = speed < parameter_or(motion.p, COUPLED_REST, 0);
    if (s)
        s->remaining =
            is_at_rest ? 0 : remaining_velocity(&motion, &from, h / (1 - LONGEST_FADES), excess);
    if (s && N_AXES == 1) respond_to_load(&motion, &from, h, s->remaining, s->by_load);
    const int outcome = advance_together(&motion, &from, h, y, m);
    if (s) s->smooth = N_AXES == 1 && from.t == 0;
    return outcome;
}

/* Observes the load over the last step, at whose end the inputs are u; finds its change. */
static void observe(Shadow *s, const Timing *timing, double mass, const Inputs *u, double *change) {
    const double *v = input_values(u) + COUPLED_VELOCITY;
    double between[N_AXES]; /* the loads for a force at once and for a late one */
    for (int i = 0; i < N_AXES; i++) {
        const double met =
            mass * (v[i] - input_values(&s->u)[COUPLED_VELOCITY + i]) / s->h + s->force[0][i];
        change[i] = met - given_load(&s->u, i) - s->load[i];
        between[i] = s->force[1][i] - s->force[0][i];
    }
    project_onto_plane(u, change);
    project_onto_plane(u, between);
    const double square = dot_product(between, between);
    const double nearest = square > 0 ? -dot_product(change, between) / square : 0;
    const double late = fmin(fmax(nearest, timing->least), timing->most);
    for (int i = 0; i < N_AXES; i++) s->load[i] += change[i] += late * between[i];
}

/* Advances the shadow over the last step, to the inputs u, under the observed load. The prediction
 * is used where that has hardly changed since, and no other input but velocity. */
static int follow_last_step(Shadow *s, const Parameters *p, const Inputs *u, const Timing *timing,
                            loop_States *y, Modes *m) {
    Inputs rate;
    double load[N_AXES], change[N_AXES];
    int outcome = SOLVER_DONE;
    observe(s, timing, parameter_values(p)[COUPLED_MASS], u, change);
    for (int i = 0; i < N_AXES; i++) load[i] = s->load[i] + given_load(&s->u, i);
    for (int i = 0; i < N_INPUTS; i++)
        input_places(&rate)[i] = (input_values(u)[i] - input_values(&s->u)[i]) / s->h;
    memset(velocity_of(&rate), 0, sizeof load);
    if (COUPLED_LOAD >= 0) memset(input_places(&rate) + COUPLED_LOAD, 0, sizeof load);
    const int held = are_held(&rate);
    const double most = most_held(p, &s->u, loop_law_part(&s->y), &s->m);
    const double small = LOOP_DEFERS * (s->smooth ? 1 : LOOP_DEFERS) * fabs(most - norm_of(load));
    for (int i = 0; s->smooth && i < loop_N_STATES; i++) y->value[i] += s->by_load[i] * change[0];
    if (!held || norm_of(change) > small) {
        const Motion last = {p, &s->u, &rate, 0, held, NULL, NULL, 0, NULL};
        *y = s->y;
        *m = s->m;
        outcome = run_shadow(last, s->h, load, most, y, m, NULL, NULL);
    }
#if HAS_CONSTRAIN
    constrain(p, &s->u, u, (States *)y->value);
#endif
    return outcome;
}

/* Makes a communication step of length h from the inputs u, with their rates: advances states and
 * modes, and finds s->force[0]. If that overflows, the shadow is cleared. */
static int step_shadow(const Motion *motion, double h, Shadow *s, States *x, Modes *m) {
    const Parameters *p = motion->p;
    const Timing *timing = &timings[m->timing - 1];
    const double mass = parameter_values(p)[COUPLED_MASS];
    Inputs u = *motion->u_start;
    const double *v = velocity_of(&u);
    const int known = s->h > 0;
    double load[N_AXES], own[N_AXES], excess[N_AXES];
    loop_States y;
    Modes now = *m;
    double *w = y.value + N_STATES;
    memcpy(y.value, x, N_STATES * sizeof(double));
    memcpy(w, known ? s->w : v, sizeof s->w);
    const int before = known ? follow_last_step(s, p, &u, timing, &y, &now) : SOLVER_DONE;
    /* In slip friction is the same for both velocities: the shadow adopts the excess, and the
     * spring is loaded. Out of the plane law and body move together. */
    const double slips = known ? fmax(0, 2 * s->remaining - 1) : 1;
    for (int i = 0; i < N_AXES; i++) excess[i] = v[i] - w[i];
    project_onto_plane(&u, excess);
    for (int i = 0; i < N_AXES; i++) {
        if (known)
            s->spring[i] += SPRING_PART * timing->k * mass * s->h * excess[i] /
                            (timing->lag * s->longest * s->longest);
        w[i] = v[i] - (1 - slips * timing->k) * excess[i];
        excess[i] *= 1 - slips;
        load[i] = s->load[i] + given_load(&u, i);
    }
    project_onto_plane(&u, s->spring);
    project_onto_plane(&u, load);
    s->y = y;
    s->u = u;
    s->h = h;
    s->longest = fmax(h, LONGEST_FADES * s->longest);
    s->m = now;
    const double most = most_held(p, &u, loop_law_part(&y), &now);
    const int outcome = run_shadow(*motion, h, load, most, &y, &now, excess, s);
    memcpy(s->w, w, sizeof s->w);
    memcpy(s->force[1], s->force[0], sizeof s->force[0]);
    for (int i = 0; i < N_AXES; i++) {
        own[i] = load[i] - mass * (w[i] - s->y.value[N_STATES + i]) / h;
        const double part = SPRING_PART * (own[i] - given_load(&u, i));
        s->spring[i] += slips * (part - s->spring[i]);
        s->force[0][i] = own[i] - part + s->spring[i] + timing->k * mass * excess[i] / s->longest;
    }
    limit_force(motion, s, most, own, &y, &now);
    const int worst = outcome > before ? outcome : before;
    if (worst == SOLVER_NOT_FINITE ||
        !isfinite(dot_product(w, w) + dot_product(s->force[0], s->force[0]))) {
        memset(s, 0, sizeof *s);
        return SOLVER_NOT_FINITE;
    }
    memcpy(x, y.value, N_STATES * sizeof(double));
    *m = now;
    return worst;
}

/* The same; a shadow that has been cleared starts again with the velocity of the body. */
static int advance_with_shadow(const Motion *motion, double h, Shadow *s, States *x, Modes *m) {
    const int known = s->h > 0, outcome = step_shadow(motion, h, s, x, m);
    return known && outcome == SOLVER_NOT_FINITE ? step_shadow(motion, h, s, x, m) : outcome;
}
