/* Friction for hosts that hold its force over a step: the law acts on a shadow, a body of the mass
 * couplingMass with a velocity w of its own, and the host's body is held to it by a damper and a
 * spring. Such a host gives the velocity v[n] and a step h, and applies the force F[n] that it gets
 * in this step (at once) or in the next one (late). Each step
 *
 *   observes the load      e := the load nearest to e among those that the body may have met,
 *                          m (v[n] - v[n-1])/h + F_acted, F_acted between F[n-1] (at once) and
 *                          F[n-2] (late)
 *   advances the shadow    over the last step under e: what the law did under the load there was
 *   looks ahead            with a copy over this step under the same e: F_mean = e - m (w' - w)/h
 *   holds the body         F[n] = F_mean + k m (v[n] - w)/h* + (s - q F_mean),
 *                          s += q k m h (v[n] - w)/(lag h*^2)
 *
 * h* the longest of the last steps, which fades, s the force of the spring. The force goes no
 * further than the static limit of the present normal force, or than F_mean where the law is beyond
 * it. The excess v - w is momentum that friction did not take because it could not know the load
 * yet; it is no slip, so the law does not see it.
 *
 * F answers to a load one or two steps later (lag), so a load that rises by e' per time needs
 * k m v/h = lag h e': the body moves by lag h^2/(k m) times the load, as on a spring, the stiffest
 * that the step bears. So that nobody gives energy, s is the force of that very spring, scaled down
 * to a part q of the load: it is in balance there, and takes back only what the limit or noise has
 * added. Nothing is learnt. docs/coupling.md has the tables.
 */
#include <math.h>
#include <string.h>

/* Part of F[n-2] in the force that has acted, at least and at most, the gain k, and the steps until
 * a force answers to a load, in the order of couplingTiming. The loads that the body may have met
 * are an interval that holds the true one, so e never moves away from it, and a load that has
 * jumped while the force was steady is known at once, whatever the timing. With e known and r =
 * couplingMass/mass the loop in stick is linear: at once z = 1 - k r, dead beat at k = r = 1; late
 * z^2 - z + k r, a double root at k = 1/4, and the fewest steps to rest near 0.3. Contacts that
 * share a body at rest pull at each other without a trace in v, and each takes its own force for
 * its load: late that would be F[n-2] for ever, so half of F[n-1] is allowed there, too.
 * docs/coupling_stability.py computes all. */
typedef struct {
    double least, most, k, lag;
} Timing;

static const Timing timings[] = {{0, 1, 0.3, 2}, {0, 0, 1, 1}, {0.5, 1, 0.3, 2}};

/* Part of the load that the spring holds: the force is off by as much where the spring is not yet
 * loaded, and comes to rest within 1 % all the same. */
static const double SPRING_PART = 0.01;
/* Error of a trial step of law and body, relative to the change of velocity that matters: the mean
 * force is off by as much of what the contact holds, and the next step takes that for load. Errors
 * are judged along each axis: with 5e-5 the force on a point under a load that turns would depend
 * on the axes by 0.6 % of the load, with this by less than 0.1 %. */
static const double LOOP_TOLERANCE = N_AXES == 1 ? 5e-5 : 2.5e-5;
/* Part of a step down to which a departure from stick is followed: a load that is 1 % beyond the
 * limit moves a body by as much within a step as the tolerance is of the way. */
static const double LOOP_SHORTEST = 1.0 / 64;
/* Change of the load that the shadow may get a step later, relative to what the load is away from
 * the limit: a load within 1 % of the limit stays on its side. */
static const double LOOP_DEFERS = 0.01;
/* What is left after a step of the longest one, so that the gains do not jump with steps that vary:
 * twenty steps count, which is what the loop takes to settle. */
static const double LOOP_FADES = 0.95;

/* What is remembered from step to step. */
typedef struct {
    States x;                /* of the shadow at the start of the last step */
    Inputs u;                /* inputs then, with the velocity of the host's body */
    double w[N_AXES];        /* velocity of the shadow then */
    double h;                /* length of the step */
    double longest;          /* of the last steps, which fades */
    double w_end[N_AXES];    /* velocity of the shadow at its end, as it was looked ahead */
    double spring[N_AXES];   /* force of the spring between shadow and body */
    double force[2][N_AXES]; /* given, the last one first */
    double v_mean[N_AXES];   /* velocity expected on the average while the last one acts */
    double load[N_AXES];     /* observed, less what is given as an input */
    double kept;             /* part of a velocity given to the shadow that it has 20 steps later */
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
    const double square = dot_product(n, n), along = square > 0 ? dot_product(n, a) / square : 0;
    for (int i = 0; i < N_AXES; i++) a[i] -= along * n[i];
}

static double given_load(const Inputs *u, int i) {
    return COUPLED_LOAD >= 0 ? ((const double *)u)[COUPLED_LOAD + i] : 0;
}

static Outputs outputs_at(const Parameters *p, const Inputs *u, const States *x, const Modes *m) {
    States dx;
    Outputs y;
    evaluate(p, u, x, m, &dx, &y);
    return y;
}

/* The normal force at a point. */
static double pressing_force(const Parameters *p, const Inputs *u, const States *x,
                             const Modes *m) {
    const double preload = COUPLED_PRELOAD >= 0 ? ((const double *)p)[COUPLED_PRELOAD] : 0;
    if (PRESSING_INPUT >= 0) return ((const double *)u)[PRESSING_INPUT] + preload;
    const Outputs y = outputs_at(p, u, x, m);
    return ((const double *)&y)[PRESSING_OUTPUT];
}

static double lever_of(const Parameters *p) {
    return COUPLED_LEVER >= 0 ? ((const double *)p)[COUPLED_LEVER] : 1;
}

/* What the contact holds at most under a normal force, in the direction in which it holds most. */
static double most_held(const Parameters *p, double pressing) {
    const double *value = (const double *)p;
    return COUPLED_LIMIT >= 0 ? fmax(pressing, 0) * value[COUPLED_LIMIT] * lever_of(p) : 0;
}

/* The part of a velocity that is kept after a time h from a point on. A law without a slope at rest
 * is judged in the middle of the band of speeds that is rest to it, on the side of the load. */
static double kept_by_law(const loop_Motion *motion, const loop_Point *from, double h,
                          const double *direction) {
    if (COUPLED_REST < 0) return kept_velocity(from, h, direction);
    const Parameters *p = motion->of.p;
    const double rest = ((const double *)p)[COUPLED_REST] / lever_of(p);
    loop_States y = from->x;
    if (!(fabs(y.value[N_STATES]) < rest)) return kept_velocity(from, h, direction);
    y.value[N_STATES] = copysign(0.5 * rest, motion->load[0]);
    const loop_Point inside = loop_point_at(motion, from->t, &y, &from->m);
    return kept_velocity(&inside, h, direction);
}

static double size_of_force(const Parameters *p, Inputs u, const double *w, const States *x,
                            const Modes *m) {
    memcpy(velocity_of(&u), w, N_AXES * sizeof *w);
    const Outputs y = outputs_at(p, &u, x, m);
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
    const double size = norm_of(own), given = norm_of(force);
    double allowed = force[0] < 0 ? backward : forward;
    if (size > allowed && given > allowed && (N_AXES > 1 || force[0] * own[0] > 0)) {
        const Inputs end = inputs_at(motion, s->h);
        const double law = fmax(size_of_force(motion->p, s->u, s->w, &s->x, &c->m),
                                size_of_force(motion->p, end, s->w_end, x, m));
        allowed = fmax(allowed, fmin(size, law));
    }
    for (int i = 0; i < N_AXES && given > allowed; i++) force[i] *= allowed / given;
}

/* Law and shadow over an interval of length h under a load, from the inputs of a motion on; x, m
 * and w go to its end. Gives the part that is kept of a velocity along a direction, where asked
 * for. */
static int run_shadow(const Motion *motion, double h, const double *load, double speed, States *x,
                      Modes *m, double *w, const double *direction, double *kept) {
    Inputs start = *motion->u_start, rate = *motion->u_rate;
    loop_Motion of = {{motion->p, &start, &rate, LOOP_TOLERANCE, motion->held, NULL, NULL, 0},
                      LOOP_TOLERANCE,
                      motion->held,
                      1 / ((const double *)motion->p)[COUPLED_MASS],
                      {0},
                      speed,
                      h * LOOP_SHORTEST};
    loop_States y = loop_no_states;
    double step = 0;
    memcpy(y.value, x, N_STATES * sizeof(double));
    memcpy(y.value + N_STATES, w, N_AXES * sizeof(double));
    for (int i = 0; i < N_AXES; i++) {
        of.load[i] = load[i];
        if (COUPLED_LOAD < 0) continue;
        ((double *)&start)[COUPLED_LOAD + i] = load[i];
        ((double *)&rate)[COUPLED_LOAD + i] = 0;
    }
    loop_settle_at(&of, 0, &y, m);
    const loop_Point from = loop_point_at(&of, 0, &y, m);
    if (kept) *kept = kept_by_law(&of, &from, h / (1 - LOOP_FADES), direction);
    const int outcome = loop_advance_in_trials(&of, from, h, &y, m, &step);
    if (outcome == SOLVER_NOT_FINITE) return outcome;
    memcpy(x, y.value, N_STATES * sizeof(double));
    memcpy(w, y.value + N_STATES, N_AXES * sizeof(double));
    return outcome;
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

/* Observes the load over the last step, at the end of which the inputs are u; gives its change. */
static void observe(History *s, const Timing *timing, double mass, const Inputs *u,
                    double *change) {
    const double *v = (const double *)u + COUPLED_VELOCITY;
    double between[N_AXES]; /* what is met at once and what is met late */
    for (int i = 0; i < N_AXES; i++) {
        const double met = mass * (v[i] - velocity_of(&s->u)[i]) / s->h + s->force[0][i];
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

/* Observes the load over the last step, at the end of which the inputs are u, and takes states,
 * modes and velocity of the shadow over it. They come as they were looked ahead; where the load has
 * hardly changed since, that serves. */
static int follow_last_step(Coupling *c, const Parameters *p, const Inputs *u, const Timing *timing,
                            States *x, Modes *m, double *w) {
    History *s = &c->history;
    const double mass = ((const double *)p)[COUPLED_MASS],
                 *v = (const double *)u + COUPLED_VELOCITY;
    Inputs rate;
    double load[N_AXES], change[N_AXES];
    int outcome = SOLVER_DONE;
    observe(s, timing, mass, u, change);
    for (int i = 0; i < N_AXES; i++) load[i] = s->load[i] + given_load(&s->u, i);
    const int held = rates_between(&s->u, u, s->h, &rate);
    const double limit = most_held(p, pressing_force(p, &s->u, &s->x, &c->m));
    const double force = fmax(limit, norm_of(load));
    if (held && norm_of(change) <= LOOP_DEFERS * fabs(limit - norm_of(load))) {
        memcpy(w, s->w_end, sizeof s->w_end);
    } else {
        const Motion last = {p, &s->u, &rate, LOOP_TOLERANCE, held, NULL, NULL, 0};
        *x = s->x;
        *m = c->m;
        memcpy(w, s->w, sizeof s->w);
        outcome = run_shadow(&last, s->h, load, force * s->h / mass, x, m, w, change, NULL);
        if (outcome == SOLVER_NOT_FINITE) return outcome;
    }
#if HAS_CONSTRAIN
    constrain(p, &s->u, u, x);
#endif
    const double stiffness =
        SPRING_PART * timing->k * mass / (timing->lag * s->longest * s->longest);
    for (int i = 0; i < N_AXES; i++) s->spring[i] += stiffness * s->h * (v[i] - w[i]);
    return outcome;
}

/* One communication step of length h from the inputs u on, with their rates. States and modes come
 * as the last step has left them and go to the end of this one; c->history.force[0] is the force
 * that is given. */
static int step_shadow(const Motion *motion, double h, Coupling *c, States *x, Modes *m) {
    const Parameters *p = motion->p;
    const Timing *timing = &timings[m->timing - 1];
    const double mass = ((const double *)p)[COUPLED_MASS];
    History *s = &c->history;
    const Inputs u = *motion->u_start;
    const double *v = (const double *)&u + COUPLED_VELOCITY;
    double w[N_AXES] = {0}, load[N_AXES], own[N_AXES], force[N_AXES], excess[N_AXES];
    const int before = c->steps > 0 ? follow_last_step(c, p, &u, timing, x, m, w) : SOLVER_DONE;
    if (before == SOLVER_NOT_FINITE) return before;
    const double pressing = pressing_force(p, &u, x, m), limit = most_held(p, pressing);
    const int apart = !(pressing > 0) && motion->held;
    const double longest = s->longest = fmax(h, LOOP_FADES * s->longest);
    const int known = c->steps > 0 && !apart;
    for (int i = 0; i < N_AXES; i++) {
        excess[i] = known ? v[i] - w[i] : 0;
        load[i] = s->load[i] + given_load(&u, i);
    }
    project_onto_plane(&u, excess);
    project_onto_plane(&u, s->spring);
    project_onto_plane(&u, load);
    /* In slip friction does not care which of the velocities it sees: the shadow takes the excess
     * for its own, and the spring is loaded. Out of the plane law and body move together. */
    const double slips = fmax(0, 2 * s->kept - 1);
    for (int i = 0; i < N_AXES; i++) {
        s->w[i] = w[i] = v[i] - (1 - slips * timing->k) * excess[i];
        excess[i] *= 1 - slips;
    }
    s->x = *x;
    s->u = u;
    s->h = h;
    c->m = *m;
    c->steps = 1;
    const int outcome = run_shadow(motion, h, load, fmax(limit, norm_of(load)) * h / mass, x, m, w,
                                   excess, &s->kept);
    if (outcome == SOLVER_NOT_FINITE) return outcome;
    for (int i = 0; i < N_AXES; i++) {
        s->w_end[i] = w[i];
        own[i] = apart ? 0 : load[i] - mass * (w[i] - s->w[i]) / h;
        const double part = apart ? 0 : SPRING_PART * (own[i] - given_load(&u, i));
        s->spring[i] += (known ? slips : 1) * (part - s->spring[i]);
        force[i] = own[i] - part + s->spring[i] + timing->k * mass * excess[i] / longest;
    }
    limit_force(motion, c, limit, own, x, m, force);
    for (int i = 0; i < N_AXES; i++) {
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
