/* Runs a system of the rig with friction elements at its contacts in one call, without any other
 * program, file or library.
 *
 * The caller has loaded the elements and hands over their functions and variables. Runs share
 * nothing: any number of them may take place at the same time in different threads. */
#ifndef BRISTLE_SYSTEMS_H
#define BRISTLE_SYSTEMS_H

#include "assembly.h"
#include "export.h"

enum { SYSTEMS_VERSION = 3 };

typedef struct {
    long steps, evaluations, jacobians, events;
    double wall_seconds;
} Statistics;

typedef enum { COMPLETED, DOES_NOT_FIT, CANNOT_BEGIN, BROKE_OFF } Outcome;

typedef struct {
    const System *system;
    const Fmu *const *elements; /* one per contact */
    const Table *table;         /* of a system that reads one, or NULL */
    const double *parameters;   /* of the system, in its order */
    int n_settings;
    const Value *settings; /* of the elements: NAME, or CONTACT.NAME */
    const char *set;       /* a parameter set by its name, or NULL */
    /* an interval of 0: a row for every step */
    double stop, interval, tolerance;
    int (*on_progress)(double fraction); /* may be NULL; other than 0 ends the run */
    int n_columns;                       /* results */
    char **columns;
    size_t n_rows;
    double *rows;
    Statistics statistics;
    Outcome outcome;
    Message message; /* why the run is not completed */
} SystemRun;

RUNNER_EXPORT int systems_version(void);

/* All systems; the list ends with NULL. */
RUNNER_EXPORT const System *const *systems_all(void);

/* Runs the system from start to stop. 0: success. */
RUNNER_EXPORT int systems_run(SystemRun *run);

/* Frees the results. */
RUNNER_EXPORT void systems_free(SystemRun *run);

/* Integrates the initialized assembly to the end of the run. Each library has its own version:
 * runner/integration.c needs no other library, rig/host.c uses CVODE. */
bool systems_integrate(SystemRun *run, Assembly *assembly, Message *message);

/* Adds a row to the results of the run. */
void systems_store_row(SystemRun *run, const double *row);

#endif
