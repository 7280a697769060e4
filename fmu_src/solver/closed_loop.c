/* Law and body together over an interval in which all other forces on the body, its load, are constant:
 *
 *     dx/dt = evaluate(p, u(t), x, m),   mass dv/dt = load - F(x, v)
 *
 * The change of velocity over the interval gives the mean force, load - mass (v - v_start)/length, with the right impulse however
 * stiff the law is. RODAS3 (Sandu et al. 1997, Benchmarking stiff ODE solvers for atmospheric chemistry problems II), a Rosenbrock pair
 * of order 3(2), L-stable and stiffly accurate, with the exact Jacobian: cheaper than the pair for the states alone, because it is the
 * load that limits how exact the force can be. Events are located as there, to a fraction of the interval that no host would see.
 */
#include <math.h>

enum { N_LOOP = N_STATES + N_AXES, LOOP_STAGES = 4, LOOP_TRIALS_AT_MOST = 2000, LOOP_EVENTS_AT_MOST = 20 };

static const double LOOP_TOLERANCE = 1e-4, LOOP_RESOLUTION = 1e-5;

/* Where stick gives way, the motion grows by itself, e-fold in less than half of a step: an L-stable method would damp it instead, and hold the body. The
 * determinant of its matrix is then negative. The scaled error that is told of such a step halves it. */
static const double TOO_FAST = 8, LOOP_SHORTEST = 1.0 / 64;

typedef struct {
    const Motion *motion; /* of all inputs but the velocity */
    double per_mass;      /* 1/mass, as divisions are what a short step takes its time for */
    double load[N_AXES];
    double start[N_AXES]; /* velocity at the start of the interval */
    double speed;         /* change of velocity that matters */
    double shortest;      /* step to which a departure from stick is followed */
    int has_force;        /* a force has been seen */
    double normal;        /* force that belongs to it */
} Body;

/* States of the law, and how much the velocity has changed since the start of the interval. */
typedef struct {
    States x;
    double dv[N_AXES];
} LoopState;

typedef struct {
    double t;
    LoopState y;
    Modes m;
    double f[N_LOOP], f_time[N_LOOP]; /* rates, and their own rates where the inputs move */
    double J[N_LOOP][N_LOOP];
} LoopPoint;

static double *velocity_of(Inputs *u) {
    return (double *)u + COUPLED_VELOCITY;
}

static const double *force_of(const Outputs *y) {
    return (const double *)y + COUPLED_FORCE;
}

static double dot_product(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N_AXES; i++) sum += a[i] * b[i];
    return sum;
}

static double norm_of(const double *a) {
    return N_AXES == 1 ? fabs(a[0]) : sqrt(dot_product(a, a));
}

static Inputs loop_inputs(const Body *body, double t, const LoopState *y) {
    Inputs u = inputs_at(body->motion, t);
    for (int i = 0; i < N_AXES; i++) velocity_of(&u)[i] = body->start[i] + y->dv[i];
    return u;
}

static void combine_rates(const Body *body, const States *dx, const double *force, double zero_load, double *f) {
    for (int i = 0; i < N_STATES; i++) f[i] = ((const double *)dx)[i];
    for (int i = 0; i < N_AXES; i++) f[N_STATES + i] = (zero_load * body->load[i] - force[i]) * body->per_mass;
}

static void notice_force(Body *body, const Outputs *y) {
    const double coefficient = ((const double *)y)[COUPLED_COEFFICIENT];
    if (coefficient == 0) return;
    body->has_force = 1;
    body->normal = norm_of(force_of(y)) / fabs(coefficient);
}

static void loop_rates(Body *body, double t, const LoopState *y, const Modes *m, double *f) {
    States dx = no_states;
    Outputs out;
    const Inputs u = loop_inputs(body, t, y);
    evaluate(body->motion->p, &u, &y->x, m, &dx, &out);
    combine_rates(body, &dx, force_of(&out), 1, f);
    notice_force(body, &out);
}

static void place_point(double t, const LoopState *y, const Modes *m, LoopPoint *point) {
    point->t = t;
    point->y = *y;
    point->m = *m;
    for (int i = 0; i < N_LOOP; i++) point->f_time[i] = 0;
}

/* The rates at a point alone, for steps whose matrix is known. */
static void set_loop_rates(Body *body, double t, const LoopState *y, const Modes *m, LoopPoint *point) {
    place_point(t, y, m, point);
    loop_rates(body, t, y, m, point->f);
}

static void set_loop_point(Body *body, double t, const LoopState *y, const Modes *m, LoopPoint *point) {
    const Inputs u = loop_inputs(body, t, y);
    States dx = no_states, dx_slope = no_states;
    Outputs out, out_slope;
    place_point(t, y, m, point);
    for (int j = 0; j < N_LOOP; j++) {
        double column[N_LOOP];
        States seed = no_states;
        Inputs direction = no_inputs;
        if (j < N_STATES)
            ((double *)&seed)[j] = 1;
        else
            velocity_of(&direction)[j - N_STATES] = 1;
        evaluate_slopes(body->motion->p, &no_parameters, &u, &direction, &y->x, &seed, m, &dx, &dx_slope, &out,
                        &out_slope);
        combine_rates(body, &dx_slope, force_of(&out_slope), 0, column);
        for (int i = 0; i < N_LOOP; i++) point->J[i][j] = column[i];
    }
    combine_rates(body, &dx, force_of(&out), 1, point->f);
    notice_force(body, &out);
    if (!body->motion->held) {
        Inputs direction = *body->motion->u_rate;
        for (int i = 0; i < N_AXES; i++) velocity_of(&direction)[i] = 0;
        evaluate_slopes(body->motion->p, &no_parameters, &u, &direction, &y->x, &no_states, m, &dx, &dx_slope, &out,
                        &out_slope);
        combine_rates(body, &dx_slope, force_of(&out_slope), 0, point->f_time);
    }
}

/* The matrix of a step, 2/h - J, in factors. The pivots are kept as reciprocals, because divisions one after the other are what the stages of a small system take
 * their time for. */
typedef struct {
    int known; /* and serve a step of the length h from a point that is much the same */
    double h;
    double W[MATRIX_ROOM][MATRIX_ROOM];
    int row[MATRIX_ROOM];
} Factors;

static const Factors no_factors = {0, 0, {{0}}, {0}};

/* Returns whether the determinant is negative. */
static int factorize_loop(const LoopPoint *from, double h, Factors *of) {
    const double per_gamma_h = 2 / h;
    of->h = h;
    for (int i = 0; i < N_LOOP; i++)
        for (int j = 0; j < N_LOOP; j++) of->W[i][j] = (i == j ? per_gamma_h : 0) - from->J[i][j];
    const int negative = factorize(N_LOOP, of->W, of->row);
    for (int i = 0; i < N_LOOP; i++) of->W[i][i] = 1 / of->W[i][i];
    return negative;
}

static void solve_loop(const Factors *of, const double *rhs, double *k) {
    for (int i = 0; i < N_LOOP; i++) {
        k[i] = rhs[of->row[i]];
        for (int j = 0; j < i; j++) k[i] -= of->W[i][j] * k[j];
    }
    for (int i = N_LOOP - 1; i >= 0; i--) {
        for (int j = i + 1; j < N_LOOP; j++) k[i] -= of->W[i][j] * k[j];
        k[i] *= of->W[i][i];
    }
}

/* The change over a step with these factors where law and body are linear, with the rates f at its start. There J k is 2 k/h less the right-hand side of k. */
static void linear_change(const Factors *of, const double *f, double *change) {
    const double per_h = 1 / of->h;
    double k[LOOP_STAGES][N_LOOP], bent[N_LOOP], rhs[N_LOOP];
    solve_loop(of, f, k[0]);
    for (int i = 0; i < N_LOOP; i++) rhs[i] = f[i] + 4 * per_h * k[0][i];
    solve_loop(of, rhs, k[1]);
    for (int i = 0; i < N_LOOP; i++) {
        bent[i] = 4 * per_h * k[0][i] - f[i];
        rhs[i] = bent[i] + per_h * (k[0][i] - k[1][i]);
    }
    solve_loop(of, rhs, k[2]);
    for (int i = 0; i < N_LOOP; i++)
        rhs[i] = bent[i] + 2 * per_h * k[2][i] - rhs[i] + per_h * (k[0][i] - k[1][i] - 8.0 / 3 * k[2][i]);
    solve_loop(of, rhs, k[3]);
    for (int i = 0; i < N_LOOP; i++) change[i] = 2 * k[0][i] + k[2][i] + k[3][i];
}

static void move_loop(LoopState *y, double times, const double *k) {
    for (int i = 0; i < N_STATES; i++) ((double *)&y->x)[i] += times * k[i];
    for (int i = 0; i < N_AXES; i++) y->dv[i] += times * k[N_STATES + i];
}

/* One step with the factors of its matrix to y1; returns its error in units of what is allowed, infinite where it is not finite. */
static double loop_stages(Body *body, const LoopPoint *from, const Factors *of, LoopState *y1) {
    const double h = of->h, per_h = 1 / h;
    double k[LOOP_STAGES][N_LOOP], f[N_LOOP], rhs[N_LOOP];
    for (int i = 0; i < N_LOOP; i++) rhs[i] = from->f[i] + 0.5 * h * from->f_time[i];
    solve_loop(of, rhs, k[0]);
    for (int i = 0; i < N_LOOP; i++) rhs[i] = from->f[i] + 1.5 * h * from->f_time[i] + 4 * per_h * k[0][i];
    solve_loop(of, rhs, k[1]);
    *y1 = from->y;
    move_loop(y1, 2, k[0]);
    loop_rates(body, from->t + h, y1, &from->m, f);
    for (int i = 0; i < N_LOOP; i++) rhs[i] = f[i] + per_h * (k[0][i] - k[1][i]);
    solve_loop(of, rhs, k[2]);
    move_loop(y1, 1, k[2]);
    loop_rates(body, from->t + h, y1, &from->m, f);
    for (int i = 0; i < N_LOOP; i++) rhs[i] = f[i] + per_h * (k[0][i] - k[1][i] - 8.0 / 3 * k[2][i]);
    solve_loop(of, rhs, k[3]);
    /* The last stage lies one k before the end, which is the error too. */
    const double *error = k[LOOP_STAGES - 1];
    double worst = 0;
    move_loop(y1, 1, error);
    for (int i = 0; i < N_AXES; i++) {
        if (!isfinite(y1->dv[i])) return INFINITY;
        worst = fmax(worst,
                     fabs(error[N_STATES + i]) / (LOOP_TOLERANCE * (body->speed + fabs(body->start[i] + y1->dv[i]))));
    }
    const Inputs end = loop_inputs(body, from->t + h, y1);
    const Motion there = {body->motion->p, &end, &no_inputs, LOOP_TOLERANCE, 1, NULL, NULL};
    const States resolved = resolved_at(&there, 0, &y1->x, &from->m);
    double allowed[STATE_ROOM];
    for (int i = 0; i < N_STATES; i++) allowed[i] = LOOP_TOLERANCE * ((const double *)&resolved)[i];
    return fmax(worst, scaled_error(error, (const double *)&y1->x, allowed));
}

static double loop_step(Body *body, const LoopPoint *from, double h, Factors *of, LoopState *y1) {
    if (factorize_loop(from, h, of) && h > body->shortest) return TOO_FAST;
    return loop_stages(body, from, of, y1);
}

static void loop_signs(const Body *body, double t, const LoopState *y, const Modes *m, int *sign) {
    double g[INDICATOR_ROOM];
    const Inputs u = loop_inputs(body, t, y);
    indicators(body->motion->p, &u, &y->x, m, g);
    for (int i = 0; i < N_INDICATORS; i++) sign[i] = g[i] > 0;
}

static int loop_changed(const Body *body, const LoopPoint *from, const int *before, double h, const LoopState *y1) {
    int sign[INDICATOR_ROOM];
    loop_signs(body, from->t + h, y1, &from->m, sign);
    for (int i = 0; i < N_INDICATORS; i++)
        if (sign[i] != before[i]) return 1;
    return 0;
}

/* Shortens a step after which an indicator has changed until little more than the change is left of it. */
static double locate_loop_change(Body *body, const LoopPoint *from, const int *before, double h, double resolution,
                                 LoopState *y1) {
    double left = 0;
    while (h - left > resolution) {
        const double middle = 0.5 * (left + h);
        Factors of;
        LoopState y;
        if (isfinite(loop_step(body, from, middle, &of, &y)) && !loop_changed(body, from, before, middle, &y)) {
            left = middle;
        } else {
            h = middle;
            *y1 = y;
        }
    }
    return h;
}

/* Takes law and body over an interval; 0 where that does not succeed, with y and m in between. The factors, where they are known, are tried first: they come of the interval
 * before, at the end of which the modes had settled. Else they are known afterwards if one step was enough. */
static int advance_loop(Body *body, double length, LoopState *y, Modes *m, Factors *of) {
    const double resolution = LOOP_RESOLUTION * length;
    double h = length;
    int events = 0, sign[INDICATOR_ROOM];
    LoopPoint from;
    for (int i = 0; i < N_AXES; i++) y->dv[i] = 0;
    Inputs u = loop_inputs(body, 0, y);
    if (!of->known || COUPLED_LOAD >= 0) settle_modes(body->motion->p, &u, &y->x, m);
    loop_signs(body, 0, y, m, sign);
    if (of->known) {
        set_loop_rates(body, 0, y, m, &from);
        double change[N_LOOP];
        linear_change(of, from.f, change);
        move_loop(y, 1, change);
        if (!loop_changed(body, &from, sign, h, y)) return 1;
        *y = from.y;
        of->known = 0;
    }
    set_loop_point(body, 0, y, m, &from);
    for (int trial = 0; trial < LOOP_TRIALS_AT_MOST && trial < m->substeps; trial++) {
        const double rest = length - from.t;
        if (h > rest) h = rest;
        const double error = loop_step(body, &from, h, of, y);
        if (!(error <= 1)) {
            h *= isfinite(error) ? fmax(0.1, 0.9 / cbrt(error)) : 0.1;
            if (h <= DBL_EPSILON * length) return 0;
            continue;
        }
        double taken = h;
        const int changed = loop_changed(body, &from, sign, h, y);
        if (changed) {
            taken = locate_loop_change(body, &from, sign, h, resolution, y);
            events = taken <= 2 * resolution ? events + 1 : 0;
            if (events > LOOP_EVENTS_AT_MOST) return 0;
        }
        const double t = taken < rest ? from.t + taken : length;
        if (changed) {
            u = loop_inputs(body, t, y);
            settle_modes(body->motion->p, &u, &y->x, m);
        }
        if (t == length) {
            of->known = from.t == 0 && !changed;
            return 1;
        }
        if (!changed) h *= fmin(5, 0.9 / cbrt(fmax(error, 1e-3)));
        set_loop_point(body, t, y, m, &from);
        loop_signs(body, t, y, m, sign);
    }
    return 0;
}
