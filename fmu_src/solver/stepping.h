/* What every user of the stepper has in common: numbers, size control, attributes of functions. */
#ifndef BRISTLE_STEPPING_H
#define BRISTLE_STEPPING_H

#include <math.h>

/* Some hundred rounding errors, as in a step: the tightest tolerance, and the relative error of a
 * state that is no error. */
static const double ROUNDING = 1e-13;
static const double TOO_LONG = 1e4; /* scaled error that makes the next trial ten times shorter */

/* Factor of the next step after one with this error, by its order and a tenth less: at most five,
 * which needs no roots; fifty would cost up to twice the work. */
static double growth(double error) {
    return error < 1e-3 ? 5 : fmin(5, 0.9 / sqrt(sqrt(error)));
}

/* Factor of the next trial step after one whose error is too large; at least a tenth, since a large
 * error says little. */
static double shrinkage(double error) {
    return fmax(0.1, 0.9 / sqrt(sqrt(error)));
}

/* FLATTENED: a function with a copy of the model: all calls are inlined, and what only unused
 * outputs need is removed. NOINLINE and COLD: functions that are not inlined, so as not to slow
 * down the usual path through their callers; COLD ones are seldom called at all. INLINED: short
 * functions of which each version of FMI has a copy. */
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
