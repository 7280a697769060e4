/* cube: a cube on six points of a plane, pulled in any direction while its load fades.
 * Colantonio 2022, section 3
 *
 *     m dv/dt = P e - F_n k + sum F_i             P: pull along e, in the plane;
 *                                                 F_n: load downwards; k: up
 *     I dw/dt = h k x P e + sum (r_i - r) x F_i   r: centre, w: angular velocity,
 *                                                 I = m a^2/6 about every axis
 *     dr/dt = v,   dq/dt = w q/2                  q: orientation, a quaternion
 *
 * The points lie on a circle in the lower face, r_i = r + R(q) s_i; point i moves with v + w x (r_i
 * - r). Each contact is one FMU that is given the point and the plane z = 0, and answers with the
 * force F_i on the cube. The load is 10 N and falls to zero from 3 to 4 s, the pull rises to 0.75 N
 * from 1 to 2 s. There is no weight beside the load.
 *
 * The mass and the height h of the pull above the centre are not printed: 1 kg, at which the cube
 * slips as in the paper, and 0.
 *
 * Answer: friction balances the whole pull, 0.75 N, until 0.15 F_n falls below it at 3.5 s, in
 * every direction of the pull. In stick all points have the same deflection, so that each carries
 * friction in proportion to its normal force.
 */
#include <math.h>
#include <stddef.h>

#include "contact_point.h"
#include "system.h"

enum { X, Y, Z, Q0, Q1, Q2, Q3, VX, VY, VZ, WX, WY, WZ, N_OWN };
enum { MASS, EDGE, RADIUS, LOAD, PULL, DIRECTION, HEIGHT };
enum { N_POINTS = 6 };

static const double PULL_BEGINS = 1, PULL_STAYS = 2, LOAD_FADES = 3, LOAD_ENDS = 4; /* s */

static const char *const needs[] = {"contactForce[1]", "contactForce[2]", "contactForce[3]", NULL};
enum { N_NEEDS = 3 };

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Position of point i relative to the centre. */
static void arm(const double *p, const double *x, int i, double *r) {
    const double angle = 2 * PI * i / (double)N_POINTS;
    const double s[3] = {p[RADIUS] * cos(angle), p[RADIUS] * sin(angle), -p[EDGE] / 2};
    double q[4], t[3], u[3];
    const double size = sqrt(x[Q0] * x[Q0] + x[Q1] * x[Q1] + x[Q2] * x[Q2] + x[Q3] * x[Q3]);
    for (int k = 0; k < 4; k++) q[k] = x[Q0 + k] / size;
    cross(q + 1, s, t); /* R s = s + 2 q0 (q x s) + 2 q x (q x s) */
    cross(q + 1, t, u);
    for (int k = 0; k < 3; k++) r[k] = s[k] + 2 * (q[0] * t[k] + u[k]);
}

static double pull(const Instant *m) {
    if (m->phase == 0) return 0;
    if (m->phase > 1) return m->p[PULL];
    return m->p[PULL] * (m->t - PULL_BEGINS) / (PULL_STAYS - PULL_BEGINS);
}

static double load(const Instant *m) {
    if (m->phase < 3) return m->p[LOAD];
    if (m->phase > 3) return 0;
    return m->p[LOAD] * (LOAD_ENDS - m->t) / (LOAD_ENDS - LOAD_FADES);
}

static double event_time(const Instant *m) {
    const double times[] = {PULL_BEGINS, PULL_STAYS, LOAD_FADES, LOAD_ENDS};
    return m->phase < 4 ? times[m->phase] : INFINITY;
}

static void start(const double *p, double *x) {
    for (int i = 0; i < N_OWN; i++) x[i] = 0;
    x[Z] = p[EDGE] / 2;
    x[Q0] = 1;
}

static void inputs(const Instant *m, const double *x, double *u) {
    for (int i = 0; i < N_POINTS; i++, u += N_OFFERS) {
        double r[3], turning[3];
        arm(m->p, x, i, r);
        cross(x + WX, r, turning);
        for (int k = 0; k < 3; k++) {
            u[POINT + k] = x[X + k] + r[k];
            u[PLANE + k] = 0;
            u[NORMAL + k] = k == 2;
            u[VELOCITY + k] = x[VX + k] + turning[k];
        }
    }
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    const double *p = m->p;
    const double degree = PI / 180;
    const double P[3] = {pull(m) * cos(p[DIRECTION] * degree), pull(m) * sin(p[DIRECTION] * degree),
                         0};
    double force[3] = {P[0], P[1], -load(m)};
    double moment[3] = {-p[HEIGHT] * P[1], p[HEIGHT] * P[0], 0};
    for (int i = 0; i < N_POINTS; i++) {
        double r[3], turning[3];
        arm(p, x, i, r);
        cross(r, y + i * N_NEEDS, turning);
        for (int k = 0; k < 3; k++) {
            force[k] += y[i * N_NEEDS + k];
            moment[k] += turning[k];
        }
    }
    for (int k = 0; k < 3; k++) {
        dx[X + k] = x[VX + k];
        dx[VX + k] = force[k] / p[MASS];
        dx[WX + k] = moment[k] / (p[MASS] * p[EDGE] * p[EDGE] / 6);
    }
    const double *q = x + Q0, *w = x + WX;
    double turning[3];
    cross(w, q + 1, turning);
    dx[Q0] = -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]);
    for (int k = 0; k < 3; k++) dx[Q1 + k] = 0.5 * (q[0] * w[k] + turning[k]);
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    double friction[2] = {0, 0};
    for (int i = 0; i < N_POINTS; i++)
        for (int k = 0; k < 2; k++) friction[k] += y[i * N_NEEDS + k];
    outputs[0] = pull(m);
    outputs[1] = load(m);
    outputs[2] = hypot(friction[0], friction[1]);
    outputs[3] = hypot(x[VX], x[VY]);
}

const System system_cube = {
    .name = "cube",
    .title = "A cube on six points, pulled in any direction while its load fades",
    .source = "Colantonio et al. 2022, section 3",
    .stop = 4,
    .interval = 2e-3,
    .parameters =
        PARAMETERS([MASS] = {"mass", "kg", 1, POSITIVE, "Mass of the cube"},
                   [EDGE] = {"edge", "m", 0.1, POSITIVE, "Edge of the cube"},
                   [RADIUS] = {"radius", "m", 0.05, POSITIVE, "Radius of the circle of points"},
                   [LOAD] = {"load", "N", 10, POSITIVE,
                             "Load that presses the cube down until 3 s"},
                   [PULL] = {"pull", "N", 0.75, ANY, "Pull from 2 s on"},
                   [DIRECTION] = {"direction", "deg", 0, ANY,
                                  "Direction of the pull, from the x axis"},
                   [HEIGHT] = {"pullHeight", "m", 0, ANY, "Height of the pull above the centre"}),
    .states =
        QUANTITIES([X] = {"positionX", "m", 1e-5, "Position of the centre"},
                   [Y] = {"positionY", "m", 1e-5, "Position of the centre"},
                   [Z] = {"positionZ", "m", 1e-6, "Height of the centre"},
                   [Q0] = {"orientation0", "1", 1e-4, "Quaternion of the orientation, real part"},
                   [Q1] = {"orientation1", "1", 1e-4, "Quaternion of the orientation, about x"},
                   [Q2] = {"orientation2", "1", 1e-4, "Quaternion of the orientation, about y"},
                   [Q3] = {"orientation3", "1", 1e-4, "Quaternion of the orientation, about z"},
                   [VX] = {"velocityX", "m/s", 1e-3, "Velocity of the centre"},
                   [VY] = {"velocityY", "m/s", 1e-3, "Velocity of the centre"},
                   [VZ] = {"velocityZ", "m/s", 1e-3, "Velocity of the centre, upwards"},
                   [WX] = {"angularVelocityX", "rad/s", 1e-2, "Angular velocity about x"},
                   [WY] = {"angularVelocityY", "rad/s", 1e-2, "Angular velocity about y"},
                   [WZ] = {"angularVelocityZ", "rad/s", 1e-2, "Angular velocity about z"}),
    .outputs =
        QUANTITIES({"pullForce", "N", 1, "Pull of now"}, {"loadForce", "N", 1, "Load of now"},
                   {"totalFriction", "N", 1, "Magnitude of the friction of all points"},
                   {"speed", "m/s", 1e-3, "Speed of the centre in the plane"}),
    .contacts = CONTACTS({"point1", "colantonio2022_cube", contact_point_inputs, needs},
                         {"point2", "colantonio2022_cube", contact_point_inputs, needs},
                         {"point3", "colantonio2022_cube", contact_point_inputs, needs},
                         {"point4", "colantonio2022_cube", contact_point_inputs, needs},
                         {"point5", "colantonio2022_cube", contact_point_inputs, needs},
                         {"point6", "colantonio2022_cube", contact_point_inputs, needs}),
    .start = start,
    .inputs = inputs,
    .rates = rates,
    .results = results,
    .event_time = event_time,
};
