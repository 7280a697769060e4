/* Co-simulation that closes the loop over the body, for hosts that hold the friction force over a step.
 *
 * Such a host gives the velocity v[n], asks for a step, and moves the body with the force F[n] that it gets:
 *
 *     m (v[n+1] - v[n])/h = e - F[n]     at once, as a plain loop over both does, or
 *     m (v[n+2] - v[n+1])/h = e - F[n]   one step late, as masters do that step all parts side by side.
 *
 * Where the law is steep against m/h, the force of the law at v[n] shakes the body to and fro. So the element observes the load e, all
 * other forces on the body, from the velocities and its own forces, solves law and body together over the interval in which its
 * output will act (closed_loop.c), and gives the mean force of it. Then the host's step ends where the continuous system would be.
 *
 * What the states have done is found in the same way with the load that has shown itself when the velocity at the end of a
 * step is known, so that a wrong prediction does not stay in them. The law has a velocity w of its own in this: the one that the body would
 * have if its load had been known in time. The excess v - w is momentum that friction did not take because it could not know; it is no slip.
 * The contact takes it in the following step, as far as it holds load and excess together; only the rest is a force on the law.
 *
 * The mass is learnt from jumps of the acceleration that follow jumps of the own force, m da = -dF; from what comes of a load that
 * jumps or creeps nothing is learnt, because there the two do not go together. Whether the output acts at once or late shows in which
 * of the two forces goes together with the acceleration. Where neither does, the motion is not a matter of the force, as where it is
 * prescribed, and the law follows it as without all this.
 */
#include <math.h>

static const double FORGETTING = 0.9;   /* of what was learnt, with each thing that is */
static const double FIRST_GUESS = 0.02; /* weight of couplingMass against the first thing that is learnt */
static const double NOTICEABLE = 0.01;  /* part of the largest recent force beneath which nothing is learnt */
static const double FADING = 0.999;     /* of the largest recent force, with each step */
static const double ALIKE = 8;          /* ratio of m da and dF up to which they are taken for each other's cause */
static const double RANGE = 16;         /* of the estimated mass to both sides of couplingMass */
static const double OTHER_TIMING = 2;   /* times the evidence that changes the mind about when the output acts */
static const double BETTER_TIMING =
    0.25; /* part of the motion that is left unexplained by the other one, which does so too */
static const double ROUNDED =
    1e-9; /* part of the motion that is left of a single sample, which either timing explains */
static const double LATE_GAIN = 0.6; /* of the load's observer where the output acts late and is in doubt; else 1 */
static const double FAR_FROM_LIMIT =
    0.9; /* part of the limit up to which a law is taken for linear in small changes of the load */
static const double DOUBT = 0.05;    /* part of the motion that is left unexplained where it is not */
static const double UNRELATED = 0.3; /* correlation beneath which force and motion have nothing to do with each other */
static const double MISFIT =
    0.25; /* part of the force or the motion, whichever is larger, by which a sample may miss the mass that is known and still fit it */
static const double UNANSWERED = 1e-4; /* part of the square of a force beneath which nothing has answered to it */
static const double STEADY =
    0.25; /* part of the change of the load by which the next one may differ and still go on as before */
static const double SURPRISE = 1e-6; /* change of the load, against the largest recent force, that changes the states */
static const double FAINT =
    1e-3; /* velocity of the law, against the excess, beneath which it is not told from rounding */
static const double TRACE = 1e-4; /* of the excess which then shows the law the way that the body is pushed */
enum {
    FEW = 3,
    ENOUGH = 12,
    PAST = 3
}; /* samples before an explanation is trusted, before its lack is; forces that are remembered */

/* How the acceleration has changed, and with it the force with either timing: da^2, -da dF and dF^2. */
typedef struct {
    double motion, fit[2], effort[2];
} Sample;

enum { SENSITIVITIES = N_AXES == 1 ? N_LOOP : 1 }; /* in space the room is too dear, and the step is solved anew */

/* The first steps in which forces act are kept until mass and timing have shown themselves, since states remember what was made of them before. In space the bristles
 * forget, and the room is too dear. */
enum { FIRST_STEPS = N_AXES == 1 && N_STATES > 0 ? 8 : 1, GROWN = FIRST_STEPS + 1 };
static const double OTHER_MASS = 1e-3; /* part of the mass by which it changes for the first steps to be made again */

typedef struct {
    Inputs u;             /* at its start */
    double h;             /* its length */
    double force[N_AXES]; /* that was given in it */
} Step;

/* What is remembered from step to step. */
typedef struct {
    States x;                          /* at the start of the last step, as its velocities have made them */
    Inputs u;                          /* inputs then */
    double w[N_AXES];                  /* velocity of the law then: the body's without its excess */
    double h;                          /* its length */
    double v_end[N_AXES];              /* velocity expected at its end */
    double w_end[N_AXES];              /* velocity of the law expected there */
    double rest[N_AXES];               /* force by which the law had to take its excess for its own */
    double limit;                      /* what the contact holds at most */
    double sensitivity[SENSITIVITIES]; /* how the states and w_end change with the load on a line */
    double v_mean[N_AXES];             /* velocity expected on the average while its force acts */
    double a[N_AXES];                  /* acceleration over the step before */
    double force[PAST][N_AXES];        /* given, the last one first */
    double load[N_AXES];               /* observed, less what is given as an input */
    double change[N_AXES];             /* of it per time over the last step */
    double mass[2], A[2], B[2];        /* estimate for either timing, sums of da^2 and -da dF over what fits */
    double E[2], motion[2], effort[2]; /* weighted sums of -da dF, da^2 and dF^2 over all that is noticeable */
    Sample doubtful;                   /* one that did not go with what was known, where its motion is not zero */
    double largest;                    /* recent force */
    States x_first;                    /* at the start of the first steps, with the velocity of the law */
    double w_first[N_AXES];
    Step first[FIRST_STEPS];
} History;

typedef struct {
    History history;
    Modes m;               /* with seen.x */
    Modes m_first;         /* with seen.x_first */
    int steps;             /* that have been seen, counted up to PAST */
    int samples;           /* that were noticeable, counted up to ENOUGH */
    int late;              /* the output acts one step late */
    int load_given;        /* the load has come as an input */
    int sensitivity_known; /* seen.sensitivity is known */
    int kept;              /* how many of the first steps are; GROWN when they are no longer */
} Coupling;

/* What is known of the body, as the outputs have it. */
typedef struct {
    double mass;
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

/* Lets the law have the load, where it asks for it and is not given it. */
static void set_load(const Coupling *c, const double *load, Inputs *u) {
    if (COUPLED_LOAD < 0 || c->load_given) return;
    for (int i = 0; i < N_AXES; i++) ((double *)u)[COUPLED_LOAD + i] = load[i];
}

static double given_load(const Coupling *c, const Inputs *u, int i) {
    return COUPLED_LOAD >= 0 && c->load_given ? ((const double *)u)[COUPLED_LOAD + i] : 0;
}

static void set_mass(History *s, int timing, double guess) {
    s->mass[timing] = fmin(fmax(s->B[timing] / s->A[timing], guess / RANGE), guess * RANGE);
}

static void estimate_mass(History *s, int timing, const Sample *sample, double guess) {
    const double m = s->mass[timing], m_da = m * m * sample->motion, effort = sample->effort[timing];
    const double alike = ALIKE * ALIKE;
    if (!(sample->fit[timing] > 0) || m_da > alike * effort || effort > alike * m_da) return;
    if (s->A[timing] == 0) {
        s->A[timing] = FIRST_GUESS * sample->motion;
        s->B[timing] = s->A[timing] * guess;
    }
    s->A[timing] = FORGETTING * s->A[timing] + sample->motion;
    s->B[timing] = FORGETTING * s->B[timing] + sample->fit[timing];
    set_mass(s, timing, guess);
}

/* The part of the motion that the force explains if it acts with this timing, and the part that it does not. */
static double explained(const History *s, int timing) {
    const double E = s->E[timing];
    return E > 0 ? E * E / s->effort[timing] : 0;
}

static double unexplained(const History *s, int timing) {
    return s->motion[timing] - explained(s, timing);
}

/* Whether the force explains the motion so well that mass and timing need not be doubted. */
static int is_explained(const Coupling *c) {
    return c->samples >= FEW && unexplained(&c->history, c->late) < DOUBT * c->history.motion[c->late];
}

/* Where the force explains all motion with another mass than the one that was learnt from what is alike, that is the mass: one that is far off finds nothing alike
 * any more. */
static void correct_mass(Coupling *c, double guess) {
    History *s = &c->history;
    const int timing = c->late;
    if (!is_explained(c) || fabs(s->E[timing] - s->mass[timing] * s->motion[timing]) < MISFIT * s->E[timing]) return;
    s->A[timing] = s->motion[timing];
    s->B[timing] = s->E[timing];
    set_mass(s, timing, guess);
}

/* Whether the motion is what the force that acts as is known makes of the mass that is known. */
static int is_consistent(const Coupling *c, const Sample *sample) {
    const double m = c->history.mass[c->late], m_da = m * m * sample->motion, effort = sample->effort[c->late];
    return m_da - 2 * m * sample->fit[c->late] + effort < MISFIT * MISFIT * fmax(m_da, effort);
}

static void count_sample(Coupling *c, const Sample *sample, double guess) {
    History *s = &c->history;
    const double m = s->mass[c->late];
    const double weight =
        1 / (m * m * sample->motion +
             fmax(sample->effort[0], sample->effort[1])); /* so that a load that jumps counts no more than others */
    for (int timing = 0; timing < 2; timing++) {
        s->E[timing] = FORGETTING * s->E[timing] + weight * sample->fit[timing];
        s->motion[timing] = FORGETTING * s->motion[timing] + weight * sample->motion;
        s->effort[timing] = FORGETTING * s->effort[timing] + weight * sample->effort[timing];
        estimate_mass(s, timing, sample, guess);
    }
    const int other = !c->late;
    if (explained(s, other) > OTHER_TIMING * explained(s, c->late) ||
        (unexplained(s, c->late) > ROUNDED * s->motion[c->late] &&
         unexplained(s, other) < BETTER_TIMING * unexplained(s, c->late)))
        c->late = other;
    if (c->samples < ENOUGH) c->samples++;
    correct_mass(c, guess);
}

/* Learns from the velocity v at the end of the step before how the body answers. */
static void update_estimates(Coupling *c, const double *v, double guess) {
    History *s = &c->history;
    double a[N_AXES], da[N_AXES], dF[2][N_AXES];
    for (int i = 0; i < N_AXES; i++) {
        a[i] = (v[i] - velocity_of(&s->u)[i]) / s->h;
        da[i] = a[i] - s->a[i];
        dF[0][i] = s->force[0][i] - s->force[1][i];
        dF[1][i] = s->force[1][i] - s->force[2][i];
        s->a[i] = a[i];
    }
    s->largest = fmax(FADING * s->largest, norm_of(s->force[0]));
    if (c->steps < PAST - 1) return;
    const double m = s->mass[c->late], floor = NOTICEABLE * NOTICEABLE * s->largest * s->largest;
    const Sample sample = {dot_product(da, da),
                           {-dot_product(da, dF[0]), -dot_product(da, dF[1])},
                           {dot_product(dF[0], dF[0]), dot_product(dF[1], dF[1])}};
    if (c->samples == 0 && sample.effort[0] > floor && sample.effort[1] <= UNANSWERED * sample.effort[0]) {
        if (!c->late && m * m * sample.motion <= UNANSWERED * sample.effort[0]) c->late = 1;
        count_sample(c, &sample, guess);
        return;
    }
    if (c->steps < PAST) return;
    if (!(m * m * sample.motion > floor && fmax(sample.effort[0], sample.effort[1]) > floor)) return;
    const int consistent = is_consistent(c, &sample);
    if (!consistent && s->doubtful.motion == 0 && is_explained(c)) {
        s->doubtful = sample;
        return;
    }
    if (!consistent && s->doubtful.motion > 0) count_sample(c, &s->doubtful, guess);
    s->doubtful.motion = 0;
    count_sample(c, &sample, guess);
}

/* Observes the load: gives the one that has shown itself in the last step, and how fast it goes on to change. Late it would be two steps behind, so one that changes steadily
 * and by little is followed further; by little, so that it does no harm where it was a mistake. */
static void observe(Coupling *c, double *shown, double *trend) {
    History *s = &c->history;
    const double gain = c->late && !is_explained(c) ? LATE_GAIN : 1;
    double now[N_AXES], turn[N_AXES];
    for (int i = 0; i < N_AXES; i++) {
        shown[i] = s->mass[c->late] * s->a[i] + s->force[c->late][i];
        const double change = gain * (shown[i] - given_load(c, &s->u, i) - s->load[i]);
        now[i] = change / s->h;
        turn[i] = now[i] - s->change[i];
        s->load[i] += change;
    }
    const double fast = norm_of(now), before = norm_of(s->change);
    const int goes_on = c->late && norm_of(turn) < STEADY * fmax(fast, before) && fast * s->h < NOTICEABLE * s->largest;
    for (int i = 0; i < N_AXES; i++) {
        trend[i] = !goes_on ? 0 : fast < before ? now[i] : s->change[i];
        s->change[i] = now[i];
    }
}

/* Whether the motion is seen not to be a matter of the force. */
static int is_unrelated(const Coupling *c) {
    const History *s = &c->history;
    return c->samples == ENOUGH && !(s->E[c->late] > UNRELATED * sqrt(s->motion[c->late] * s->effort[c->late]));
}

/* Makes a force no larger than the limit. */
static void limit_norm(double *force, double limit) {
    const double size = norm_of(force);
    for (int i = 0; i < N_AXES && size > limit; i++) force[i] *= limit / size;
}

/* What of the excess of the velocity v over that of the law, as a force over an interval of length h, the contact can hold beside the load, and the rest of it. */
static void share_excess(const Coupling *c, const double *load, double h, const double *v, const double *w,
                         double *held, double *rest) {
    double alone[N_AXES];
    for (int i = 0; i < N_AXES; i++) {
        rest[i] = c->history.mass[c->late] * (v[i] - w[i]) / h;
        alone[i] = load[i];
        held[i] = load[i] + rest[i];
    }
    limit_norm(alone, c->history.limit);
    limit_norm(held, c->history.limit);
    for (int i = 0; i < N_AXES; i++) {
        held[i] -= alone[i];
        rest[i] -= held[i];
    }
}

/* Law and body over an interval of length h under the load and the rest of an excess, with the velocity w, which goes to its end: gives the mean
 * force. 1 where the run fails. */
static int run_loop(const Motion *motion, Coupling *c, const double *load, const double *rest, double h, States *x,
                    Modes *m, double *w, double *force, Factors *of) {
    History *s = &c->history;
    const double mass = s->mass[c->late];
    Body body;
    LoopState y;
    body.motion = motion;
    body.per_mass = 1 / mass;
    body.speed = h * fmax(s->largest, norm_of(load)) / mass;
    body.shortest = h * LOOP_SHORTEST;
    body.has_force = 0;
    body.normal = 0;
    y.x = *x;
    for (int i = 0; i < N_AXES; i++) {
        body.load[i] = load[i] + rest[i];
        body.start[i] = w[i];
    }
    if (!advance_loop(&body, h, &y, m, of)) return 1;
    *x = y.x;
    for (int i = 0; i < N_AXES; i++) {
        w[i] += y.dv[i];
        force[i] = body.has_force ? body.load[i] - mass * y.dv[i] / h : 0;
    }
    const double *p = (const double *)motion->p;
    s->limit = COUPLED_LIMIT >= 0 ? p[COUPLED_LIMIT] * body.normal : 0;
    if (COUPLED_RATIO >= 0) s->limit *= fmin(1, p[COUPLED_RATIO]);
    return 0;
}

/* Adds what the contact holds of an excess to the force of the law, as far as the contact can. */
static void add_held(const History *s, const double *held, double *force) {
    const double limit = fmax(s->limit, norm_of(force));
    for (int i = 0; i < N_AXES; i++) force[i] += held[i];
    limit_norm(force, limit);
}

/* How fast the inputs have changed over a step of length h; returns whether all but the velocity were held. */
static int rates_between(const Inputs *start, const Inputs *end, double h, Inputs *rate) {
    int held = 1;
    for (int i = 0; i < N_INPUTS; i++) {
        const double change = ((const double *)end)[i] - ((const double *)start)[i];
        const int moves = i >= COUPLED_VELOCITY && i < COUPLED_VELOCITY + N_AXES;
        ((double *)rate)[i] = change / h;
        if (change != 0 && !moves) held = 0;
    }
    return held;
}

/* Law and body over a step that has been made, with the load that has shown itself and the rest of an excess. 1 where the run fails. */
static int run_again(const Parameters *p, double tolerance, Coupling *c, const Inputs *u, const Inputs *end, double h,
                     const double *load, const double *rest, States *x, Modes *m, double *w) {
    Inputs start = *u, rate;
    const int held = rates_between(u, end, h, &rate);
    const Motion motion = {p, &start, &rate, tolerance, held, NULL, NULL};
    double force[N_AXES], whole[N_AXES];
    Factors of = no_factors;
    for (int i = 0; i < N_AXES; i++) whole[i] = load[i] + rest[i];
    set_load(c, whole, &start);
    return run_loop(&motion, c, load, rest, h, x, m, w, force, &of);
}

/* Takes states, modes and the velocity w of the law over the step before, which has ended with the inputs u. Unless they have to be taken anew, they are already
 * where the prediction has put them; that is right unless something else has come. */
static int correct_last_step(const Parameters *p, double tolerance, Coupling *c, const Inputs *u, const double *load,
                             int anew, States *x, Modes *m, double *w, double *solver_step) {
    History *s = &c->history;
    Inputs start = s->u, end = *u, rate;
    const int unrelated = is_unrelated(c), held = rates_between(&start, &end, s->h, &rate);
    int as_expected = !anew, nearly = !anew && c->sensitivity_known && norm_of(load) < FAR_FROM_LIMIT * s->limit;
    double more[N_AXES]; /* load than was expected */
    for (int i = 0; i < N_AXES; i++) {
        w[i] = unrelated ? velocity_of(&end)[i] : s->w_end[i];
        more[i] = s->mass[c->late] * (velocity_of(&end)[i] - s->v_end[i]) / s->h;
        if (fabs(more[i]) > SURPRISE * s->largest) as_expected = 0;
        if (fabs(more[i]) > NOTICEABLE * s->largest) nearly = 0;
    }
    if ((as_expected && held) || (unrelated && N_STATES == 0)) return SOLVER_DONE;
    if (nearly && held && !unrelated && COUPLED_LOAD < 0) {
        for (int i = 0; i < SENSITIVITIES - 1; i++) ((double *)x)[i] += s->sensitivity[i] * more[0];
        w[0] += s->sensitivity[SENSITIVITIES - 1] * more[0];
        return SOLVER_DONE;
    }
    *x = s->x;
    *m = c->m;
    if (!unrelated) {
        for (int i = 0; i < N_AXES; i++) w[i] = s->w[i];
        if (!run_again(p, tolerance, c, &start, &end, s->h, load, s->rest, x, m, w)) return SOLVER_DONE;
        *x = s->x;
        *m = c->m;
        for (int i = 0; i < N_AXES; i++) w[i] = velocity_of(&end)[i];
    }
    const Motion motion = {p, &start, &rate, tolerance, 0, NULL, NULL};
    return advance(&motion, s->h, x, m, solver_step);
}

/* Parts the velocity w of the law from that of the body, v, in the plane alone: out of it law and body move together. */
static void part_velocities(const Inputs *u, const double *v, double *w) {
    double excess[N_AXES], own[N_AXES];
    for (int i = 0; i < N_AXES; i++) {
        excess[i] = v[i] - w[i];
        own[i] = w[i];
    }
    project_onto_plane(u, excess);
    project_onto_plane(u, own);
    const int rests = norm_of(own) < FAINT * norm_of(excess);
    for (int i = 0; i < N_AXES; i++) w[i] = v[i] - excess[i] + (rests ? TRACE * excess[i] - own[i] : 0);
}

/* Takes states, modes and velocity of the law over the first steps again, up to the start of the last one, with what is known now of mass and timing. Returns whether that
 * was done. */
static int replay_first_steps(const Parameters *p, double tolerance, Coupling *c) {
    History *s = &c->history;
    States x = s->x_first;
    Modes m = c->m_first;
    const double limit = s->limit;
    double w[N_AXES], load[N_AXES] = {0}, held[N_AXES], rest[N_AXES] = {0};
    if (c->kept < 2 || c->kept == GROWN) return 0;
    for (int i = 0; i < N_AXES; i++) w[i] = s->w_first[i];
    for (int n = 0; n < c->kept; n++) {
        Inputs u = s->first[n].u;
        const double h = s->first[n].h, *v = velocity_of(&u);
        part_velocities(&u, v, w);
        share_excess(c, load, h, v, w, held, rest);
        if (n == c->kept - 1) break;
        Inputs end = s->first[n + 1].u;
        for (int i = 0; i < N_AXES; i++) {
            const double given = c->late ? n > 0 ? s->first[n - 1].force[i] : 0 : s->first[n].force[i];
            load[i] = s->mass[c->late] * (velocity_of(&end)[i] - v[i]) / h + given;
        }
        project_onto_plane(&end, load);
        if (run_again(p, tolerance, c, &u, &end, h, load, rest, &x, &m, w)) {
            s->limit = limit;
            return 0;
        }
    }
    s->x = x;
    c->m = m;
    for (int i = 0; i < N_AXES; i++) {
        s->w[i] = w[i];
        s->rest[i] = rest[i];
    }
    return 1;
}

/* Keeps the last step for the case that it has to be made again. Before a force has acted, or would have if its load had been known, there is nothing to make
 * again. */
static void keep_step(Coupling *c) {
    History *s = &c->history;
    double excess[N_AXES];
    if (FIRST_STEPS == 1 || c->kept == GROWN) return;
    for (int i = 0; i < N_AXES; i++) excess[i] = velocity_of(&s->u)[i] - s->w[i];
    if (s->largest == 0 && norm_of(excess) <= SURPRISE * norm_of(velocity_of(&s->u))) c->kept = 0;
    if (c->kept == 0) {
        s->x_first = s->x;
        c->m_first = c->m;
        for (int i = 0; i < N_AXES; i++) s->w_first[i] = s->w[i];
    }
    if (c->kept < FIRST_STEPS) {
        Step *last = &s->first[c->kept];
        last->u = s->u;
        last->h = s->h;
        for (int i = 0; i < N_AXES; i++) last->force[i] = s->force[0][i];
    }
    c->kept++;
}

/* Lets what the velocity v tells of the last step, over which the inputs have come to u, into the estimates of mass, timing and load, and takes states, modes and the
 * velocity w of the law to its end with the load that has shown itself. Gives how fast the load goes on to change. */
static int take_in_last_step(const Motion *motion, Coupling *c, const Inputs *u, const double *v, States *x, Modes *m,
                             double *w, double *trend, double *solver_step) {
    const Parameters *p = motion->p;
    const double guess = ((const double *)p)[COUPLED_MASS];
    History *s = &c->history;
    double load[N_AXES];
    keep_step(c);
    const int late = c->late;
    const double mass = s->mass[late];
    update_estimates(c, v, guess);
    const int other = c->late != late || fabs(s->mass[late] - mass) > OTHER_MASS * mass;
    const int anew = other && replay_first_steps(p, motion->tolerance, c);
    observe(c, load, trend);
    project_onto_plane(u, load);
    const int outcome = correct_last_step(p, motion->tolerance, c, u, load, anew, x, m, w, solver_step);
#if HAS_CONSTRAIN
    if (outcome != SOLVER_NOT_FINITE) constrain(p, &s->u, u, x);
#endif
    return outcome;
}

/* How the states and the velocity of the law would have changed with more load, from the factors of a step on a line. */
static void set_sensitivity(Coupling *c, const Factors *of) {
    History *s = &c->history;
    double push[N_LOOP] = {0}, change[N_LOOP];
    if (!of->known || N_AXES > 1) return;
    push[N_STATES] = 1 / s->mass[c->late];
    linear_change(of, push, change);
    for (int i = 0; i < SENSITIVITIES; i++) s->sensitivity[i] = change[i];
    c->sensitivity_known = 1;
}

/* The force for an output that acts at once: that of the step which has been solved, with what the contact holds of an excess. */
static void act_at_once(History *s, double h, const double *v, const double *load, const double *held, double *force) {
    add_held(s, held, force);
    for (int i = 0; i < N_AXES; i++) {
        const double dv = h * (load[i] - force[i]) / s->mass[0];
        s->v_end[i] = v[i] + dv;
        s->v_mean[i] = v[i] + 0.5 * dv;
    }
}

/* The force for an output that acts one step late: until then the body moves with the force that was given before, and what follows is solved from
 * the states x and the velocity w of the law at the end of this step. 1 where that fails. */
static int act_late(const Motion *constant, Coupling *c, double h, const double *v, double *load, const double *trend,
                    const States *x, const Modes *m, double *w, double *force, Factors *of) {
    History *s = &c->history;
    double begin[N_AXES], held[N_AXES], rest[N_AXES], whole[N_AXES];
    for (int i = 0; i < N_AXES; i++) {
        begin[i] = s->v_end[i] = v[i] + h * (load[i] - s->force[0][i]) / s->mass[1];
        load[i] += h * trend[i];
    }
    States ahead = *x;
    Modes ahead_m = *m;
    Inputs then = inputs_at(constant, h);
    share_excess(c, load, h, begin, w, held, rest);
    for (int i = 0; i < N_AXES; i++) whole[i] = load[i] + rest[i];
    set_load(c, whole, &then);
    const Motion next = {constant->p, &then, constant->u_rate, constant->tolerance, constant->held, NULL, NULL};
    of->known = of->known && constant->held && norm_of(load) < FAR_FROM_LIMIT * s->limit;
    const int failed = run_loop(&next, c, load, rest, h, &ahead, &ahead_m, w, force, of);
    add_held(s, held, force);
    for (int i = 0; i < N_AXES; i++) s->v_mean[i] = begin[i] + 0.5 * h * (load[i] - force[i]) / s->mass[1];
    return failed;
}

/* Takes states and modes over the step as without the body, from where they were at its start, and gives the force at its end. */
static int act_as_prescribed(const Motion *motion, Coupling *c, double h, States *x, Modes *m, double *force,
                             double *solver_step) {
    History *s = &c->history;
    Outputs y;
    States dx;
    *x = s->x;
    *m = c->m;
    const int outcome = advance(motion, h, x, m, solver_step);
    const Inputs end = inputs_at(motion, h);
    evaluate(motion->p, &end, x, m, &dx, &y);
    for (int i = 0; i < N_AXES; i++) {
        force[i] = force_of(&y)[i];
        s->rest[i] = 0;
        s->v_end[i] = s->w_end[i] = s->v_mean[i] = ((const double *)&end)[COUPLED_VELOCITY + i];
    }
    return outcome;
}

/* One communication step of length h from the inputs u on, with their rates. States and modes come as the last step has left them and
 * go to the end of this one; c->history.force[0] is the force that is given for the interval in which it acts. */
static int couple(const Motion *motion, double h, Coupling *c, States *x, Modes *m, double *solver_step) {
    const Parameters *p = motion->p;
    Inputs u = *motion->u_start;
    History *s = &c->history;
    double v[N_AXES], w[N_AXES], load[N_AXES], whole[N_AXES], held[N_AXES], force[N_AXES], trend[N_AXES] = {0};
    int outcome = SOLVER_DONE;
    for (int i = 0; i < N_AXES; i++) v[i] = w[i] = velocity_of(&u)[i];
    if (COUPLED_LOAD >= 0)
        for (int i = 0; i < N_AXES; i++)
            if (((const double *)&u)[COUPLED_LOAD + i] != 0) c->load_given = 1;
    if (c->steps == 0)
        s->mass[0] = s->mass[1] = ((const double *)p)[COUPLED_MASS];
    else
        outcome = take_in_last_step(motion, c, &u, v, x, m, w, trend, solver_step);
    if (outcome == SOLVER_NOT_FINITE) return outcome;
    part_velocities(&u, v, w);
    for (int i = 0; i < N_AXES; i++) s->w[i] = w[i];
    s->x = *x;
    s->u = u;
    s->h = h;
    c->m = *m;
    if (c->steps < PAST) c->steps++;

    for (int i = 0; i < N_AXES; i++) load[i] = s->load[i] + given_load(c, &u, i) + h * trend[i];
    project_onto_plane(&u, load);
    share_excess(c, load, h, v, w, held, s->rest);
    for (int i = 0; i < N_AXES; i++) whole[i] = load[i] + s->rest[i];
    set_load(c, whole, &u);
    const Motion constant = {p, &u, motion->u_rate, motion->tolerance, motion->held, NULL, NULL};
    Factors of = no_factors;
    c->sensitivity_known = 0;
    int failed = is_unrelated(c) || run_loop(&constant, c, load, s->rest, h, x, m, w, force, &of);
    for (int i = 0; i < N_AXES; i++) s->w_end[i] = w[i];
    if (!failed) set_sensitivity(c, &of);
    if (!failed && c->late)
        failed = act_late(&constant, c, h, v, load, trend, x, m, w, force, &of);
    else if (!failed)
        act_at_once(s, h, v, load, held, force);
    outcome = failed ? act_as_prescribed(motion, c, h, x, m, force, solver_step) : SOLVER_DONE;
    for (int i = 0; i < N_AXES; i++) {
        s->force[2][i] = s->force[1][i];
        s->force[1][i] = s->force[0][i];
        s->force[0][i] = force[i];
    }
    return outcome;
}

/* Puts the mean force of the last step, over which the mean velocity is v_mean, in place of that of the law at its end, where the inputs
 * are u, and all that hangs on it. */
static void put_mean_force(const History *s, const Inputs *u, Outputs *y) {
    double *value = (double *)y, *F = value + COUPLED_FORCE;
    const double before = N_AXES == 1 ? F[0] : norm_of(F);
    const double now = N_AXES == 1 ? s->force[0][0] : norm_of(s->force[0]);
    const double power = dot_product(s->force[0], s->v_mean) - dot_product(F, (const double *)u + COUPLED_VELOCITY);
    for (size_t i = 0; i < sizeof proportional / sizeof *proportional; i++)
        if (before != 0) value[proportional[i]] *= now / before;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) value[powers[i]] += power;
    for (int i = 0; i < N_AXES; i++) {
        if (OPPOSED_FORCE >= 0) value[OPPOSED_FORCE + i] += F[i] - s->force[0][i];
        F[i] = s->force[0][i];
    }
}
