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

enum { N_JOINT = N_STATES + N_AXES, JOINT_STAGES = 4, JOINT_TRIALS_AT_MOST = 2000, JOINT_EVENTS_AT_MOST = 20 };

static const double JOINT_TOLERANCE = 1e-4, JOINT_RESOLUTION = 1e-5;

/* Where stick gives way, the motion grows by itself, e-fold in less than half of a step: an L-stable method would damp it instead, and hold the body. The
 * determinant of its matrix is then negative. The scaled error that is told of such a step halves it. */
static const double TOO_FAST = 8, JOINT_SHORTEST = 1.0 / 64;

typedef struct {
    const Motion *motion; /* of all inputs but the velocity */
    double mass;
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
} Joint;

typedef struct {
    double t;
    Joint y;
    Modes m;
    double f[N_JOINT], f_time[N_JOINT]; /* rates, and their own rates where the inputs move */
    double J[N_JOINT][N_JOINT];
} JointPoint;

static double *velocity_of(Inputs *u) {
    return (double *)u + COUPLED_VELOCITY;
}

static const double *force_of(const Outputs *y) {
    return (const double *)y + COUPLED_FORCE;
}

static double product(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N_AXES; i++) sum += a[i] * b[i];
    return sum;
}

static double size_of(const double *a) {
    return N_AXES == 1 ? fabs(a[0]) : sqrt(product(a, a));
}

static Inputs joint_inputs(const Body *body, double t, const Joint *y) {
    Inputs u = inputs_at(body->motion, t);
    for (int i = 0; i < N_AXES; i++) velocity_of(&u)[i] = body->start[i] + y->dv[i];
    return u;
}

static void join_rates(const Body *body, const States *dx, const double *force, double zero_load, double *f) {
    for (int i = 0; i < N_STATES; i++) f[i] = ((const double *)dx)[i];
    for (int i = 0; i < N_AXES; i++) f[N_STATES + i] = (zero_load * body->load[i] - force[i]) / body->mass;
}

static void notice_force(Body *body, const Outputs *y) {
    const double coefficient = ((const double *)y)[COUPLED_COEFFICIENT];
    if (coefficient == 0) return;
    body->has_force = 1;
    body->normal = size_of(force_of(y)) / fabs(coefficient);
}

static void joint_rates(Body *body, double t, const Joint *y, const Modes *m, double *f) {
    States dx = no_states;
    Outputs out;
    const Inputs u = joint_inputs(body, t, y);
    evaluate(body->motion->p, &u, &y->x, m, &dx, &out);
    join_rates(body, &dx, force_of(&out), 1, f);
    notice_force(body, &out);
}

static JointPoint joint_point(Body *body, double t, const Joint *y, const Modes *m) {
    JointPoint point = {t, *y, *m, {0}, {0}, {{0}}};
    const Inputs u = joint_inputs(body, t, y);
    States dx = no_states, dx_slope = no_states;
    Outputs out, out_slope;
    for (int j = 0; j < N_JOINT; j++) {
        double column[N_JOINT];
        States seed = no_states;
        Inputs direction = no_inputs;
        if (j < N_STATES)
            ((double *)&seed)[j] = 1;
        else
            velocity_of(&direction)[j - N_STATES] = 1;
        evaluate_slopes(body->motion->p, &no_parameters, &u, &direction, &y->x, &seed, m, &dx, &dx_slope, &out,
                        &out_slope);
        join_rates(body, &dx_slope, force_of(&out_slope), 0, column);
        for (int i = 0; i < N_JOINT; i++) point.J[i][j] = column[i];
    }
    join_rates(body, &dx, force_of(&out), 1, point.f);
    notice_force(body, &out);
    if (!body->motion->held) {
        Inputs direction = *body->motion->u_rate;
        for (int i = 0; i < N_AXES; i++) velocity_of(&direction)[i] = 0;
        evaluate_slopes(body->motion->p, &no_parameters, &u, &direction, &y->x, &no_states, m, &dx, &dx_slope, &out,
                        &out_slope);
        join_rates(body, &dx_slope, force_of(&out_slope), 0, point.f_time);
    }
    return point;
}

static const double joint_a[JOINT_STAGES][JOINT_STAGES - 1] = {{0}, {0}, {2, 0}, {2, 0, 1}};
static const double joint_c[JOINT_STAGES][JOINT_STAGES - 1] = {{0}, {4}, {1, -1}, {1, -1, -8.0 / 3}};

/* How the end of a step, of length h and with these factors, changes with the load on a line, where law and body are linear. */
static void joint_sway(const Body *body, const JointPoint *from, double h, double W[MATRIX_ROOM][MATRIX_ROOM],
                       const int *row, double *sway) {
    const double per_h = 1 / h;
    double k[JOINT_STAGES][N_JOINT], rhs[N_JOINT];
    for (int i = 0; i < N_JOINT; i++) sway[i] = 0;
    for (int s = 0; s < JOINT_STAGES; s++) {
        for (int i = 0; i < N_JOINT; i++) {
            rhs[i] = i == N_STATES ? 1 / body->mass : 0;
            for (int j = 0; j < s; j++) rhs[i] += joint_c[s][j] * per_h * k[j][i];
            if (s > 1)
                for (int n = 0; n < N_JOINT; n++) rhs[i] += from->J[i][n] * sway[n];
        }
        back_substitute(N_JOINT, W, row, rhs, k[s]);
        if (s == 0 || s == 2)
            for (int i = 0; i < N_JOINT; i++) sway[i] += joint_a[JOINT_STAGES - 1][s] * k[s][i];
    }
    for (int i = 0; i < N_JOINT; i++) sway[i] += k[JOINT_STAGES - 1][i];
}

/* One step of length h to y1, and the factors of its matrix; returns its error in units of what is allowed, infinite where it is not finite. */
static double joint_step(Body *body, const JointPoint *from, double h, double W[MATRIX_ROOM][MATRIX_ROOM], int *row,
                         Joint *y1) {
    static const double gamma = 0.5;
    static const double time_slope[JOINT_STAGES] = {0.5, 1.5, 0, 0};
    const double per_h = 1 / h;
    double k[JOINT_STAGES][N_JOINT], f[N_JOINT], rhs[N_JOINT];
    for (int i = 0; i < N_JOINT; i++) {
        f[i] = from->f[i];
        for (int j = 0; j < N_JOINT; j++) W[i][j] = (i == j ? per_h / gamma : 0) - from->J[i][j];
    }
    if (factorize(N_JOINT, W, row) && h > body->shortest) return TOO_FAST;
    for (int s = 0; s < JOINT_STAGES; s++) {
        if (s > 1) {
            *y1 = from->y;
            for (int j = 0; j < s; j++) {
                for (int i = 0; i < N_STATES; i++) ((double *)&y1->x)[i] += joint_a[s][j] * k[j][i];
                for (int i = 0; i < N_AXES; i++) y1->dv[i] += joint_a[s][j] * k[j][N_STATES + i];
            }
            joint_rates(body, from->t + h, y1, &from->m, f);
        }
        for (int i = 0; i < N_JOINT; i++) {
            rhs[i] = f[i] + time_slope[s] * h * from->f_time[i];
            for (int j = 0; j < s; j++) rhs[i] += joint_c[s][j] * per_h * k[j][i];
        }
        back_substitute(N_JOINT, W, row, rhs, k[s]);
    }
    /* The last stage lies one k before the end, which is the error too. */
    const double *error = k[JOINT_STAGES - 1];
    double worst = 0;
    for (int i = 0; i < N_STATES; i++) ((double *)&y1->x)[i] += error[i];
    for (int i = 0; i < N_AXES; i++) {
        y1->dv[i] += error[N_STATES + i];
        if (!isfinite(y1->dv[i])) return INFINITY;
        worst = fmax(worst,
                     fabs(error[N_STATES + i]) / (JOINT_TOLERANCE * (body->speed + fabs(body->start[i] + y1->dv[i]))));
    }
    double allowed[STATE_ROOM];
    for (int i = 0; i < N_STATES; i++) {
        const double size = fmax(fabs(((const double *)&from->y.x)[i]), fabs(((const double *)&y1->x)[i]));
        allowed[i] = JOINT_TOLERANCE * (state_nominals[i] + size);
    }
    return fmax(worst, scaled_error(error, (const double *)&y1->x, allowed));
}

static void joint_signs(const Body *body, double t, const Joint *y, const Modes *m, int *sign) {
    double g[INDICATOR_ROOM];
    const Inputs u = joint_inputs(body, t, y);
    indicators(body->motion->p, &u, &y->x, m, g);
    for (int i = 0; i < N_INDICATORS; i++) sign[i] = g[i] > 0;
}

static int joint_changed(const Body *body, const JointPoint *from, const int *before, double h, const Joint *y1) {
    int sign[INDICATOR_ROOM];
    joint_signs(body, from->t + h, y1, &from->m, sign);
    for (int i = 0; i < N_INDICATORS; i++)
        if (sign[i] != before[i]) return 1;
    return 0;
}

/* Shortens a step after which an indicator has changed until little more than the change is left of it. */
static double joint_locate(Body *body, const JointPoint *from, const int *before, double h, double resolution,
                           Joint *y1) {
    double left = 0;
    while (h - left > resolution) {
        const double middle = 0.5 * (left + h);
        double W[MATRIX_ROOM][MATRIX_ROOM];
        int row[N_JOINT];
        Joint y;
        if (isfinite(joint_step(body, from, middle, W, row, &y)) && !joint_changed(body, from, before, middle, &y)) {
            left = middle;
        } else {
            h = middle;
            *y1 = y;
        }
    }
    return h;
}

/* Takes law and body over an interval; 0 where that does not succeed, with y and m in between. `sway`, if it is wanted, is how the end changes with
 * the load, and `sways` whether that is known: on a line, where one step was enough. */
static int advance_joint(Body *body, double length, Joint *y, Modes *m, double *sway, int *sways) {
    const double resolution = JOINT_RESOLUTION * length;
    double h = length, W[MATRIX_ROOM][MATRIX_ROOM];
    int events = 0, row[N_JOINT];
    for (int i = 0; i < N_AXES; i++) y->dv[i] = 0;
    Inputs u = joint_inputs(body, 0, y);
    settle_modes(body->motion->p, &u, &y->x, m);
    JointPoint from = joint_point(body, 0, y, m);
    for (int trial = 0; trial < JOINT_TRIALS_AT_MOST && trial < m->substeps; trial++) {
        const double rest = length - from.t;
        if (h > rest) h = rest;
        int sign[INDICATOR_ROOM];
        joint_signs(body, from.t, &from.y, m, sign);
        const double error = joint_step(body, &from, h, W, row, y);
        if (!(error <= 1)) {
            h *= isfinite(error) ? fmax(0.1, 0.9 / cbrt(error)) : 0.1;
            if (h <= DBL_EPSILON * length) return 0;
            continue;
        }
        double taken = h;
        const int changed = joint_changed(body, &from, sign, h, y);
        if (changed) {
            taken = joint_locate(body, &from, sign, h, resolution, y);
            events = taken <= 2 * resolution ? events + 1 : 0;
            if (events > JOINT_EVENTS_AT_MOST) return 0;
        } else {
            h *= fmin(5, 0.9 / cbrt(fmax(error, 1e-3)));
        }
        const double t = taken < rest ? from.t + taken : length;
        if (changed) {
            u = joint_inputs(body, t, y);
            settle_modes(body->motion->p, &u, &y->x, m);
        }
        if (t == length) {
            if (sways) *sways = N_AXES == 1 && from.t == 0 && !changed;
            if (sways && *sways) joint_sway(body, &from, length, W, row, sway);
            return 1;
        }
        from = joint_point(body, t, y, m);
    }
    return 0;
}
