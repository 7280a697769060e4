/* A system with FMUs at its contacts as one set of equations, for any integrator:
 *
 *     d/dt (x, z_1 … z_c) = (rates(t, x, y), dz_1/dt … dz_c/dt)
 *
 * (z_i: states of the FMU at contact i) with its event indicators, its Jacobian and its events.
 * The order of calls is coupling_open, coupling_set…, coupling_initialize; then it is evaluated at
 * will, and an event is coupling_enter_event and coupling_settle.
 */
#ifndef COUPLING_H
#define COUPLING_H

#include "fmu.h"
#include "system.h"

/* The FMU at one contact and where its part of the vectors begins. */
typedef struct {
    Instance instance;
    const char *const *offers; /* inputs that the system offers; the FMU need not have them all */
    bool is_on_line;           /* an element in space, at a place that knows one direction only */
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
    Moment moment;
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
    double *seeds, *answers, *force_slopes;
    bool is_looped; /* an input depends on answers */
    /* of the loop that it makes */
    double *loop_slopes, *input_slopes, *loop_residual, *loop_step;
    double *loop_y, *loop_inputs;
    double *memory; /* all of these vectors */
} Coupling;

/* One FMU per contact; they stay with the caller. Checks that each fits. NULL if not. */
Coupling *coupling_open(const System *system, const double *parameters, const Table *table,
                        const Fmu *const *fmus, Message *message);
void coupling_close(Coupling *coupling);

/* Sets a parameter of the FMU at one contact. `known` says whether the FMU has it; without it
 * nothing happens. */
bool coupling_set(Coupling *coupling, int contact, const char *name, double value, bool *known,
                  Message *message);

/* Initializes all FMUs (here they check their parameters) and the states x. */
bool coupling_initialize(Coupling *coupling, double stop, double tolerance, Message *message);

/* Whether all FMUs give directional derivatives. */
bool coupling_has_jacobian(const Coupling *coupling);

/* At any point of time and states: rates, indicators, Jacobian (column by column). 0 is good, 1
 * means that an FMU refuses the point and a smaller step may help, -1 that it gives up. */
int coupling_evaluate(Coupling *coupling, double t, const double *x, double *dx);
int coupling_indicators(Coupling *coupling, double t, const double *x, double *g);
int coupling_jacobian(Coupling *coupling, double t, const double *x, double *columns);

/* A row of results at any point, valid until the next; NULL if the point cannot be evaluated. */
const double *coupling_row(Coupling *coupling, double t, const double *x);

/* For a host that steps the FMUs: gives one of them the inputs at the states x of the coupling,
 * makes a row of what the FMUs and the vectors of the coupling hold, counts the time events of the
 * system up to now. */
fmi2Status coupling_give_inputs(Coupling *coupling, int contact, double t);
const double *coupling_row_here(Coupling *coupling, double t, const double *x);
void coupling_pass_time_events(Coupling *coupling, double t);

/* Tells the FMUs that want to know of it that a step to t, x is completed; they may ask for an
 * event. */
bool coupling_complete_step(Coupling *coupling, double t, bool *event, Message *message);

/* The time of the next event that is known beforehand, or infinity. */
double coupling_next_event(const Coupling *coupling);

/* An event at t, x: all FMUs enter event mode, then settle. The states x follow where an FMU resets
 * its own. */
bool coupling_enter_event(Coupling *coupling, double t, Message *message);
bool coupling_settle(Coupling *coupling, double t, Message *message);

void coupling_terminate(Coupling *coupling);

#endif
