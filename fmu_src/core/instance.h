/* The data of an instance of a friction element, and the phases of its life cycle. */
#ifndef BRISTLE_INSTANCE_H
#define BRISTLE_INSTANCE_H

#include <stddef.h>

/* What a call comes to, with the numbers of the standard. */
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL } Status;

/* Of a variable. */
typedef unsigned int Reference;

/* What an instance was made for. */
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
    INTERMEDIATE_UPDATE = 64, /* the host is asked for inputs in a step */
    BEFORE_START = INSTANTIATED | INITIALIZATION_MODE,
    MODEL_EXCHANGE = EVENT_MODE | CONTINUOUS_TIME_MODE,
    STEPPING = STEP_COMPLETE | INTERMEDIATE_UPDATE,
    RUNNING = MODEL_EXCHANGE | STEP_COMPLETE,
    OUTSIDE_STEPS = BEFORE_START | RUNNING | TERMINATED,
    ANY_PHASE = OUTSIDE_STEPS | INTERMEDIATE_UPDATE
};

#if HAS_COUPLING
/* What is known of the body, as the outputs have it. */
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
    double came;         /* rate before they touched */
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
    double t_seen; /* time of the last indicators or event, and the inputs then */
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
    Pressing pressing;
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
static size_t memory_size(Kind kind) {
    return kind == KIND_EXCHANGE ? offsetof(Memory, stepping) : sizeof(Memory);
}

/* What the importer gives an instance. */
typedef struct Host {
    void (*logger)(void); /* of a type that only `tell` knows */
    void (*tell)(const struct Host *host, const char *name, Status status, const char *category,
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
    void (*update)(void); /* by which it gives them, of a type that only the version knows */
#if LINEAR_STATES
    /* unless the memory is stale: of the rates, from the last evaluation between co-simulation
     * steps */
    int slopes_known;
    States slopes;
#endif
    char *name;    /* which lies behind the memory */
    Memory memory; /* last, with as much of it as its kind needs */
} Instance;

/* What an importer knows an instance by. */
static Instance *of(void *component) {
    return (Instance *)component;
}

#endif
