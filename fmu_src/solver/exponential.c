/* Steps under held inputs of states that are linear and do not see each other, or of one that
 * nearly is. */
#include <math.h>

/* Held inputs: x(h) = x + h phi(h J) f with phi(a) = (exp(a) - 1)/a. */
static double held_step(const Point *from, double h, States *x1) {
    for (int i = 0; i < N_STATES; i++) {
        const double a = h * from->J[i][i];
        const double phi = a == 0 ? 1 : expm1(a) / a;
        state_places(x1)[i] = state_values(&from->x)[i] + h * phi * state_values(&from->f)[i];
        if (!isfinite(state_values(x1)[i])) return INFINITY;
    }
    return 0;
}

/* A state alone under held inputs, whose rate is all but a straight line over the way that it goes:
 * the step of that line. Its error is what the rate leaves the line by, half way and at the end,
 * over the step. A state alone does not turn round, so that a limit which it has met is seen at the
 * end. */
NOINLINE static double nearly_linear_step(const Motion *motion, const Point *from, double h,
                                          States *x1) {
    const double x0 = state_values(&from->x)[0], f0 = state_values(&from->f)[0], J = from->J[0][0];
    if (!(held_step(from, h, x1) <= 1)) return INFINITY;
    const double way = state_values(x1)[0] - x0;
    /* of a deviation from the line all over the step */
    const double weight = f0 == 0 ? 0 : way / f0;
    double allowed[STATE_ROOM], worst = 0;
    allowed_errors(motion, from, h, x1, allowed);
    for (int part = 2; part > 0;
         part--) { /* the end first: where it does not fit, the rest is not looked at */
        States x = no_states;
        state_places(&x)[0] = x0 + 0.5 * part * way;
        const States f = rates_at(motion, from->t, &x, &from->m);
        const double off =
            weight * fabs(state_values(&f)[0] - (f0 + J * (0.5 * part * way))) / allowed[0];
        if (!(off <= 1)) return INFINITY;
        worst = fmax(worst, off);
    }
    return worst;
}
