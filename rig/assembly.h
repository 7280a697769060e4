/* A system with FMUs at its contacts as one set of equations, for any integrator:
 *
 *     d/dt (x, z_1 … z_c) = (rates(t, x, y), dz_1/dt … dz_c/dt)
 *
 * (z_i: states of the FMU at contact i) with its event indicators, its Jacobian and its events.
 * The order of calls is assembly_open, assembly_set…, assembly_initialize; then it is evaluated at
 * will, and an event is assembly_enter_event and assembly_settle.
 */
#ifndef ASSEMBLY_H
#define ASSEMBLY_H

#include "fmu.h"
#include "system.h"

/* The FMU at one contact and where its part of the vectors begins. */
typedef struct {
    Instance instance;
    const char *const *offers; /* inputs that the system offers; the FMU need not have them all */
    bool is_on_line;           /* an element in space, at a contact with one direction only */
    int n_inputs, n_outputs;
    fmi2ValueReference *inputs, *outputs;
    int *input_places; /* in u */
    double *input_values;
    int first_input, first_output, first_state, first_indicator;
    int load;                              /* place in inputs of the system's `load`, or -1 */
    bool states_changed, nominals_changed; /* by the event that is being handled */
} Element;

typedef struct {
    const System *system;
    Instant instant;
    /* own: states of the system */
    int n_contacts, n_own, n_states, n_inputs, n_outputs, n_indicators, n_columns;
    Element *elements;
    char **columns;    /* names of a row of results; ends with NULL */
    double *x;         /* all states at the present point of the integration */
    double *nominals;  /* of the states */
    double next_event; /* time for which an FMU asks, or infinity */
    Message complaint; /* of the FMU that refused the last evaluation */

    double *dx, *u, *y, *row; /* at the last point */
    /* for the Jacobian */
    double *own_rates, *own_inputs, *shifted_states, *shifted_rates, *shifted_inputs;
    double *seeds, *responses, *force_slopes;
    bool has_loop; /* an input depends on outputs: an algebraic loop */
    /* for its solution */
    double *loop_slopes, *input_slopes, *loop_residual, *loop_step;
    double *loop_y, *loop_inputs;
    double *memory; /* all of these vectors */
} Assembly;

/* One FMU per contact; they stay with the caller. Checks that each fits. NULL if not. */
Assembly *assembly_open(const System *system, const double *parameters, const Table *table,
                        const Fmu *const *fmus, Message *message);
void assembly_close(Assembly *assembly);

/* Sets a parameter of the FMU at one contact. `known` says whether the FMU has it; without it
 * nothing happens. */
bool assembly_set(Assembly *assembly, int contact, const char *name, double value, bool *known,
                  Message *message);

/* Initializes all FMUs (here they check their parameters) and the states x. */
bool assembly_initialize(Assembly *assembly, double stop, double tolerance, Message *message);

/* Whether all FMUs give directional derivatives. */
bool assembly_has_jacobian(const Assembly *assembly);

/* Rates, indicators and Jacobian (column by column) at any time and states. 0: success; 1: an FMU
 * refuses the point, and a smaller step may help; -1: it fails for good. */
int assembly_evaluate(Assembly *assembly, double t, const double *x, double *dx);
int assembly_indicators(Assembly *assembly, double t, const double *x, double *g);
int assembly_jacobian(Assembly *assembly, double t, const double *x, double *columns);

/* A row of results at any time and states, valid until the next; NULL if they cannot be
 * evaluated. */
const double *assembly_row(Assembly *assembly, double t, const double *x);

/* For a host that steps the FMUs: sets the inputs of one of them at the states x of the assembly;
 * makes a row of the present values; counts the time events of the system up to a time. */
fmi2Status assembly_give_inputs(Assembly *assembly, int contact, double t);
const double *assembly_row_here(Assembly *assembly, double t, const double *x);
void assembly_pass_time_events(Assembly *assembly, double t);

/* Reports a completed step to t, x to the FMUs that need it; they may ask for an event. */
bool assembly_complete_step(Assembly *assembly, double t, bool *event, Message *message);

/* The time of the next event that is known beforehand, or infinity. */
double assembly_next_event(const Assembly *assembly);

/* An event at t, x: all FMUs enter event mode, then settle. The states x change where an FMU resets
 * its own. */
bool assembly_enter_event(Assembly *assembly, double t, Message *message);
bool assembly_settle(Assembly *assembly, double t, Message *message);

void assembly_terminate(Assembly *assembly);

#endif
