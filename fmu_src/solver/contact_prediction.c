/* The normal force of a contact in a host that holds it over its step h, with the mass m given: the
 * law is evaluated where the body will be, so that a stiff contact adds no energy.
 *
 * With a prediction over H, some steps, for a depth d > 0 and its rate r:
 *   the damper c of the present depth brakes the rate alone, implicitly: r1 = r/(1 + H c/m);
 *   the spring is that of the depth reached with it, S = S(d + H r1 - H^2 S/m), Euler's implicit
 *   step: in series with m/H^2, with a lead of H;
 *   N = S + m (r - r1)/H, never negative.
 * If H = h, the force acts at once and x' = x + h v', no impact gains energy, whatever its spring:
 * the damper brakes, and Euler's implicit step only loses energy in a convex potential. A force
 * that acts late needs more of a lead: with H = a h small motions without a damper, q = (h^2/m)
 * dS/dd <= 1/a^2, decay if (Jury)
 *   at once: q < 4/(2 a + 1), and q < 4/(2 a - 1) where the host has x' = x + h v;
 *   late:    z^3 - 2 z^2 + (1 + (a + 1) q) z - a q = 0: q < (a - 1)/a^2, or q < (a - 2)/(a - 1)^2.
 * So a = 3 and a = 4 tolerate masses twice and three times too large; but impacts begin a step or
 * two too deep: with 1.2 of the mass, late, x' = x + h v, they gain energy with 3 and not with 4.
 * A load e, which is not known, moves the depth of rest by H^2 e/m. */
#include <math.h>

static const double STEPS_AHEAD = 4;

typedef struct {
    double longest; /* step since touch-down, and fading of those in flight; 0 before any */
    double displacement, rate; /* by which the body is ahead */
} Prediction;

COLD static double normal_force_ahead(const Parameters *p, Inputs u, double displacement,
                                      double rate) {
    move_contact(&u, displacement, rate);
    return fmax(normal_force(p, &u), 0);
}

/* Damping at a predicted displacement, where the rate of the inputs is r. */
static double damping(const Parameters *p, const Inputs *u, double displacement, double r) {
    return normal_force_ahead(p, *u, displacement, 1 - r) -
           normal_force_ahead(p, *u, displacement, -r);
}

/* Predicts the motion of the body from the inputs at the start of a step of length h. */
COLD static void predict_contact(const Parameters *p, const Inputs *u, double m, double h,
                                 Prediction *s) {
    const int touches = normal_force(p, u) > 0;
    s->longest = fmax(h, (touches ? 1 : LONGEST_FADES) * s->longest);
    s->displacement = s->rate = 0;
    if (!touches) return;
    const double H = STEPS_AHEAD * s->longest, r = approach(p, u), series = m / (H * H);
    const double braked = r / (1 + H * damping(p, u, 0, r) / m);
    /* between the displacement without a spring and that with more spring force than there is */
    double far = H * braked, near = far - normal_force_ahead(p, *u, far, -r) / series;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (near + far);
        if (normal_force_ahead(p, *u, middle, -r) < series * (H * braked - middle))
            near = middle;
        else
            far = middle;
    }
    const double c = damping(p, u, near, r);
    const double rate = (c > 0 ? m * (r - braked) / (H * c) : 0) - r;
    if (!isfinite(near)) return; /* overflow: as without the body */
    s->displacement = near;
    s->rate = rate;
}
