/* A system: the host's side of a benchmark. It moves bodies, and friction elements (FMUs) act at
 * its contacts.
 *
 *     dx/dt = rates(t, x, y)   x: states of the system
 *     u     = inputs(t, x)     u: inputs of the contacts, in the order of their `inputs`,
 *                              contact by contact
 *     y     = FMUs(t, u)       y: their outputs, in the order of their `outputs`,
 *                              contact by contact
 *
 * A system is one file systems/<name>.c with its equations in a comment on top and one `const
 * System system_<name>`; the build finds it. Names in `inputs` and `outputs` are those of the FMU's
 * variables. An FMU fits if every input it has is offered and every output that is needed exists;
 * it may leave offers unused. Where relativeVelocity is offered as one number, an element in space
 * fits too: it moves along its first axis, relativeVelocity[1], and returns frictionForce[1].
 *
 * Where inputs depend on the outputs of the elements (a joint is loaded by its reactions, and
 * friction is part of them), the system fills them in from y by `loads`, linearly: an algebraic
 * loop, which the assembly solves.
 *
 * If only elements with ideal stick have such an input (the torque that a clutch has to carry so
 * that it stays shut, while the next one slips), the system names it as its `load`. Then a contact
 * has one output, and without an element that has the input there is no loop.
 *
 * Jumps in time (a load that is switched) are announced by `event_time`: the host stops there,
 * counts `phase` up and restarts. A system decides by `phase`, never by comparing the time, so that
 * it stays continuous up to and including the event. Kinks in the states may be marked by
 * `indicators`: the host locates their zeros and restarts there.
 */
#ifndef SYSTEM_H
#define SYSTEM_H

#include "message.h"

static const double PI = 3.14159265358979323846;

/* Numbers over time. */
typedef struct {
    int n_rows, n_columns;    /* without the column of times */
    const char *const *names; /* ends with NULL */
    const double *times;      /* never falling; a repeated time is a jump */
    const double *values;     /* row by row */
} Table;

typedef enum { ANY, NOT_NEGATIVE, POSITIVE } Range;

typedef struct {
    const char *name, *unit;
    double value;
    Range range;
    const char *text;
} Parameter;

typedef struct {
    const char *name, *unit;
    /* size that counts: the absolute tolerance of a state is this times the relative one */
    double nominal;
    const char *text;
} Quantity;

typedef struct {
    const char *name;          /* prefix of the columns where there are several contacts */
    const char *set;           /* parameter set for the FMU, from resources/ */
    const char *const *inputs; /* lists end with NULL */
    const char *const *outputs;
} Contact;

/* A parameter of the system that the FMU at a contact has too, by the same name. */
typedef struct {
    int parameter, contact;
} Shared;

/* Lists of these, with their end. */
#define PARAMETERS(...) ((const Parameter[]){__VA_ARGS__, {NULL, NULL, 0, ANY, NULL}})
#define QUANTITIES(...) ((const Quantity[]){__VA_ARGS__, {NULL, NULL, 0, NULL}})
#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})
#define CONTACTS(...) ((const Contact[]){__VA_ARGS__, {NULL, NULL, NULL, NULL}})

typedef struct {
    const double *p; /* parameters in the order of the descriptor */
    const Table *table;
    double t;
    int phase; /* number of time events that lie behind */
} Instant;

typedef struct {
    const char *name, *title, *source;
    /* defaults; a stop of 0 is the end of the table. No step is longer than ten intervals */
    double stop, interval;
    const Parameter *parameters; /* lists end with a name of NULL */
    const Quantity *states;
    const Quantity *outputs;
    const Contact *contacts;
    /* the FMU of each contact, from the folder of the given one: its name, with % in place of the
     * name of the given one; NULL: all contacts have the given one */
    const char *const *beside;
    /* given to the FMUs at the start and at every event; ends with a contact of -1; NULL: none */
    const Shared *shared;
    int n_indicators;
    /* the one input that `loads` fills in, which an element need not have; NULL: any */
    const char *load;
    /* the motion comes from a file, and its columns are the inputs of the one contact */
    bool reads_table;

    void (*start)(const double *p, double *x); /* may be NULL: all zero */
    void (*inputs)(const Instant *m, const double *x, double *u);
    void (*loads)(const Instant *m, const double *x, const double *y,
                  double *u); /* may be NULL without a loop */
    void (*rates)(const Instant *m, const double *x, const double *y, double *dx);
    void (*results)(const Instant *m, const double *x, const double *y,
                    double *outputs);       /* may be NULL without outputs */
    double (*event_time)(const Instant *m); /* of event number `phase`; may be NULL */
    void (*indicators)(const Instant *m, const double *x, double *g); /* may be NULL */
} System;

/* Value of a parameter of an FMU. */
typedef struct {
    const char *name;
    double value;
} Value;

static inline int count_contacts(const System *system) {
    int n = 0;
    while (system->contacts[n].name) n++;
    return n;
}

/* Generated by the build from systems/ and resources/. */
typedef struct {
    const char *model; /* the only one with this value; NULL: all */
    const char *name;
    double value;
} SetValue;

typedef struct {
    const char *name, *title;
    const char *const *models; /* whose parameters these are; ends with NULL */
    const SetValue *values;    /* ends with a name of NULL */
} ParameterSet;

extern const System *const systems[];       /* ends with NULL */
extern const ParameterSet parameter_sets[]; /* ends with a name of NULL */

#endif
