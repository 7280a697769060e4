/* A system of the rig with a friction element at its contacts, in one call: no program, no file and
 * no library of others is needed.
 *
 * The caller has loaded the element and hands over its functions and variables. Runs share nothing:
 * any number of them may run at the same time in different threads. */
#ifndef BRISTLE_SYSTEMS_H
#define BRISTLE_SYSTEMS_H

#include "export.h"
#include "fmu.h"
#include "system.h"

enum { SYSTEMS_VERSION = 1 };

typedef struct {
    const char *name;
    double value;
} Value;

typedef struct {
    const System *system;
    const Functions *functions; /* of the element, which is at all contacts */
    const char *name, *guid;
    int n_indicators, n_variables, n_rates;
    const Variable *variables;
    const int *rates; /* indices of the variables that are rates of states, counted from 1 */
    int n_parameters;
    const Value *parameters; /* of the system */
    int n_settings;
    const Setting *settings; /* of the element: NAME, or CONTACT.NAME */
    const char *set;         /* a parameter set by its name, or NULL */
    /* a stop of 0: the system's; an interval of 0: a row for every step */
    double stop, interval, tolerance;
    int n_columns; /* results */
    char **columns;
    size_t n_rows;
    double *rows;
    int misfits;        /* the element does not fit, or something that is set does not */
    char message[1024]; /* why there are no results */
} SystemRun;

RUNNER_EXPORT int systems_version(void);

/* All systems; the list ends with NULL. */
RUNNER_EXPORT const System *const *systems_all(void);

/* From the start to the end. 0: all is well. */
RUNNER_EXPORT int systems_run(SystemRun *run);

/* Gives the results back. */
RUNNER_EXPORT void systems_free(SystemRun *run);

#endif
