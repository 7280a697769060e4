/* What one instance of a friction element holds, and the phases of its life. */
#ifndef BRISTLE_INSTANCE_H
#define BRISTLE_INSTANCE_H

#include <stddef.h>

/* The importer's headers decide what becomes of FMI2_FUNCTION_PREFIX, which fmu.c defines. Where there are none, those that come
 * with the sources serve: they know no prefix, so it is put in here. */
#ifdef __has_include
#if !__has_include(<fmi2Functions.h>)
#define BRISTLE_OWN_HEADERS
#endif
#endif
#ifdef BRISTLE_OWN_HEADERS
#include "headers/fmi2Functions.h"
#ifdef FMI2_FUNCTION_PREFIX
#undef fmi2FullName
#define BRISTLE_PASTE(prefix, name) prefix##name
#define BRISTLE_PASTE_VALUES(prefix, name) BRISTLE_PASTE(prefix, name)
#define fmi2FullName(name) BRISTLE_PASTE_VALUES(FMI2_FUNCTION_PREFIX, name)
#endif
#else
#include <fmi2Functions.h>
#endif

/* Functions that stay out of their callers, so as not to burden the usual way through these: NOINLINE, and COLD called at all. */
#ifdef __GNUC__
#define NOINLINE __attribute__((noinline))
#define COLD __attribute__((noinline, cold))
#else
#define NOINLINE
#define COLD
#endif

/* Phases of the FMI 2.0 state machines of both kinds, as bits so that a function can name all it allows. */
enum {
    INSTANTIATED = 1,
    INITIALIZATION = 2,
    EVENT = 4,
    CONTINUOUS = 8,
    STEPPING = 16, /* co-simulation, between two steps */
    TERMINATED = 32,
    BEFORE_START = INSTANTIATED | INITIALIZATION,
    RUNNING = EVENT | CONTINUOUS | STEPPING,
    ANY_PHASE = 63
};

/* All Reals in one block; a value reference counts through it. */
typedef struct {
    Parameters p;
    Inputs u;
    States x;
    States dx;
    Outputs y;
#if HAS_COUPLING
    Observed observed;
#endif
} Reals;

/* What is known of a point behind a crossing of an indicator: nothing; it was seen; the mode is the one that holds there. */
enum { AHEAD_NOTHING, AHEAD_SEEN, AHEAD_TAKEN };

/* Everything that a stored FMU state has to bring back; from reals.u on, what a co-simulation step may change. */
typedef struct {
    Inputs u_rate; /* of the inputs during a co-simulation step */
    double tolerance;
    double t_ahead; /* model exchange: time, inputs and states at which an indicator was last seen with another sign */
    Inputs u_ahead;
    States x_ahead;
    States nominals; /* of the states, as they were given last; zero before the run */
    int ahead;       /* one of AHEAD_… */
    int signs;       /* bit i: indicator i was positive when continuous-time mode was entered */
    int phase;
    int states_given; /* the importer has set the states before the run started */
    int load_set;     /* the importer has set the load, or its rate, in a model that has one among its inputs */
    int unchecked;    /* parameters have changed since the last check of their rules */
    Reals reals;
    Inputs u_last; /* inputs at the end of the last co-simulation step, in model exchange at the last event */
    Modes modes;
    double time;
    double solver_step;
    double left_out; /* of the run, by steps that did not start where the last one had ended */
    int new_rates;   /* bit i: the rate of input i was given for the step to come, so that setting its value keeps it */
    int started;     /* has left event mode, or made a step: initial values and options hold from here on */
    int alternations; /* steps one after the other that have each turned the velocity round */
    int stale;        /* derivatives and outputs have to be evaluated anew */
    int co_simulates; /* an instance for model exchange has no room for what comes last */
#if HAS_COUPLING
    Coupling
        coupling; /* with the body, where couplingMass is given; last, so that a step without it need not copy it */
#endif
} Memory;

/* What the memory of an instance of a kind takes. */
static size_t memory_size(fmi2Type kind) {
#if HAS_COUPLING
    if (kind == fmi2ModelExchange) return offsetof(Memory, coupling);
#endif
    (void)kind;
    return sizeof(Memory);
}

typedef struct {
    fmi2Type kind;
    fmi2Status last_step;
    fmi2CallbackLogger logger;
    fmi2CallbackAllocateMemory allocate;
    fmi2CallbackFreeMemory free;
    fmi2ComponentEnvironment environment;
    unsigned logged;    /* categories that are switched on, one bit each */
    unsigned tolerated; /* calls against the standard that have been reported, one bit each */
    int refused;        /* a call has been refused, and its reason told */
#if LINEAR_STATES
    int slopes_known; /* unless the memory is stale: of the rates, from the last evaluation between co-simulation steps */
    States slopes;
#endif
    char *name;    /* which lies behind the memory */
    Memory memory; /* last, with as much of it as its kind needs */
} Instance;

#endif
