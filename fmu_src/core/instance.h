/* The data of an instance of a friction element, and the phases of its life cycle. */
#ifndef BRISTLE_INSTANCE_H
#define BRISTLE_INSTANCE_H

#include <stddef.h>

/* The result of a call, with the numbers of the standard. */
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL } Status;

/* The value reference of a variable. */
typedef unsigned int Reference;

/* The kind of an instance: model exchange or co-simulation. */
typedef enum { KIND_EXCHANGE, KIND_STEPPING } Kind;

/* States of the two state machines of FMI, by the standard's names, as bits so that a function can
 * name all it allows. */
enum {
    INSTANTIATED = 1,
    INITIALIZATION_MODE = 2,
    EVENT_MODE = 4,
    CONTINUOUS_TIME_MODE = 8,
    STEP_COMPLETE = 16,
    TERMINATED = 32,
    INTERMEDIATE_UPDATE = 64, /* the host may set inputs during a step */
    BEFORE_START = INSTANTIATED | INITIALIZATION_MODE,
    MODEL_EXCHANGE = EVENT_MODE | CONTINUOUS_TIME_MODE,
    STEPPING = STEP_COMPLETE | INTERMEDIATE_UPDATE,
    RUNNING = MODEL_EXCHANGE | STEP_COMPLETE,
    OUTSIDE_STEPS = BEFORE_START | RUNNING | TERMINATED,
    ANY_PHASE = OUTSIDE_STEPS | INTERMEDIATE_UPDATE
};

#if HAS_COUPLING
/* What the observer knows of the body, as outputs. */
typedef struct {
    double load[N_AXES];
} Observed;
#endif

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

/* The crossing of an indicator ahead of the present time: none; detected; passed, so that the mode
 * is already the one beyond it. */
enum { CROSSING_NONE, CROSSING_DETECTED, CROSSING_PASSED };

#if HAS_COUPLING
/* The history of the motion that detects chatter of the body (chatter.c). */
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
    int steps;   /* in all */
} Chatter;

enum { CHATTER_NUMBERS = offsetof(Chatter, thrown) / sizeof(double) };
#endif

#if HAS_APPROACH
/* The history of an impact that detects a gain of energy (rebound.c). */
typedef struct {
    double length; /* of the last step, 0 before the first */
    double rate;   /* of the penetration at its start */
    double normal; /* force at its end, which the host has now */
    double force;  /* at its start */
    /* energy given to the bodies since touch-down, if the force acts at once and a step late */
    double given[2];
    double exchanged[2];  /* all work since then */
    double most;          /* work of an impact until now */
    double approach_rate; /* rate before they touched */
} Rebound;
#endif

/* All that no co-simulation step changes: settings, and what model exchange stores of inputs and
 * indicators at other times. */
typedef struct {
    Inputs u_rate; /* of the inputs during a co-simulation step */
    double tolerance;
    double t_crossing; /* time, inputs and states at which an indicator last had another sign */
    Inputs u_crossing;
    States x_crossing;
    double t_set;     /* time for which the inputs were set */
    double t_sampled; /* time of the last indicators or event, and the inputs then */
    Inputs u_sampled;
    double t_base; /* the same before the inputs were last set: interpolation starts there */
    Inputs u_base;
    States nominals;  /* of the states, as last returned; zero before the run */
    int crossing;     /* one of CROSSING_… */
    int signs;        /* bit i: indicator i was positive when continuous-time mode was entered */
    int phase;        /* state of the state machine */
    int states_given; /* the importer has set the states before the run started */
    int load_set;     /* it has set the load, or its rate, in a model with one among its inputs */
    int unchecked;    /* parameters have changed since the last check of their rules */
    int co_simulates;
} Settings;

/* What a co-simulation step changes beside inputs and states; a step that fails restores all of
 * it. */
typedef struct {
    Inputs u_last; /* inputs at the end of the last step, in model exchange at the last event */
    Modes modes;
    double time;
    int new_rates; /* bit i: input i has a rate for the next step, even if its value is set */
    int started;   /* event mode was left, or a step made: initial values and options are fixed */
    int stale;     /* derivatives and outputs have to be evaluated again */
} State;

/* The same for what only co-simulation has. */
typedef struct {
    double solver_step;
    double left_out; /* time skipped by steps that did not start where the last one ended */
#if HAS_APPROACH
    Rebound rebound;
    Prediction prediction;
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
    Shadow shadow; /* of the body, where couplingMass is given */
#endif
} Memory;

/* Size of the memory of an instance of a kind. */
static size_t memory_size(Kind kind) {
    return kind == KIND_EXCHANGE ? offsetof(Memory, stepping) : sizeof(Memory);
}

/* The callbacks of the importer. */
typedef struct Host {
    void (*logger)(void); /* of a type that only `log` knows */
    void (*log)(const struct Host *host, const char *name, Status status, const char *category,
                const char *text);
    void *(*allocate)(size_t count, size_t size);
    void (*free)(void *place);
    void *environment;
} Host;

typedef struct {
    Kind kind;
    Status last_step;
    Host host;
    unsigned logged;      /* categories that are switched on, one bit each */
    unsigned warned;      /* warnings that have been logged, one bit each */
    int refused;          /* a call has been refused, and the reason logged */
    int tunable;          /* parameters that do not belong to the start are declared so */
    int uses_events;      /* co-simulation with event mode */
    int stops_early;      /* whose steps may end at an event */
    int event;            /* has been met in the last step */
    void (*update)(void); /* callback for inputs during a step, or NULL; typed by the version */
#if LINEAR_STATES
    /* slopes of the rates from the last evaluation between co-simulation steps; valid unless the
     * memory is stale */
    int slopes_known;
    States slopes;
#endif
    char *name;    /* stored behind the memory */
    Memory memory; /* last, with as much of it as its kind needs */
} Instance;

/* Converts an importer's pointer. */
static Instance *of(void *component) {
    return (Instance *)component;
}

#endif
