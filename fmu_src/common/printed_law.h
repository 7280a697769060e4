/* Where the force of a law as printed is none that the contact can carry. */
#ifndef BRISTLE_PRINTED_LAW_H
#define BRISTLE_PRINTED_LAW_H

#include <math.h>
#include <stddef.h>

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y);

/* The remedy where the printed force creates energy, pushes a body along, is left over from a
 * greater normal force or exceeds what the contact can carry: where it is not the bounded one. A
 * thousandth of the sliding friction is more than the error of a solver; what is less changes no
 * benchmark system by as much. */
static const char *advice(const Parameters *p, const Inputs *u, const States *x, const Modes *m) {
    Modes other = *m;
    other.law = LAW_BOUNDED;
    States dx;
    Outputs printed, bounded;
    evaluate(p, u, x, m, &dx, &printed);
    evaluate(p, u, x, &other, &dx, &bounded);
    if (fabs(printed.mu - bounded.mu) > 1e-3 * p->mu_d)
        return "The printed law gives a force that the contact cannot carry, or creates energy; "
               "with law = 2 (Bounded) it does not.";
    return NULL;
}

#endif
