/* What every user of the stepper has in common: numbers, size control, attributes of functions. */
#ifndef BRISTLE_STEPPING_H
#define BRISTLE_STEPPING_H

#include <math.h>

/* Some hundred roundings, what a step makes of them: the tightest tolerance, and the part of a
 * state that is no error. */
static const double ROUNDING = 1e-13;
static const double TOO_LONG = 1e4; /* scaled error that makes the next trial ten times shorter */

/* How many times longer the next trial step may be than one that made this error, by its order and
 * a tenth less: five at most, since fifty costs up to twice the work, where it needs no roots. */
static double growth(double error) {
    return error < 1e-3 ? 5 : fmin(5, 0.9 / sqrt(sqrt(error)));
}

/* The part that the next trial step is of one that made this error, which is too large; a tenth at
 * least, since a large error says little. */
static double shrinkage(double error) {
    return fmax(0.1, 0.9 / sqrt(sqrt(error)));
}

/* FLATTENED: a function that has the model for itself: all that it calls is inlined, and what only
 * outputs need that it does not give is left out. NOINLINE and COLD: functions that stay out of
 * their callers, so as not to burden the usual way through these; COLD ones are seldom called at
 * all. INLINED: short functions that each version of FMI has for itself. */
#ifdef __GNUC__
#define FLATTENED __attribute__((noinline, flatten))
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((noinline, cold))
#define INLINED inline __attribute__((always_inline))
#else
#define FLATTENED
#define NOINLINE
#define COLD
#define INLINED inline
#endif

/* The members of a struct as an array: …_values to read, …_places to write. Typed, so that a wrong
 * struct does not compile. */
#define VALUES(Struct, Number, values, places)                                                     \
    static const Number *values(const Struct *members) {                                           \
        return (const Number *)members;                                                            \
    }                                                                                              \
    static Number *places(Struct *members) {                                                       \
        return (Number *)members;                                                                  \
    }

#endif
