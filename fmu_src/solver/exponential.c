/* Steps for linear states that do not see each other: dx/dt = b (z - x), where z is the value that x tends to.
 *
 * Under held inputs b and z are constant and the step is exact. Under moving inputs x follows z; over the phase s, ds = b dt,
 *
 *     dx/ds = z(s) - x,   x(S) = x(0) exp(-S) + integral of exp(s - S) z(s) ds from 0 to S,
 *
 * and with a cubic for z through four points of the step the integral is exact again, however large b is.
 */
#include <math.h>

/* Held inputs: x(h) = x + h phi(h J) f with phi(a) = (exp(a) - 1)/a. */
static double held_step(const Point *from, double h, States *x1) {
    for (int i = 0; i < N_STATES; i++) {
        const double a = h * from->J[i][i];
        const double phi = a == 0 ? 1 : expm1(a) / a;
        ((double *)x1)[i] = ((const double *)&from->x)[i] + h * phi * ((const double *)&from->f)[i];
        if (!isfinite(((double *)x1)[i])) return INFINITY;
    }
    return 0;
}

/* The way of one state over a step of length h, from b and z (less the state at the start) at 0, 1/3, 2/3 and 1 of it.
 * The error is what the cubics of z and b do better than the parabolas through the last three points. */
static double followed(const double *b, const double *z, double h, double *error) {
    /* The phase at the points, counted from the end, and its whole length. */
    const double S = h / 8 * (b[0] + 3 * b[1] + 3 * b[2] + b[3]);
    const double s1 = h / 72 * (9 * b[0] + 19 * b[1] - 5 * b[2] + b[3]) - S;
    const double s2 = h / 9 * (b[0] + 4 * b[1] + b[2]) - S;
    /* Newton's form of z(s), from the end on: divided differences. */
    const double d32 = (z[2] - z[3]) / s2, d21 = (z[1] - z[2]) / (s1 - s2), d10 = (z[0] - z[1]) / (-S - s1);
    const double d321 = (d21 - d32) / s1, d210 = (d10 - d21) / (-S - s2);
    const double d3210 = (d210 - d321) / -S;
    /* Integrals of exp(s) s^k from -S to 0. */
    const double faded = exp(-S);
    const double I0 = 1 - faded, I1 = S * faded - I0, I2 = -S * S * faded - 2 * I1, I3 = S * S * S * faded - 3 * I2;
    const double cubic = d3210 * (I3 - (s1 + s2) * I2 + s1 * s2 * I1);
    const double uneven = fabs(b[3] - 3 * b[2] + 3 * b[1] - b[0]) * h / (8 * S);
    *error = fabs(cubic) + uneven * (fabs(d32 * I1) + S * faded * fabs(z[0]));
    return z[3] * I0 + d32 * I1 + d321 * (I2 - s2 * I1) + cubic;
}

/* Moving inputs, in sliding. The error is infinite where a state does not keep up with them or b changes much: there a cubic
 * says little. */
static double following_step(const Motion *motion, const Point *from, double h, States *x1) {
    static const int order[] = {0, 3, 1, 2}; /* the ends first: where they do not fit, the rest is not looked at */
    double b[STATE_ROOM][4], z[STATE_ROOM][4], error[STATE_ROOM];
    for (int i = 0; i < N_STATES; i++)
        if (!(-h * from->J[i][i] > 1)) return INFINITY;
    for (int n = 0; n < 4; n++) {
        const int k = order[n];
        const Point point = k == 0 ? *from : point_at(motion, from->t + k * h / 3, &from->x, &from->m);
        for (int i = 0; i < N_STATES; i++) {
            b[i][k] = -point.J[i][i];
            z[i][k] = ((const double *)&point.f)[i] / b[i][k];
            if (!(b[i][k] < 4 * b[i][0] && b[i][0] < 4 * b[i][k])) return INFINITY;
        }
    }
    for (int i = 0; i < N_STATES; i++)
        ((double *)x1)[i] = ((const double *)&from->x)[i] + followed(b[i], z[i], h, &error[i]);
    double allowed[STATE_ROOM];
    allowed_errors(motion, from, h, x1, allowed);
    return scaled_error(error, (const double *)x1, allowed);
}
