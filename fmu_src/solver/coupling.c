/* Co-simulation that closes the loop over the body, for hosts that hold the friction force over a step.
 *
 * Such a host gives the velocity v[n], asks for a step, and moves the body with the force F[n] that it gets:
 *
 *     m (v[n+1] - v[n])/h = e - F[n]     at once, as a plain loop over both does, or
 *     m (v[n+2] - v[n+1])/h = e - F[n]   one step late, as masters do that step all parts side by side.
 *
 * Where the law is steep against m/h, the force of the law at v[n] shakes the body to and fro. So the element observes the load e, all
 * other forces on the body, from the velocities and its own forces, solves law and body together over the interval in which its
 * output will act (joint.c), and gives the mean force of it. Then the host's step ends where the continuous system would be.
 *
 * What the states have done is found in the same way with the load that has shown itself when the velocity at the end of a
 * step is known, so that a wrong prediction does not stay in them.
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
static const double LATE_GAIN = 0.6; /* of the load's observer where the output acts late; 1 where it acts at once */
static const double UNRELATED = 0.1; /* correlation beneath which force and motion have nothing to do with each other */
static const double SURPRISE = 1e-6; /* change of the load, against the largest recent force, that changes the states */
enum { ENOUGH = 12, PAST = 3 }; /* samples before motion and force are called unrelated; forces that are remembered */

/* What is remembered from step to step. */
typedef struct {
    States x;                          /* at the start of the last step, as its velocities have made them */
    Inputs u;                          /* inputs then */
    double h;                          /* its length */
    double v_end[N_AXES];              /* velocity expected at its end */
    double v_mean[N_AXES];             /* velocity expected on the average while its force acts */
    double a[N_AXES];                  /* acceleration over the step before */
    double force[PAST][N_AXES];        /* given, the last one first */
    double load[N_AXES];               /* observed, less what is given as an input */
    double mass[2], A[2], B[2];        /* estimate for either timing, sums of da^2 and -da dF over what fits */
    double E[2], motion[2], effort[2]; /* sums of -da dF, da^2 and dF^2 over all that is noticeable */
    double largest;                    /* recent force */
} Seen;

typedef struct {
    Seen seen;
    Modes m;        /* with seen.x */
    int steps;      /* that have been seen, counted up to PAST */
    int samples;    /* that were noticeable, counted up to ENOUGH */
    int late;       /* the output acts one step late */
    int load_given; /* the load has come as an input */
} Coupling;

/* What is known of the body, as the outputs have it. */
typedef struct {
    double mass;
    double load[N_AXES];
} Observed;

static double product(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N_AXES; i++) sum += a[i] * b[i];
    return sum;
}

static double size_of(const double *a) {
    return sqrt(product(a, a));
}

/* Leaves of a vector what lies in the plane of contact. */
static void project_onto_plane(const Inputs *u, double *a) {
    if (COUPLED_NORMAL < 0) return;
    const double *n = (const double *)u + COUPLED_NORMAL;
    const double square = product(n, n);
    if (!(square > 0)) return;
    const double along = product(n, a) / square;
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

static void learn_mass(Seen *s, int timing, const double *da, const double *dF, double guess) {
    const double m_da = s->mass[timing] * size_of(da), size = size_of(dF), fit = -product(da, dF);
    if (!(fit > 0) || m_da > ALIKE * size || size > ALIKE * m_da) return;
    const double square = product(da, da);
    if (s->A[timing] == 0) {
        s->A[timing] = FIRST_GUESS * square;
        s->B[timing] = s->A[timing] * guess;
    }
    s->A[timing] = FORGETTING * s->A[timing] + square;
    s->B[timing] = FORGETTING * s->B[timing] + fit;
    s->mass[timing] = fmin(fmax(s->B[timing] / s->A[timing], guess / RANGE), guess * RANGE);
}

/* The part of the motion that the force does not explain, if it acts with this timing. */
static double unexplained(const Seen *s, int timing) {
    const double E = s->E[timing];
    return E > 0 ? s->motion[timing] - E * E / s->effort[timing] : s->motion[timing];
}

/* Learns from the velocity v at the end of the step before how the body answers. */
static void learn(Coupling *c, const double *v, double guess) {
    Seen *s = &c->seen;
    double a[N_AXES], da[N_AXES], dF[2][N_AXES];
    for (int i = 0; i < N_AXES; i++) {
        a[i] = (v[i] - velocity_of(&s->u)[i]) / s->h;
        da[i] = a[i] - s->a[i];
        dF[0][i] = s->force[0][i] - s->force[1][i];
        dF[1][i] = s->force[1][i] - s->force[2][i];
        s->a[i] = a[i];
    }
    s->largest = fmax(FADING * s->largest, size_of(s->force[0]));
    if (c->steps < PAST) return;
    const double floor = NOTICEABLE * s->largest;
    if (!(s->mass[c->late] * size_of(da) > floor && fmax(size_of(dF[0]), size_of(dF[1])) > floor)) return;
    for (int timing = 0; timing < 2; timing++) {
        s->E[timing] = FORGETTING * s->E[timing] - product(da, dF[timing]);
        s->motion[timing] = FORGETTING * s->motion[timing] + product(da, da);
        s->effort[timing] = FORGETTING * s->effort[timing] + product(dF[timing], dF[timing]);
        learn_mass(s, timing, da, dF[timing], guess);
    }
    const int other = !c->late;
    if (s->E[other] > OTHER_TIMING * fmax(s->E[c->late], 0) ||
        unexplained(s, other) < BETTER_TIMING * unexplained(s, c->late))
        c->late = other;
    if (c->samples < ENOUGH) c->samples++;
}

/* Whether the motion is seen not to be a matter of the force. */
static int is_unrelated(const Coupling *c) {
    const Seen *s = &c->seen;
    return c->samples == ENOUGH && !(s->E[c->late] > UNRELATED * sqrt(s->motion[c->late] * s->effort[c->late]));
}

/* Law and body over an interval of length h under the load, from the velocity v on: what the velocity has changed by at its end, and the
 * mean force. 1 where the run fails. */
static int run_joint(const Motion *motion, const Coupling *c, const double *load, double h, const double *v, States *x,
                     Modes *m, double *dv, double *force) {
    const Seen *s = &c->seen;
    const double mass = s->mass[c->late];
    Body body = {motion, mass, {0}, {0}, h * fmax(s->largest, size_of(load)) / mass, 0};
    Joint y;
    y.x = *x;
    for (int i = 0; i < N_AXES; i++) {
        body.load[i] = load[i];
        body.start[i] = v[i];
    }
    if (!advance_joint(&body, h, &y, m)) return 1;
    *x = y.x;
    for (int i = 0; i < N_AXES; i++) {
        dv[i] = y.dv[i];
        force[i] = body.has_force ? load[i] - mass * dv[i] / h : 0;
    }
    return 0;
}

/* Takes states and modes over the step before, which has ended with the inputs u. They are already where the prediction has put
 * them; that is right unless something else has come. */
static int make_up(const Parameters *p, double tolerance, Coupling *c, const Inputs *u, const double *load, States *x,
                   Modes *m, double *solver_step) {
    Seen *s = &c->seen;
    Inputs end = *u, rate = no_inputs;
    int as_expected = 1;
    for (int i = 0; i < N_AXES; i++)
        if (fabs(velocity_of(&end)[i] - s->v_end[i]) * s->mass[c->late] > SURPRISE * s->largest * s->h) as_expected = 0;
    for (int i = 0; i < N_INPUTS; i++) {
        const double change = ((const double *)&end)[i] - ((const double *)&s->u)[i];
        const int moves = i >= COUPLED_VELOCITY && i < COUPLED_VELOCITY + N_AXES;
        ((double *)&rate)[i] = change / s->h;
        if (change != 0 && !moves) as_expected = 0;
    }
    if (N_STATES == 0 || as_expected) return SOLVER_DONE;
    Inputs start = s->u;
    double v[N_AXES], dv[N_AXES], force[N_AXES];
    Motion motion = {p, &start, &rate, tolerance, 0, NULL, NULL};
    *x = s->x;
    *m = c->m;
    for (int i = 0; i < N_AXES; i++) v[i] = velocity_of(&start)[i];
    if (!is_unrelated(c)) {
        const Modes kept = *m;
        if (COUPLED_LOAD >= 0 && !c->load_given)
            for (int i = 0; i < N_AXES; i++) ((double *)&rate)[COUPLED_LOAD + i] = 0;
        set_load(c, load, &start);
        if (!run_joint(&motion, c, load, s->h, v, x, m, dv, force)) return SOLVER_DONE;
        *x = s->x;
        *m = kept;
    }
    return advance(&motion, s->h, x, m, solver_step);
}

/* One communication step of length h from the inputs u on, with their rates. States and modes come as the last step has left them and
 * go to the end of this one; c->seen.force[0] is the force that is given for the interval in which it acts. */
static int couple(const Motion *motion, double h, Coupling *c, States *x, Modes *m, double *solver_step) {
    const Parameters *p = motion->p;
    const double guess = ((const double *)p)[COUPLED_MASS];
    Inputs u = *motion->u_start, rate = *motion->u_rate;
    Seen *s = &c->seen;
    double v[N_AXES], load[N_AXES], dv[N_AXES] = {0};
    for (int i = 0; i < N_AXES; i++) v[i] = velocity_of(&u)[i];
    if (COUPLED_LOAD >= 0)
        for (int i = 0; i < N_AXES; i++)
            if (((const double *)&u)[COUPLED_LOAD + i] != 0) c->load_given = 1;
    if (c->steps == 0) {
        s->mass[0] = s->mass[1] = guess;
    } else {
        learn(c, v, guess);
        const double gain = c->late ? LATE_GAIN : 1;
        for (int i = 0; i < N_AXES; i++) {
            const double shown = s->mass[c->late] * s->a[i] + s->force[c->late][i];
            s->load[i] += gain * (shown - given_load(c, &s->u, i) - s->load[i]);
            load[i] = shown;
        }
        project_onto_plane(&u, load);
        const int outcome = make_up(p, motion->tolerance, c, &u, load, x, m, solver_step);
        if (outcome == SOLVER_NOT_FINITE) return outcome;
#if HAS_CONSTRAIN
        constrain(p, &s->u, &u, x);
#endif
    }
    s->x = *x;
    s->u = u;
    s->h = h;
    c->m = *m;
    if (c->steps < PAST) c->steps++;

    double force[N_AXES];
    int outcome = SOLVER_DONE;
    for (int i = 0; i < N_AXES; i++) load[i] = s->load[i] + given_load(c, &u, i);
    project_onto_plane(&u, load);
    Inputs now = u;
    set_load(c, load, &now);
    if (COUPLED_LOAD >= 0 && !c->load_given)
        for (int i = 0; i < N_AXES; i++) ((double *)&rate)[COUPLED_LOAD + i] = 0;
    Motion held = {p, &now, &rate, motion->tolerance, motion->held, NULL, NULL};
    int failed = is_unrelated(c);
    if (!failed && c->late) {
        /* Until its output acts, the body moves with the force that was given before. */
        for (int i = 0; i < N_AXES; i++) s->v_end[i] = v[i] + h * (load[i] - s->force[0][i]) / s->mass[1];
        if (N_STATES > 0) failed = run_joint(&held, c, load, h, v, x, m, dv, force);
        if (!failed) {
            States ahead = *x;
            Modes ahead_m = *m;
            Inputs then = inputs_at(&held, h);
            Motion next = {p, &then, &rate, motion->tolerance, motion->held, NULL, NULL};
            failed = run_joint(&next, c, load, h, s->v_end, &ahead, &ahead_m, dv, force);
            if (N_STATES == 0) *m = ahead_m;
        }
        for (int i = 0; i < N_AXES; i++) s->v_mean[i] = s->v_end[i] + 0.5 * dv[i];
    } else if (!failed) {
        failed = run_joint(&held, c, load, h, v, x, m, dv, force);
        for (int i = 0; i < N_AXES; i++) {
            s->v_end[i] = v[i] + dv[i];
            s->v_mean[i] = v[i] + 0.5 * dv[i];
        }
    }
    if (failed) {
        Outputs y;
        States dx;
        *x = s->x;
        *m = c->m;
        outcome = advance(motion, h, x, m, solver_step);
        const Inputs end = inputs_at(motion, h);
        evaluate(p, &end, x, m, &dx, &y);
        for (int i = 0; i < N_AXES; i++) {
            force[i] = force_of(&y)[i];
            s->v_end[i] = s->v_mean[i] = ((const double *)&end)[COUPLED_VELOCITY + i];
        }
    }
    for (int i = 0; i < N_AXES; i++) {
        s->force[2][i] = s->force[1][i];
        s->force[1][i] = s->force[0][i];
        s->force[0][i] = force[i];
    }
    return outcome;
}

/* Puts the mean force of the last step, over which the mean velocity is v_mean, in place of that of the law at its end, where the inputs
 * are u, and all that hangs on it. */
static void deliver(const Seen *s, const Inputs *u, Outputs *y) {
    double *value = (double *)y, *F = value + COUPLED_FORCE;
    const double before = N_AXES == 1 ? F[0] : size_of(F);
    const double now = N_AXES == 1 ? s->force[0][0] : size_of(s->force[0]);
    const double power = product(s->force[0], s->v_mean) - product(F, (const double *)u + COUPLED_VELOCITY);
    for (size_t i = 0; i < sizeof proportional / sizeof *proportional; i++)
        if (before != 0) value[proportional[i]] *= now / before;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) value[powers[i]] += power;
    for (int i = 0; i < N_AXES; i++) {
        if (OPPOSED_FORCE >= 0) value[OPPOSED_FORCE + i] += F[i] - s->force[0][i];
        F[i] = s->force[0][i];
    }
}
