/* The host: a system and the friction elements at its contacts as one set of equations, integrated by CVODE.
 *
 *     d/dt (x, z_1 … z_c) = (rates(t, x, y), dz_1/dt … dz_c/dt)      z_i: states of the FMU at contact i
 *
 * Backward differentiation formulas with an exact Jacobian of the FMUs (directional derivatives), roots of all event
 * indicators, event iteration. A host goes host_open, host_set…, host_initialize, host_run, host_close.
 */
#ifndef HOST_H
#define HOST_H

#include "fmu.h"
#include "system.h"

typedef struct Host Host;

typedef struct {
    double stop, interval, tolerance; /* interval 0: a row of results for every step of the solver */
    void (*on_row)(void *context, const double *row);
    void (*on_progress)(void *context, double fraction); /* after every step */
    void *context;
    const volatile int *interrupted; /* ends the run early when it becomes other than 0 */
} Experiment;

typedef struct {
    long steps, evaluations, jacobians, events;
    double wall_seconds;
} Statistics;

/* One FMU per contact; they stay with the caller. Checks that each fits. NULL if not. */
Host *host_open(const System *system, const double *parameters, const Table *table, const Fmu *const *fmus,
                Message *message);
void host_close(Host *host);

/* Sets a parameter of the FMU at one contact. `known` tells whether the FMU has it; without it nothing happens. */
bool host_set(Host *host, int contact, const char *name, const char *value, bool *known, Message *message);

/* Gives the FMU at each contact the values of the system's own parameter sets, as far as it has them. */
bool host_set_surfaces(Host *host, Message *message);

/* Initializes all FMUs; here they check their parameters. */
bool host_initialize(Host *host, const Experiment *experiment, Message *message);

/* Columns of a row of results: names, and NULL at the end. Valid until host_close. */
const char *const *host_columns(const Host *host);

bool host_run(Host *host, const Experiment *experiment, Statistics *statistics, Message *message);

/* The set of that name in resources/, or NULL. */
const ParameterSet *find_set(const char *name);

#endif
