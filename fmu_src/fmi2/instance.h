/* The data of an instance of a friction element, and the phases of its life cycle. */
#ifndef BRISTLE_INSTANCE_H
#define BRISTLE_INSTANCE_H

#include <stddef.h>

/* The importer's headers handle FMI2_FUNCTION_PREFIX, which fmu.c defines. Without them, the
 * headers that come with the sources are used; these do not know the prefix, so it is applied
 * here. */
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

/* States of the two state machines of FMI 2.0, by the standard's names, as bits so that a function
 * can name all it allows. */
enum {
    INSTANTIATED = 1,
    INITIALIZATION_MODE = 2,
    EVENT_MODE = 4,
    CONTINUOUS_TIME_MODE = 8,
    STEP_COMPLETE = 16,
    TERMINATED = 32,
    BEFORE_START = INSTANTIATED | INITIALIZATION_MODE,
    MODEL_EXCHANGE = EVENT_MODE | CONTINUOUS_TIME_MODE,
    RUNNING = MODEL_EXCHANGE | STEP_COMPLETE,
    ANY_PHASE = 63
};

/* All Reals in one block; a value reference is an index into it. */
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

/* What is known about a point beyond a crossing of an indicator: nothing; it was detected; the
 * mode is already the one beyond it. */
enum { AHEAD_NOTHING, AHEAD_SEEN, AHEAD_TAKEN };

#if HAS_COUPLING
/* What is remembered of the motion, to notice that the body chatters (chatter.c). */
typedef struct {
    double length;               /* of the last step, 0 before the first */
    double a[N_AXES];            /* acceleration over it */
    double given[N_AXES];        /* force at its end, which the host has now */
    double force[N_AXES];        /* at its start */
    double force_change[N_AXES]; /* from the one before */
    /* products of changes of acceleration and force, older ones fading */
    double aa, ff, ff_late, af, af_late;
    double peak; /* largest squared acceleration, fading */
    int thrown;  /* the last acceleration was as large as that */
    int turns;   /* that count */
    int since;   /* steps since the last turn */
    int steps;   /* in all */
} Chatter;

enum { CHATTER_NUMBERS = offsetof(Chatter, thrown) / sizeof(double) };
#endif

#if HAS_APPROACH
/* What is remembered of an impact, to notice that it gives back more than it took (rebound.c). */
typedef struct {
    double length; /* of the last step, 0 before the first */
    double rate;   /* of the penetration at its start */
    double normal; /* force at its end, which the host has now */
    double force;  /* at its start */
    /* energy given to the bodies since touch-down, if the force acts at once and a step late */
    double given[2];
    double exchanged[2]; /* all work since then */
    double most;         /* work of an impact until now */
} Rebound;
#endif

/* What no co-simulation step changes: what is set, and what model exchange knows of inputs and
 * indicators at other times. */
typedef struct {
    Inputs u_rate; /* of the inputs during a co-simulation step */
    double tolerance;
    double t_ahead; /* time, inputs and states at which an indicator last had another sign */
    Inputs u_ahead;
    States x_ahead;
    double t_set;  /* time for which the inputs were set */
    double t_seen; /* time at which indicators were last asked for, and the inputs then */
    Inputs u_seen;
    double t_from; /* the same when the inputs last went on from there */
    Inputs u_from;
    States nominals;  /* of the states, as last returned; zero before the run */
    int ahead;        /* one of AHEAD_… */
    int signs;        /* bit i: indicator i was positive when continuous-time mode was entered */
    int phase;        /* state of the state machine */
    int states_given; /* the importer has set the states before the run started */
    int load_set;     /* it has set the load, or its rate, in a model with one among its inputs */
    int unchecked;    /* parameters have changed since the last check of their rules */
    int co_simulates;
} Settings;

/* What a co-simulation step changes beside inputs and states; one that fails puts all of it
 * back. */
typedef struct {
    Inputs u_last; /* inputs at the end of the last step, in model exchange at the last event */
    Modes modes;
    double time;
    int new_rates; /* bit i: input i has a rate for the next step, which setting its value keeps */
    int started;   /* has left event mode, or made a step: initial values and options are fixed */
    int stale;     /* derivatives and outputs have to be evaluated again */
} State;

/* The same of what only co-simulation has. */
typedef struct {
    double solver_step;
    double left_out; /* time skipped by steps that did not start where the last one ended */
#if HAS_APPROACH
    Rebound rebound;
#endif
#if HAS_COUPLING
    Chatter chatter;
#endif
} Stepping;

/* Everything that a stored FMU state has to restore. */
typedef struct {
    Settings kept;
    Reals reals;
    State state;
    Stepping stepping; /* from here on model exchange has no room */
#if HAS_COUPLING
    Coupling coupling; /* with the body, where couplingMass is given */
#endif
} Memory;

/* What the memory of an instance of a kind takes. */
static size_t memory_size(fmi2Type kind) {
    return kind == fmi2ModelExchange ? offsetof(Memory, stepping) : sizeof(Memory);
}

typedef struct {
    fmi2Type kind;
    fmi2Status last_step;
    fmi2CallbackLogger logger;
    fmi2CallbackAllocateMemory allocate;
    fmi2CallbackFreeMemory free;
    fmi2ComponentEnvironment environment;
    unsigned logged; /* categories that are switched on, one bit each */
    unsigned warned; /* warnings that have been logged, one bit each */
    int refused;     /* a call has been refused, and the reason logged */
#if LINEAR_STATES
    /* unless the memory is stale: of the rates, from the last evaluation between co-simulation
     * steps */
    int slopes_known;
    States slopes;
#endif
    char *name;    /* which lies behind the memory */
    Memory memory; /* last, with as much of it as its kind needs */
} Instance;

#endif
