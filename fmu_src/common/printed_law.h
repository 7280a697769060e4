/* Warns where a law as printed gives a force that the contact cannot carry. */
#ifndef BRISTLE_PRINTED_LAW_H
#define BRISTLE_PRINTED_LAW_H

#include <math.h>
#include <stddef.h>

static void evaluate(const Parameters *p, const Inputs *u, const States *x, const Modes *m,
                     States *dx, Outputs *y);

/* Advises the option Bounded where it changes the force: the printed one creates energy, pushes a
 * body along, is left over from a greater normal force or exceeds what the contact can carry. A
 * thousandth of the sliding friction is more than the error of a solver; a smaller difference
 * changes no benchmark system by as much. */
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
