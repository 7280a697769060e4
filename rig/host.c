#define _POSIX_C_SOURCE 200809L
#include "host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "memory.h"

enum {
    ITERATIONS_AT_MOST = 100, /* of an event */
    EVENTS_TO_A_WATCH = 1000, /* this many events must get somewhere, see watch_events */
    STEPS_PER_INTERVAL = 10   /* no step is longer than this many output intervals of the system */
};

/* The FMU at one contact and where its part of the vectors u, y and the states begins. */
typedef struct {
    Instance instance;
    int n_inputs, n_outputs;
    fmi2ValueReference *inputs, *outputs;
    int *input_places; /* in u; an FMU need not have all inputs that are offered */
    double *input_values;
    int first_input, n_offered, first_output, first_state, first_indicator;
} Element;

struct Host {
    const System *system;
    Moment moment;
    int n_contacts, n_own, n_states, n_inputs, n_outputs, n_indicators, n_columns;
    const char *const *table_inputs; /* the inputs of the one contact where the system reads a table */
    Element *elements;
    char **columns; /* ends with NULL */

    double *x, *dx, *u, *y, *nominals, *row, *indicators, *seeds, *answers;
    double *own_inputs, *own_rates, *shifted_states, *shifted_inputs, *shifted_rates,
        *force_slopes;  /* for the Jacobian */
    signed char *signs; /* of the indicators, where they were last */
    double next_event;  /* that an FMU asks for */

    const Experiment *experiment;
    Statistics *statistics;
    double time_written, time_watched;
    long next_row;
    Message complaint;

    SUNContext context;
    void *solver;
    N_Vector states, tolerances, interpolated;
    SUNMatrix matrix;
    SUNLinearSolver linear_solver;
};

static int length(const char *const *list) {
    int n = 0;
    while (list[n]) n++;
    return n;
}

static int count(const Quantity *list) {
    int n = 0;
    while (list && list[n].name) n++;
    return n;
}

static const char *const *offered(const Host *h, int contact) {
    return h->table_inputs ? h->table_inputs : h->system->contacts[contact].inputs;
}

static int find(const char *const *list, const char *name) {
    for (int i = 0; list[i]; i++)
        if (strcmp(list[i], name) == 0) return i;
    return -1;
}

/* Connects the inputs and outputs of one FMU by their names. */
static bool connect(Host *h, int contact, const Fmu *fmu, Message *message) {
    Element *e = &h->elements[contact];
    const Description *d = &fmu->description;
    const char *const *inputs = offered(h, contact), *const *outputs = h->system->contacts[contact].outputs;
    e->n_offered = length(inputs);
    e->n_outputs = length(outputs);
    e->first_input = h->n_inputs;
    e->first_output = h->n_outputs;
    e->first_state = h->n_states;
    e->first_indicator = h->n_indicators;
    e->inputs = new_array((size_t)e->n_offered, sizeof *e->inputs);
    e->input_places = new_array((size_t)e->n_offered, sizeof *e->input_places);
    e->input_values = new_array((size_t)e->n_offered, sizeof *e->input_values);
    e->outputs = new_array((size_t)e->n_outputs, sizeof *e->outputs);
    for (int i = 0; i < d->n_variables; i++) {
        const Variable *variable = &d->variables[i];
        if (variable->causality != INPUT) continue;
        const int place = find(inputs, variable->name);
        if (place < 0 || variable->type != REAL)
            return fail(message, "%s does not fit: the system %s does not offer its input %s.", fmu->path,
                        h->system->name, variable->name);
        e->inputs[e->n_inputs] = variable->reference;
        e->input_places[e->n_inputs++] = e->first_input + place;
    }
    for (int i = 0; i < e->n_outputs; i++) {
        const Variable *variable = description_find(d, outputs[i]);
        if (!variable || variable->type != REAL || variable->causality != OUTPUT)
            return fail(message, "%s does not fit: it lacks the output %s that the system %s needs.", fmu->path,
                        outputs[i], h->system->name);
        e->outputs[i] = variable->reference;
    }
    h->n_inputs += e->n_offered;
    h->n_outputs += e->n_outputs;
    h->n_states += fmu->n_states;
    h->n_indicators += d->n_indicators;
    return true;
}

static bool is_shown(const Variable *variable) {
    return variable->causality == OUTPUT && variable->type != OTHER_TYPE;
}

static void add_column(Host *h, int contact, const char *name) {
    const bool prefixed = contact >= 0 && h->n_contacts > 1;
    h->columns = grown_array(h->columns, (size_t)h->n_columns + 2, sizeof *h->columns);
    h->columns[h->n_columns++] = prefixed ? joined(h->system->contacts[contact].name, ".", name) : copied(name);
    h->columns[h->n_columns] = NULL;
}

/* The order here is that of fill_row. */
static void name_columns(Host *h) {
    add_column(h, -1, "time");
    for (int i = 0; i < h->n_own; i++) add_column(h, -1, h->system->states[i].name);
    for (int i = 0; i < count(h->system->outputs); i++) add_column(h, -1, h->system->outputs[i].name);
    for (int c = 0; c < h->n_contacts; c++) {
        const Element *e = &h->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const Description *d = &fmu->description;
        for (int i = 0; i < e->n_inputs; i++) add_column(h, c, offered(h, c)[e->input_places[i] - e->first_input]);
        for (int i = 0; i < fmu->n_states; i++) add_column(h, c, fmu_state(fmu, i)->name);
        for (int i = 0; i < fmu->n_states; i++) add_column(h, c, d->variables[d->rates[i] - 1].name);
        for (int i = 0; i < d->n_variables; i++)
            if (is_shown(&d->variables[i])) add_column(h, c, d->variables[i].name);
    }
}

/* Counts the system's time events up to now. */
static void pass_time_events(Host *h, double t) {
    h->moment.t = t;
    while (h->system->event_time && h->system->event_time(&h->moment) <= t) h->moment.phase++;
}

static double *numbers(int n) {
    return new_array((size_t)n, sizeof(double));
}

static void allocate(Host *h) {
    h->x = numbers(h->n_states);
    h->dx = numbers(h->n_states);
    h->nominals = numbers(h->n_states);
    h->u = numbers(h->n_inputs);
    h->y = numbers(h->n_outputs);
    h->row = numbers(h->n_columns);
    h->indicators = numbers(h->n_indicators);
    h->signs = new_array((size_t)h->n_indicators, sizeof *h->signs);
    h->seeds = numbers(h->n_inputs);
    h->answers = numbers(h->n_outputs + h->n_states);
    h->own_inputs = numbers(h->n_inputs);
    h->own_rates = numbers(h->n_own);
    h->shifted_states = numbers(h->n_states);
    h->shifted_inputs = numbers(h->n_inputs);
    h->shifted_rates = numbers(h->n_own);
    h->force_slopes = numbers(h->n_own * h->n_outputs);
}

Host *host_open(const System *system, const double *parameters, const Table *table, const Fmu *const *fmus,
                Message *message) {
    Host *h = new_array(1, sizeof *h);
    h->system = system;
    h->moment = (Moment){.p = parameters, .table = table};
    if (system->reads_table) h->table_inputs = (const char *const *)table->names;
    while (system->contacts[h->n_contacts].name) h->n_contacts++;
    h->n_own = h->n_states = count(system->states);
    h->n_indicators = system->n_indicators;
    h->elements = new_array((size_t)h->n_contacts, sizeof *h->elements);
    for (int c = 0; c < h->n_contacts; c++)
        if (!connect(h, c, fmus[c], message) || !instance_open(&h->elements[c].instance, fmus[c], message)) {
            host_close(h);
            return NULL;
        }
    name_columns(h);
    allocate(h);
    pass_time_events(h, 0);
    return h;
}

void host_close(Host *h) {
    if (!h) return;
    CVodeFree(&h->solver);
    if (h->linear_solver) SUNLinSolFree(h->linear_solver);
    if (h->matrix) SUNMatDestroy(h->matrix);
    if (h->states) N_VDestroy(h->states);
    if (h->tolerances) N_VDestroy(h->tolerances);
    if (h->interpolated) N_VDestroy(h->interpolated);
    if (h->context) SUNContext_Free(&h->context);
    for (int c = 0; c < h->n_contacts; c++) {
        Element *e = &h->elements[c];
        instance_close(&e->instance);
        free(e->inputs);
        free(e->outputs);
        free(e->input_places);
        free(e->input_values);
    }
    for (int i = 0; i < h->n_columns; i++) free(h->columns[i]);
    double *const blocks[] = {h->x,
                              h->dx,
                              h->nominals,
                              h->u,
                              h->y,
                              h->row,
                              h->indicators,
                              h->seeds,
                              h->answers,
                              h->own_inputs,
                              h->own_rates,
                              h->shifted_states,
                              h->shifted_inputs,
                              h->shifted_rates,
                              h->force_slopes};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    free(h->signs);
    free(h->columns);
    free(h->elements);
    free(h);
}

const char *const *host_columns(const Host *h) {
    return (const char *const *)h->columns;
}

bool host_set(Host *h, int contact, const char *name, const char *value, bool *known, Message *message) {
    Instance *instance = &h->elements[contact].instance;
    const Variable *variable = description_find(&instance->fmu->description, name);
    *known = variable && variable->causality == PARAMETER;
    return !*known || instance_set(instance, variable, value, message);
}

const ParameterSet *find_set(const char *name) {
    for (const ParameterSet *set = parameter_sets; set->name; set++)
        if (strcmp(set->name, name) == 0) return set;
    return NULL;
}

/* Normalised models take the properties of their bristle per unit of normal force, the sets have them as they are. */
static bool is_per_normal_force(const Variable *variable) {
    return variable->unit && ((strcmp(variable->name, "bristleStiffness") == 0 && strcmp(variable->unit, "1/m") == 0) ||
                              (strcmp(variable->name, "bristleDamping") == 0 && strcmp(variable->unit, "s/m") == 0));
}

bool host_set_surfaces(Host *h, Message *message) {
    if (h->system->start) h->system->start(h->moment.p, h->x);
    h->system->inputs(&h->moment, h->x, h->u);
    for (int c = 0; c < h->n_contacts; c++) {
        const Contact *contact = &h->system->contacts[c];
        const Element *e = &h->elements[c];
        const ParameterSet *set = contact->set ? find_set(contact->set) : NULL;
        const int load = find(offered(h, c), "normalForce");
        for (const SetValue *entry = set ? set->values : NULL; entry && entry->name; entry++) {
            const Variable *variable = description_find(&e->instance.fmu->description, entry->name);
            char text[32];
            const char *value = entry->value;
            if (variable && load >= 0 && is_per_normal_force(variable)) {
                snprintf(text, sizeof text, "%.17g", strtod(value, NULL) / h->u[e->first_input + load]);
                value = text;
            }
            bool known;
            if (!host_set(h, c, entry->name, value, &known, message)) return false;
        }
    }
    return true;
}

/* Brings one FMU to a point of time and states; u is already that of the point. */
static fmi2Status place(Element *e, double t, const double *states, const double *u) {
    const Functions *call = &e->instance.fmu->call;
    const fmi2Component component = e->instance.component;
    for (int i = 0; i < e->n_inputs; i++) e->input_values[i] = u[e->input_places[i]];
    fmi2Status status = call->set_time(component, t);
    if (status <= fmi2Warning && e->instance.fmu->n_states > 0)
        status = call->set_continuous_states(component, states + e->first_state, (size_t)e->instance.fmu->n_states);
    if (status <= fmi2Warning) status = call->set_real(component, e->inputs, (size_t)e->n_inputs, e->input_values);
    return status;
}

/* What CVODE makes of a status: 0 good, 1 try a smaller step, -1 give up. */
static int verdict(Host *h, Element *e, fmi2Status status, const char *function) {
    if (status <= fmi2Warning) return 0;
    instance_good(&e->instance, status, function, &h->complaint);
    return status == fmi2Discard ? 1 : -1;
}

/* All equations at one point: u, y, and the rates of all states. */
static int evaluate(Host *h, double t, const double *x, double *dx) {
    h->moment.t = t;
    h->system->inputs(&h->moment, x, h->u);
    for (int c = 0; c < h->n_contacts; c++) {
        Element *e = &h->elements[c];
        const Fmu *fmu = e->instance.fmu;
        fmi2Status status = place(e, t, x, h->u);
        if (status <= fmi2Warning)
            status =
                fmu->call.get_real(e->instance.component, e->outputs, (size_t)e->n_outputs, h->y + e->first_output);
        if (status <= fmi2Warning && fmu->n_states > 0)
            status = fmu->call.get_derivatives(e->instance.component, dx + e->first_state, (size_t)fmu->n_states);
        const int answer = verdict(h, e, status, "the evaluation");
        if (answer) return answer;
    }
    h->system->rates(&h->moment, x, h->y, dx);
    return 0;
}

static int on_rates(realtype t, N_Vector states, N_Vector rates, void *data) {
    Host *h = data;
    h->statistics->evaluations++;
    return evaluate(h, t, N_VGetArrayPointer(states), N_VGetArrayPointer(rates));
}

static int on_indicators(realtype t, N_Vector states, realtype *g, void *data) {
    Host *h = data;
    const double *x = N_VGetArrayPointer(states);
    h->moment.t = t;
    h->system->inputs(&h->moment, x, h->u);
    if (h->system->indicators) h->system->indicators(&h->moment, x, g);
    for (int c = 0; c < h->n_contacts; c++) {
        Element *e = &h->elements[c];
        const Fmu *fmu = e->instance.fmu;
        fmi2Status status = place(e, t, x, h->u);
        if (status <= fmi2Warning)
            status = fmu->call.get_event_indicators(e->instance.component, g + e->first_indicator,
                                                    (size_t)fmu->description.n_indicators);
        if (verdict(h, e, status, "fmi2GetEventIndicators")) return -1;
    }
    return 0;
}

/* Adds what a change of one FMU's inputs or states does to all rates: answers = (changes of its outputs, of its rates). */
static void add_answers(Host *h, const Element *e, const double *answers, double *column) {
    for (int i = 0; i < h->n_own; i++)
        for (int k = 0; k < e->n_outputs; k++)
            column[i] += h->force_slopes[i * h->n_outputs + e->first_output + k] * answers[k];
    for (int i = 0; i < e->instance.fmu->n_states; i++) column[e->first_state + i] += answers[e->n_outputs + i];
}

/* The FMU's directional derivative: how its outputs and rates change along a direction of its inputs or states. */
static int slope(Host *h, Element *e, const fmi2ValueReference *knowns, int n_knowns, const double *seeds) {
    const Fmu *fmu = e->instance.fmu;
    const fmi2Component component = e->instance.component;
    fmi2Status status = fmu->call.get_directional_derivative(component, e->outputs, (size_t)e->n_outputs, knowns,
                                                             (size_t)n_knowns, seeds, h->answers);
    if (status <= fmi2Warning && fmu->n_states > 0)
        status = fmu->call.get_directional_derivative(component, fmu->rates, (size_t)fmu->n_states, knowns,
                                                      (size_t)n_knowns, seeds, h->answers + e->n_outputs);
    return verdict(h, e, status, "fmi2GetDirectionalDerivative");
}

static double small_change(double value, double nominal) {
    return 1e-7 * fmax(fabs(value), nominal);
}

/* The Jacobian column by column. The FMUs' parts are exact; the system's own equations are cheap and smooth, so their slopes
 * come from differences. */
static int on_jacobian(realtype t, N_Vector states, N_Vector rates, SUNMatrix matrix, void *data, N_Vector w1,
                       N_Vector w2, N_Vector w3) {
    (void)rates, (void)w1, (void)w2, (void)w3;
    Host *h = data;
    const System *s = h->system;
    const double *x = N_VGetArrayPointer(states);
    double *shifted = memcpy(h->shifted_states, x, (size_t)h->n_states * sizeof *x);
    h->statistics->jacobians++;
    const int answer = evaluate(h, t, x, h->dx);
    if (answer) return answer;
    memcpy(h->own_rates, h->dx, (size_t)h->n_own * sizeof(double));
    memcpy(h->own_inputs, h->u, (size_t)h->n_inputs * sizeof(double));
    SUNMatZero(matrix);

    for (int k = 0; k < h->n_outputs; k++) {
        const double y = h->y[k], change = small_change(y, 1);
        h->y[k] = y + change;
        s->rates(&h->moment, x, h->y, h->shifted_rates);
        h->y[k] = y;
        for (int i = 0; i < h->n_own; i++)
            h->force_slopes[i * h->n_outputs + k] = (h->shifted_rates[i] - h->own_rates[i]) / change;
    }
    for (int j = 0; j < h->n_own; j++) {
        double *column = SM_COLUMN_D(matrix, j);
        const double change = small_change(x[j], h->nominals[j]);
        shifted[j] = x[j] + change;
        s->rates(&h->moment, shifted, h->y, h->shifted_rates);
        s->inputs(&h->moment, shifted, h->shifted_inputs);
        shifted[j] = x[j];
        for (int i = 0; i < h->n_own; i++) column[i] = (h->shifted_rates[i] - h->own_rates[i]) / change;
        for (int c = 0; c < h->n_contacts; c++) {
            Element *e = &h->elements[c];
            bool moved = false;
            for (int i = 0; i < e->n_inputs; i++) {
                const int k = e->input_places[i];
                h->seeds[i] = (h->shifted_inputs[k] - h->own_inputs[k]) / change;
                moved = moved || h->seeds[i] != 0;
            }
            if (!moved) continue;
            const int verdict_on_slope = slope(h, e, e->inputs, e->n_inputs, h->seeds);
            if (verdict_on_slope) return verdict_on_slope;
            add_answers(h, e, h->answers, column);
        }
    }
    for (int c = 0; c < h->n_contacts; c++) {
        Element *e = &h->elements[c];
        for (int j = 0; j < e->instance.fmu->n_states; j++) {
            const double one = 1;
            const int verdict_on_slope = slope(h, e, &e->instance.fmu->states[j], 1, &one);
            if (verdict_on_slope) return verdict_on_slope;
            add_answers(h, e, h->answers, SM_COLUMN_D(matrix, e->first_state + j));
        }
    }
    return 0;
}

/* Lets all FMUs settle their discrete states, at an event or after initialization; they are in event mode. The states x
 * follow where an FMU resets its own. */
static bool iterate_event(Host *h, double t, Message *message) {
    pass_time_events(h, t);
    h->system->inputs(&h->moment, h->x, h->u);
    h->next_event = INFINITY;
    for (int c = 0; c < h->n_contacts; c++) {
        Element *e = &h->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const fmi2Component component = e->instance.component;
        for (int i = 0; i < e->n_inputs; i++) e->input_values[i] = h->u[e->input_places[i]];
        if (!instance_good(&e->instance, fmu->call.set_real(component, e->inputs, (size_t)e->n_inputs, e->input_values),
                           "fmi2SetReal", message))
            return false;
        fmi2EventInfo info = {.newDiscreteStatesNeeded = fmi2True};
        bool states_changed = false, nominals_changed = false;
        for (int i = 0; info.newDiscreteStatesNeeded; i++) {
            if (i == ITERATIONS_AT_MOST)
                return fail(message, "%s: its discrete states do not settle at t = %.9g s.", fmu->path, t);
            if (!instance_good(&e->instance, fmu->call.new_discrete_states(component, &info), "fmi2NewDiscreteStates",
                               message))
                return false;
            if (info.terminateSimulation)
                return fail(message, "%s: it asks to end the simulation at t = %.9g s.", fmu->path, t);
            states_changed = states_changed || info.valuesOfContinuousStatesChanged;
            nominals_changed = nominals_changed || info.nominalsOfContinuousStatesChanged;
        }
        if (info.nextEventTimeDefined) h->next_event = fmin(h->next_event, info.nextEventTime);
        const size_t n = (size_t)fmu->n_states;
        fmi2Status status = fmu->call.enter_continuous_time_mode(component);
        if (status <= fmi2Warning && states_changed && n > 0)
            status = fmu->call.get_continuous_states(component, h->x + e->first_state, n);
        if (status <= fmi2Warning && nominals_changed && n > 0)
            status = fmu->call.get_nominals(component, h->nominals + e->first_state, n);
        if (!instance_good(&e->instance, status, "leaving an event", message)) return false;
    }
    return true;
}

bool host_initialize(Host *h, const Experiment *experiment, Message *message) {
    const System *s = h->system;
    if (s->start) s->start(h->moment.p, h->x);
    s->inputs(&h->moment, h->x, h->u);
    for (int i = 0; i < h->n_own; i++) h->nominals[i] = s->states[i].nominal;
    for (int c = 0; c < h->n_contacts; c++) {
        Element *e = &h->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const fmi2Component component = e->instance.component;
        const size_t n = (size_t)fmu->n_states;
        for (int i = 0; i < e->n_inputs; i++) e->input_values[i] = h->u[e->input_places[i]];
        fmi2Status status =
            fmu->call.setup_experiment(component, fmi2True, experiment->tolerance, 0, fmi2True, experiment->stop);
        if (status <= fmi2Warning) status = fmu->call.enter_initialization_mode(component);
        if (status <= fmi2Warning)
            status = fmu->call.set_real(component, e->inputs, (size_t)e->n_inputs, e->input_values);
        if (status <= fmi2Warning) status = fmu->call.exit_initialization_mode(component);
        if (status <= fmi2Warning && n > 0)
            status = fmu->call.get_continuous_states(component, h->x + e->first_state, n);
        if (status <= fmi2Warning && n > 0) status = fmu->call.get_nominals(component, h->nominals + e->first_state, n);
        if (!instance_good(&e->instance, status, "the initialization", message)) return false;
    }
    return iterate_event(h, 0, message);
}

static void fill_row(Host *h, double t, const double *x) {
    int n = 0;
    h->row[n++] = t;
    for (int i = 0; i < h->n_own; i++) h->row[n++] = x[i];
    if (h->system->results) h->system->results(&h->moment, x, h->y, h->row + n);
    n += count(h->system->outputs);
    for (int c = 0; c < h->n_contacts; c++) {
        const Element *e = &h->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const Description *d = &fmu->description;
        for (int i = 0; i < e->n_inputs; i++) h->row[n++] = h->u[e->input_places[i]];
        for (int i = 0; i < fmu->n_states; i++) h->row[n++] = x[e->first_state + i];
        for (int i = 0; i < fmu->n_states; i++) h->row[n++] = h->dx[e->first_state + i];
        for (int i = 0; i < d->n_variables; i++) {
            const Variable *variable = &d->variables[i];
            if (!is_shown(variable)) continue;
            fmi2Integer whole = 0;
            if (variable->type == REAL)
                fmu->call.get_real(e->instance.component, &variable->reference, 1, &h->row[n]);
            else if (fmu->call.get_integer(e->instance.component, &variable->reference, 1, &whole) <= fmi2Warning)
                h->row[n] = whole;
            n++;
        }
    }
}

/* Hands out a row of results. False if the equations cannot be evaluated there. */
static bool write_row(Host *h, double t, const double *x, Message *message) {
    if (!h->experiment->on_row) return true;
    if (evaluate(h, t, x, h->dx)) return fail(message, "%s", h->complaint.text);
    fill_row(h, t, x);
    h->experiment->on_row(h->experiment->context, h->row);
    h->time_written = t;
    return true;
}

/* Rows on the grid of output times up to t; inside the step the solver interpolates. */
static bool write_grid(Host *h, double t, Message *message) {
    const double interval = h->experiment->interval;
    if (interval <= 0) return write_row(h, t, h->x, message);
    for (; (double)h->next_row * interval <= t; h->next_row++) {
        const double t_row = (double)h->next_row * interval;
        if (t_row == h->time_written) continue;
        if (CVodeGetDky(h->solver, t_row, 0, h->interpolated) != CV_SUCCESS)
            return fail(message, "the solver cannot interpolate at t = %.9g s.", t_row);
        if (!write_row(h, t_row, N_VGetArrayPointer(h->interpolated), message)) return false;
    }
    return true;
}

static void on_solver_complaint(int code, const char *module, const char *function, char *text, void *data) {
    (void)module, (void)function;
    Host *h = data;
    if (code != CV_WARNING && !*h->complaint.text) fail(&h->complaint, "%s", text);
}

static void set_tolerances(Host *h) {
    double *tolerances = N_VGetArrayPointer(h->tolerances);
    for (int i = 0; i < h->n_states; i++) tolerances[i] = h->experiment->tolerance * h->nominals[i];
}

static bool open_solver(Host *h, Message *message) {
    bool has_slopes = true;
    for (int c = 0; c < h->n_contacts; c++)
        has_slopes = has_slopes && h->elements[c].instance.fmu->description.has_slopes;
    if (SUNContext_Create(NULL, &h->context) != 0) return fail(message, "SUNDIALS does not start.");
    h->states = N_VMake_Serial(h->n_states, h->x, h->context);
    h->tolerances = N_VNew_Serial(h->n_states, h->context);
    h->interpolated = N_VNew_Serial(h->n_states, h->context);
    h->matrix = SUNDenseMatrix(h->n_states, h->n_states, h->context);
    h->linear_solver = SUNLinSol_Dense(h->states, h->matrix, h->context);
    h->solver = CVodeCreate(CV_BDF, h->context);
    set_tolerances(h);
    const bool good = CVodeInit(h->solver, on_rates, 0, h->states) == CV_SUCCESS &&
                      CVodeSetErrHandlerFn(h->solver, on_solver_complaint, h) == CV_SUCCESS &&
                      CVodeSetUserData(h->solver, h) == CV_SUCCESS &&
                      CVodeSVtolerances(h->solver, h->experiment->tolerance, h->tolerances) == CV_SUCCESS &&
                      CVodeSetLinearSolver(h->solver, h->linear_solver, h->matrix) == CV_SUCCESS &&
                      (!has_slopes || CVodeSetJacFn(h->solver, on_jacobian) == CV_SUCCESS) &&
                      CVodeSetMaxStep(h->solver, STEPS_PER_INTERVAL * h->system->interval) == CV_SUCCESS &&
                      CVodeRootInit(h->solver, h->n_indicators, on_indicators) == CV_SUCCESS;
    return good || fail(message, "the solver cannot be set up: %s", h->complaint.text);
}

static int sign(double value) {
    return (value > 0) - (value < 0);
}

static bool read_indicators(Host *h, double t, Message *message) {
    if (on_indicators(t, h->states, h->indicators, h)) return fail(message, "%s", h->complaint.text);
    return true;
}

/* Remembers the sign of each indicator. One that is exactly zero has not left its side yet: the event is still to come. Tells
 * whether there is such a one. */
static bool remember_signs(Host *h, double t, bool *any_zero, Message *message) {
    if (!read_indicators(h, t, message)) return false;
    for (int i = 0; i < h->n_indicators; i++) {
        if (h->indicators[i] == 0)
            *any_zero = true;
        else
            h->signs[i] = (signed char)sign(h->indicators[i]);
    }
    return true;
}

/* CVODE finds the roots, but says nothing of an indicator that is zero when it restarts and then goes on to the other side. */
static bool changed_signs(Host *h, double t, bool *changed, Message *message) {
    if (!read_indicators(h, t, message)) return false;
    for (int i = 0; i < h->n_indicators; i++)
        *changed = *changed || (h->indicators[i] != 0 && sign(h->indicators[i]) != h->signs[i]);
    return true;
}

/* Restarts after an event, with a tiny step where an indicator is about to change its sign. */
static bool restart_solver(Host *h, double t, Message *message) {
    bool any_zero = false;
    if (!remember_signs(h, t, &any_zero, message)) return false;
    set_tolerances(h);
    if (CVodeReInit(h->solver, t, h->states) != CV_SUCCESS ||
        CVodeSetInitStep(h->solver, any_zero ? 1e-9 * h->system->interval : 0) != CV_SUCCESS)
        return fail(message, "the solver cannot restart at t = %.9g s: %s", t, h->complaint.text);
    return true;
}

/* Tells the FMUs that want to know of every completed step. */
static bool complete_step(Host *h, double t, bool *event, Message *message) {
    for (int c = 0; c < h->n_contacts; c++) {
        Element *e = &h->elements[c];
        if (!e->instance.fmu->description.needs_completed_steps) continue;
        fmi2Boolean enter = fmi2False, terminate = fmi2False;
        h->system->inputs(&h->moment, h->x, h->u);
        fmi2Status status = place(e, t, h->x, h->u);
        if (status <= fmi2Warning)
            status =
                e->instance.fmu->call.completed_integrator_step(e->instance.component, fmi2True, &enter, &terminate);
        if (!instance_good(&e->instance, status, "fmi2CompletedIntegratorStep", message)) return false;
        if (terminate)
            return fail(message, "%s: it asks to end the simulation at t = %.9g s.", e->instance.fmu->path, t);
        *event = *event || enter;
    }
    return true;
}

/* A host that only goes from event to event is stuck, whatever the reason. */
static bool watch_events(Host *h, double t, Message *message) {
    if (++h->statistics->events % EVENTS_TO_A_WATCH) return true;
    if (t - h->time_watched < 1e-6 * h->experiment->stop)
        return fail(message, "events chatter: %d of them between t = %.9g s and %.9g s.", EVENTS_TO_A_WATCH,
                    h->time_watched, t);
    h->time_watched = t;
    return true;
}

static bool handle_event(Host *h, double t, Message *message) {
    if (t != h->time_written && !write_row(h, t, h->x, message)) return false;
    if (evaluate(h, t, h->x, h->dx)) return fail(message, "%s", h->complaint.text);
    for (int c = 0; c < h->n_contacts; c++) {
        Element *e = &h->elements[c];
        if (!instance_good(&e->instance, e->instance.fmu->call.enter_event_mode(e->instance.component),
                           "fmi2EnterEventMode", message))
            return false;
    }
    return iterate_event(h, t, message) && write_row(h, t, h->x, message) && watch_events(h, t, message) &&
           restart_solver(h, t, message);
}

static double next_stop(const Host *h) {
    const double system_event = h->system->event_time ? h->system->event_time(&h->moment) : INFINITY;
    return fmin(fmin(system_event, h->next_event), h->experiment->stop);
}

static bool integrate(Host *h, Message *message) {
    const Experiment *experiment = h->experiment;
    double t = 0;
    if (!write_row(h, t, h->x, message) || !restart_solver(h, t, message)) return false;
    h->next_row = 1;
    while (t < experiment->stop) {
        if (*experiment->interrupted) return fail(message, "interrupted at t = %.9g s.", t);
        const double stop = next_stop(h);
        *h->complaint.text = '\0';
        CVodeSetStopTime(h->solver, stop);
        const int result = CVode(h->solver, stop, h->states, &t, CV_ONE_STEP);
        if (result < 0) {
            h->moment.t = t;
            return fail(message, "the solver gives up at t = %.9g s: %s", t, h->complaint.text);
        }
        h->statistics->steps++;
        bool event = result == CV_ROOT_RETURN || (t >= stop && stop < experiment->stop);
        if (!write_grid(h, t, message) || !complete_step(h, t, &event, message) ||
            !changed_signs(h, t, &event, message))
            return false;
        if (event && t < experiment->stop && !handle_event(h, t, message)) return false;
        if (experiment->on_progress) experiment->on_progress(experiment->context, t / experiment->stop);
    }
    return t == h->time_written || write_row(h, t, h->x, message);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool host_run(Host *h, const Experiment *experiment, Statistics *statistics, Message *message) {
    const double begin = seconds_now();
    *statistics = (Statistics){0};
    h->experiment = experiment;
    h->statistics = statistics;
    h->time_written = -1;
    const bool good = open_solver(h, message) && integrate(h, message);
    for (int c = 0; good && c < h->n_contacts; c++)
        h->elements[c].instance.fmu->call.terminate(h->elements[c].instance.component);
    statistics->wall_seconds = seconds_now() - begin;
    return good;
}
