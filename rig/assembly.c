#include "assembly.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { MATRIX_ROOM = 32 }; /* outputs in a loop at most */
#include "solver/matrix.c"

enum { ITERATIONS_AT_MOST = 100 }; /* of an event */
enum {
    SUBSTITUTIONS = 2,      /* before; enough where a load acts on friction without feedback */
    LOOP_STEPS_AT_MOST = 60 /* of Newton's method; one is enough where elements are linear */
};

static const char SLIDING[] = "relativeVelocity", TURNING[] = "relativeAngularVelocity";

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

/* Whether a name is a component of a vector, as in relativeVelocity[2]: the first one or any. */
static bool is_component(const char *name, const char *vector, bool first) {
    const size_t size = strlen(vector);
    return strncmp(name, vector, size) == 0 && name[size] == '[' &&
           (!first || strcmp(name + size, "[1]") == 0);
}

/* Finds what a contact offers for an input; -1 if nothing. On a line it is the first component of a
 * vector. */
static int find_offer(const Element *e, const char *name) {
    for (int i = 0; e->offers[i]; i++)
        if (strcmp(e->offers[i], name) == 0 || is_component(name, e->offers[i], true)) return i;
    return -1;
}

/* Whether an input of an element in space keeps its start value at a contact on a line, which is
 * its first axis: nothing moves across the line, and contactNormal starts across it. */
static bool is_across_line(const Element *e, const char *name) {
    for (int i = 0; e->offers[i]; i++)
        if (strcmp(e->offers[i], SLIDING) == 0)
            return is_component(name, SLIDING, false) || is_component(name, "contactNormal", false);
    return false;
}

/* Finds the output of that name; on a line the first component of a vector. */
static const Variable *find_output(const Description *d, const char *name) {
    const Variable *variable = description_find(d, name);
    if (variable) return variable;
    char *component = joined(name, "[1]", "");
    variable = description_find(d, component);
    free(component);
    return variable;
}

/* Returns the name that a velocity has in the rotational twin of an element, or in the model of a
 * twin. */
static const char *other_form(const char *name) {
    return strcmp(name, SLIDING) == 0 ? TURNING : strcmp(name, TURNING) == 0 ? SLIDING : "";
}

/* Connects the inputs and outputs of one FMU by their names. */
static bool connect(Assembly *a, int contact, const Fmu *fmu, Message *message) {
    Element *e = &a->elements[contact];
    const Description *d = &fmu->description;
    const Contact *site = &a->system->contacts[contact];
    e->offers = a->system->reads_table ? a->instant.table->names : site->inputs;
    const int n_offers = length(e->offers);
    e->n_outputs = length(site->outputs);
    e->load = -1;
    e->first_input = a->n_inputs;
    e->first_output = a->n_outputs;
    e->first_state = a->n_states;
    e->first_indicator = a->n_indicators;
    e->inputs = new_array((size_t)n_offers, sizeof *e->inputs);
    e->input_places = new_array((size_t)n_offers, sizeof *e->input_places);
    e->input_values = new_array((size_t)n_offers, sizeof *e->input_values);
    e->outputs = new_array((size_t)e->n_outputs, sizeof *e->outputs);
    for (int i = 0; i < d->n_variables; i++) {
        const Variable *variable = &d->variables[i];
        if (variable->causality != INPUT) continue;
        const int offer = find_offer(e, variable->name);
        if (offer < 0 && is_across_line(e, variable->name)) {
            e->is_on_line = true;
            continue;
        }
        if (offer < 0 && find_offer(e, other_form(variable->name)) >= 0)
            return fail(message, "%s does not fit: it has %s, but the system %s has %s; %s.",
                        fmu->path, variable->name, a->system->name, other_form(variable->name),
                        strcmp(variable->name, SLIDING) == 0
                            ? "take the rotational twin of this model"
                            : "take the model that this is the rotational twin of");
        if (offer < 0 || variable->type != REAL)
            return fail(message, "%s does not fit: the system %s does not offer its input %s.",
                        fmu->path, a->system->name, variable->name);
        if (a->system->load && strcmp(a->system->load, variable->name) == 0) e->load = e->n_inputs;
        e->inputs[e->n_inputs] = variable->reference;
        e->input_places[e->n_inputs++] = e->first_input + offer;
    }
    for (int i = 0; i < e->n_outputs; i++) {
        const Variable *variable = find_output(d, site->outputs[i]);
        if (!variable || variable->type != REAL || variable->causality != OUTPUT)
            return fail(message,
                        "%s does not fit: it lacks the output %s that the system %s needs.",
                        fmu->path, site->outputs[i], a->system->name);
        e->outputs[i] = variable->reference;
    }
    const bool is_in_loop = a->system->loads && (!a->system->load || e->load >= 0);
    if (is_in_loop && !d->has_slopes)
        return fail(
            message,
            "%s does not fit: without directional derivatives the system %s cannot find its %s.",
            fmu->path, a->system->name, a->system->load ? a->system->load : "loads");
    a->has_loop = a->has_loop || is_in_loop;
    a->n_inputs += n_offers;
    a->n_outputs += e->n_outputs;
    a->n_states += fmu->n_states;
    a->n_indicators += d->n_indicators;
    return true;
}

static bool is_shown(const Variable *variable) {
    return variable->causality == OUTPUT && variable->type != OTHER_TYPE;
}

static void add_column(Assembly *a, const char *prefix, const char *name) {
    a->columns = grown_array(a->columns, (size_t)a->n_columns + 2, sizeof *a->columns);
    a->columns[a->n_columns++] = prefix ? joined(prefix, ".", name) : copied(name);
    a->columns[a->n_columns] = NULL;
}

/* Adds a variable of an FMU; on a line the first component has the name of its vector, as scalar
 * elements have it. */
static void add_variable(Assembly *a, const Element *e, const char *prefix, const char *name) {
    char *shown = copied(name), *first = strstr(shown, "[1]");
    if (e->is_on_line && first) memmove(first, first + 3, strlen(first + 3) + 1);
    add_column(a, prefix, shown);
    free(shown);
}

/* Whether a contact is the only one with the given FMU; the others have loads, which have names of
 * their own. */
static bool is_alone(const System *system, int contact) {
    for (int c = 0; system->contacts[c].name; c++)
        if (c != contact && (!system->beside || strchr(system->beside[c], '%'))) return false;
    return !system->beside || strchr(system->beside[contact], '%');
}

/* Names the columns in the order of assembly_row_here. */
static void name_columns(Assembly *a) {
    add_column(a, NULL, "time");
    for (int i = 0; i < a->n_own; i++) add_column(a, NULL, a->system->states[i].name);
    for (int i = 0; i < count(a->system->outputs); i++)
        add_column(a, NULL, a->system->outputs[i].name);
    for (int c = 0; c < a->n_contacts; c++) {
        const Element *e = &a->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const Description *d = &fmu->description;
        const char *prefix = is_alone(a->system, c) ? NULL : a->system->contacts[c].name;
        for (int i = 0; i < e->n_inputs; i++)
            add_column(a, prefix, e->offers[e->input_places[i] - e->first_input]);
        for (int i = 0; i < fmu->n_states; i++) add_variable(a, e, prefix, fmu_state(fmu, i)->name);
        for (int i = 0; i < fmu->n_states; i++)
            add_variable(a, e, prefix, d->variables[d->rates[i] - 1].name);
        for (int i = 0; i < d->n_variables; i++)
            if (is_shown(&d->variables[i])) add_variable(a, e, prefix, d->variables[i].name);
    }
}

static void allocate(Assembly *a) {
    const struct {
        double **vector;
        int size;
    } vectors[] = {
        {&a->x, a->n_states},
        {&a->nominals, a->n_states},
        {&a->dx, a->n_states},
        {&a->u, a->n_inputs},
        {&a->y, a->n_outputs},
        {&a->row, a->n_columns},
        {&a->own_rates, a->n_own},
        {&a->own_inputs, a->n_inputs},
        {&a->shifted_states, a->n_states},
        {&a->shifted_rates, a->n_own},
        {&a->shifted_inputs, a->n_inputs},
        {&a->seeds, a->n_inputs},
        {&a->responses, a->n_outputs + a->n_states},
        {&a->force_slopes, a->n_own * a->n_outputs},
        {&a->loop_slopes, a->n_outputs * a->n_outputs},
        {&a->input_slopes, a->n_outputs * a->n_inputs},
        {&a->loop_residual, a->n_outputs},
        {&a->loop_step, a->n_outputs},
        {&a->loop_y, a->n_outputs},
        {&a->loop_inputs, a->n_inputs},
    };
    const size_t n_vectors = sizeof vectors / sizeof *vectors;
    size_t size = 0;
    for (size_t i = 0; i < n_vectors; i++) size += (size_t)vectors[i].size;
    a->memory = new_array(size, sizeof *a->memory);
    double *next = a->memory;
    for (size_t i = 0; i < n_vectors; i++) {
        *vectors[i].vector = next;
        next += vectors[i].size;
    }
}

void assembly_pass_time_events(Assembly *a, double t) {
    a->instant.t = t;
    while (a->system->event_time && a->system->event_time(&a->instant) <= t) a->instant.phase++;
}

double assembly_next_event(const Assembly *a) {
    return fmin(a->system->event_time ? a->system->event_time(&a->instant) : INFINITY,
                a->next_event);
}

Assembly *assembly_open(const System *system, const double *parameters, const Table *table,
                        const Fmu *const *fmus, Message *message) {
    Assembly *a = new_array(1, sizeof *a);
    a->system = system;
    a->instant = (Instant){.p = parameters, .table = table};
    a->n_contacts = count_contacts(system);
    a->n_own = a->n_states = count(system->states);
    a->n_indicators = system->n_indicators;
    a->elements = new_array((size_t)a->n_contacts, sizeof *a->elements);
    for (int c = 0; c < a->n_contacts; c++)
        if (!connect(a, c, fmus[c], message) ||
            !instance_open(&a->elements[c].instance, fmus[c], message)) {
            assembly_close(a);
            return NULL;
        }
    if (a->has_loop && a->n_outputs > MATRIX_ROOM) {
        fail(message, "the system %s has too many outputs for a loop.", system->name);
        assembly_close(a);
        return NULL;
    }
    name_columns(a);
    allocate(a);
    assembly_pass_time_events(a, 0);
    if (system->start) system->start(parameters, a->x);
    system->inputs(&a->instant, a->x, a->u);
    return a;
}

void assembly_close(Assembly *a) {
    if (!a) return;
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        instance_close(&e->instance);
        free(e->inputs);
        free(e->outputs);
        free(e->input_places);
        free(e->input_values);
    }
    for (int i = 0; i < a->n_columns; i++) free(a->columns[i]);
    free(a->columns);
    free(a->elements);
    free(a->memory);
    free(a);
}

bool assembly_set(Assembly *a, int contact, const char *name, double value, bool *known,
                  Message *message) {
    Instance *instance = &a->elements[contact].instance;
    const Variable *variable = description_find(&instance->fmu->description, name);
    *known = variable && variable->causality == PARAMETER;
    return !*known || instance_set(instance, variable, value, message);
}

/* In a loop a change of one element's output acts on all others: there the solver uses finite
 * differences. */
bool assembly_has_jacobian(const Assembly *a) {
    if (a->has_loop) return false;
    for (int c = 0; c < a->n_contacts; c++)
        if (!a->elements[c].instance.fmu->description.has_slopes) return false;
    return true;
}

static fmi2Status give_inputs(Element *e, const double *u) {
    for (int i = 0; i < e->n_inputs; i++) e->input_values[i] = u[e->input_places[i]];
    return e->instance.fmu->call.set_real(e->instance.component, e->inputs, (size_t)e->n_inputs,
                                          e->input_values);
}

fmi2Status assembly_give_inputs(Assembly *a, int contact, double t) {
    a->instant.t = t;
    a->system->inputs(&a->instant, a->x, a->u);
    return give_inputs(&a->elements[contact], a->u);
}

/* Sets time, states and inputs of one FMU. */
static fmi2Status set_point(Element *e, double t, const double *x, const double *u) {
    const Fmu *fmu = e->instance.fmu;
    fmi2Status status = fmu->call.set_time(e->instance.component, t);
    if (status <= fmi2Warning && fmu->n_states > 0)
        status = fmu->call.set_continuous_states(e->instance.component, x + e->first_state,
                                                 (size_t)fmu->n_states);
    return status <= fmi2Warning ? give_inputs(e, u) : status;
}

static int failure_of(Assembly *a, Element *e, fmi2Status status, const char *function) {
    if (status <= fmi2Warning) return 0;
    instance_good(&e->instance, status, function, &a->complaint);
    return status == fmi2Discard ? 1 : -1;
}

/* Computes the inputs of all contacts, with the loads that follow from the outputs y. */
static void find_inputs(Assembly *a, const double *x, const double *y, double *u) {
    a->system->inputs(&a->instant, x, u);
    if (a->has_loop) a->system->loads(&a->instant, x, y, u);
}

static fmi2Status get_outputs(Assembly *a, Element *e, double *y) {
    const fmi2Status status = give_inputs(e, a->u);
    if (status > fmi2Warning) return status;
    return e->instance.fmu->call.get_real(e->instance.component, e->outputs, (size_t)e->n_outputs,
                                          y + e->first_output);
}

/* Finds the slopes of the inputs with respect to the outputs (input_slopes) and, through the
 * elements, of the outputs with respect to themselves (loop_slopes). */
static int find_loop_slopes(Assembly *a, const double *x) {
    const int n = a->n_outputs;
    find_inputs(a, x, a->y, a->shifted_inputs);
    for (int o = 0; o < n; o++) {
        /* inputs are linear in the outputs: any change will do */
        const double y = a->y[o], change = fmax(fabs(y), 1);
        double *slopes = a->input_slopes + o * a->n_inputs;
        a->y[o] = y + change;
        find_inputs(a, x, a->y, a->loop_inputs);
        a->y[o] = y;
        for (int i = 0; i < a->n_inputs; i++)
            slopes[i] = (a->loop_inputs[i] - a->shifted_inputs[i]) / change;
        for (int c = 0; c < a->n_contacts; c++) {
            Element *e = &a->elements[c];
            for (int i = 0; i < e->n_inputs; i++) a->seeds[i] = slopes[e->input_places[i]];
            const fmi2Status status = e->instance.fmu->call.get_directional_derivative(
                e->instance.component, e->outputs, (size_t)e->n_outputs, e->inputs,
                (size_t)e->n_inputs, a->seeds, a->responses);
            const int failed = failure_of(a, e, status, "fmi2GetDirectionalDerivative");
            if (failed) return failed;
            for (int j = 0; j < e->n_outputs; j++)
                a->loop_slopes[(e->first_output + j) * n + o] = a->responses[j];
        }
    }
    return 0;
}

/* Solves (identity - loop_slopes) x = right in place; false if the matrix is singular. */
static bool solve_loop(const Assembly *a, double *right) {
    const int n = a->n_outputs;
    double matrix[MATRIX_ROOM][MATRIX_ROOM];
    int row[MATRIX_ROOM];
    for (int i = 0; i < n; i++)
        for (int o = 0; o < n; o++) matrix[i][o] = (i == o) - a->loop_slopes[i * n + o];
    factorize(n, matrix, row);
    back_substitute(n, matrix, row, right, right);
    for (int o = 0; o < n; o++)
        if (!isfinite(right[o])) return false;
    return true;
}

/* Whether an element's first output depends on any other. */
static bool follows_loop(const Assembly *a, const Element *e) {
    for (int o = 0; o < a->n_outputs; o++)
        if (a->loop_slopes[e->first_output * a->n_outputs + o] != 0) return true;
    return false;
}

/* Finds the loads of elements that slip: these do not depend on their load, but decide by it
 * whether they may stick. It has to be the load that they would carry in stick, with the reactions
 * of the others, so that it does not jump when an element changes its mode. */
static int find_loads_in_slip(Assembly *a, const double *x) {
    const int n = a->n_outputs;
    const int found = a->system->load ? find_loop_slopes(a, x) : 0;
    if (found) return found;
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        if (e->load < 0 || follows_loop(a, e)) continue;
        for (int o = 0; o < n; o++) a->loop_residual[o] = o == e->first_output;
        if (!solve_loop(a, a->loop_residual)) continue;
        const int at = e->input_places[e->load];
        double feedback = 0;
        for (int o = 0; o < n; o++)
            feedback += a->input_slopes[o * a->n_inputs + at] * a->loop_residual[o];
        if (feedback < 1) a->u[at] = (a->u[at] - feedback * a->y[e->first_output]) / (1 - feedback);
        const int failed = failure_of(a, e, give_inputs(e, a->u), "the evaluation");
        if (failed) return failed;
    }
    return 0;
}

/* Solves y = F(u(y)) for the outputs y of all elements, whose time and states are set already:
 * Newton's method, with half of a step where the whole step does not reduce the residual, as across
 * the kink of a law. */
static int close_loop(Assembly *a, const double *x) {
    double nearest = INFINITY;
    for (int step = 0; step < LOOP_STEPS_AT_MOST; step++) {
        find_inputs(a, x, a->y, a->u);
        for (int c = 0; c < a->n_contacts; c++) {
            Element *e = &a->elements[c];
            const int failed = failure_of(a, e, get_outputs(a, e, a->loop_y), "the evaluation");
            if (failed) return failed;
        }
        double residual = 0, size = 0;
        for (int o = 0; o < a->n_outputs; o++) {
            a->loop_residual[o] = a->loop_y[o] - a->y[o];
            residual = fmax(residual, fabs(a->loop_residual[o]));
            size = fmax(size, fabs(a->loop_y[o]));
        }
        if (residual <= 1e-13 * size) return find_loads_in_slip(a, x);
        if (step < SUBSTITUTIONS) {
            memcpy(a->y, a->loop_y, (size_t)a->n_outputs * sizeof *a->y);
            continue;
        }
        if (residual >= nearest) {
            for (int o = 0; o < a->n_outputs; o++) a->y[o] -= a->loop_step[o] /= 2;
            continue;
        }
        nearest = residual;
        const int failed = find_loop_slopes(a, x);
        if (failed) return failed;
        if (!solve_loop(a, a->loop_residual)) break;
        for (int o = 0; o < a->n_outputs; o++) a->y[o] += a->loop_step[o] = a->loop_residual[o];
    }
    fail(&a->complaint, "the loads of the contacts cannot be found at t = %.9g s.", a->instant.t);
    return 1;
}

/* Sets time and states of all elements, and the inputs that follow. */
static int set_all_points(Assembly *a, double t, const double *x) {
    a->instant.t = t;
    find_inputs(a, x, a->y, a->u);
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        const int failed = failure_of(a, e, set_point(e, t, x, a->u), "the evaluation");
        if (failed) return failed;
    }
    return a->has_loop ? close_loop(a, x) : 0;
}

int assembly_evaluate(Assembly *a, double t, const double *x, double *dx) {
    const int refused = set_all_points(a, t, x);
    if (refused) return refused;
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const fmi2Component component = e->instance.component;
        fmi2Status status =
            fmu->call.get_real(component, e->outputs, (size_t)e->n_outputs, a->y + e->first_output);
        if (status <= fmi2Warning && fmu->n_states > 0)
            status =
                fmu->call.get_derivatives(component, dx + e->first_state, (size_t)fmu->n_states);
        const int failed = failure_of(a, e, status, "the evaluation");
        if (failed) return failed;
    }
    a->system->rates(&a->instant, x, a->y, dx);
    return 0;
}

int assembly_indicators(Assembly *a, double t, const double *x, double *g) {
    const int refused = set_all_points(a, t, x);
    if (refused) return refused;
    if (a->system->indicators) a->system->indicators(&a->instant, x, g);
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const fmi2Status status = fmu->call.get_event_indicators(
            e->instance.component, g + e->first_indicator, (size_t)fmu->description.n_indicators);
        const int failed = failure_of(a, e, status, "fmi2GetEventIndicators");
        if (failed) return failed;
    }
    return 0;
}

static double small_change(double value, double nominal) {
    return 1e-7 * fmax(fabs(value), nominal);
}

/* Finds the slopes of the system's rates with respect to the FMUs' outputs. */
static void find_force_slopes(Assembly *a, const double *x) {
    for (int o = 0; o < a->n_outputs; o++) {
        const double y = a->y[o], change = small_change(y, 1);
        a->y[o] = y + change;
        a->system->rates(&a->instant, x, a->y, a->shifted_rates);
        a->y[o] = y;
        for (int i = 0; i < a->n_own; i++)
            a->force_slopes[i * a->n_outputs + o] =
                (a->shifted_rates[i] - a->own_rates[i]) / change;
    }
}

/* Adds the effect of one FMU's inputs or states (its knowns, along the seeds) on all rates: its
 * directional derivatives give the changes of its outputs and of its own rates. */
static int add_slope(Assembly *a, Element *e, const fmi2ValueReference *knowns, int n_knowns,
                     const double *seeds, double *column) {
    const Fmu *fmu = e->instance.fmu;
    const fmi2Component component = e->instance.component;
    const size_t n_outputs = (size_t)e->n_outputs, n_states = (size_t)fmu->n_states,
                 n = (size_t)n_knowns;
    double *outputs = a->responses, *rates = a->responses + n_outputs;
    fmi2Status status = fmu->call.get_directional_derivative(component, e->outputs, n_outputs,
                                                             knowns, n, seeds, outputs);
    if (status <= fmi2Warning && n_states > 0)
        status = fmu->call.get_directional_derivative(component, fmu->rates, n_states, knowns, n,
                                                      seeds, rates);
    for (int i = 0; i < a->n_own; i++)
        for (int o = 0; o < e->n_outputs; o++)
            column[i] += a->force_slopes[i * a->n_outputs + e->first_output + o] * outputs[o];
    for (int i = 0; i < fmu->n_states; i++) column[e->first_state + i] += rates[i];
    return failure_of(a, e, status, "fmi2GetDirectionalDerivative");
}

/* Computes the column of the Jacobian for a state of the system. */
static int find_own_column(Assembly *a, int state, const double *x, double *column) {
    double *shifted = memcpy(a->shifted_states, x, (size_t)a->n_states * sizeof *x);
    const double change = small_change(x[state], a->nominals[state]);
    shifted[state] += change;
    a->system->rates(&a->instant, shifted, a->y, a->shifted_rates);
    a->system->inputs(&a->instant, shifted, a->shifted_inputs);
    for (int i = 0; i < a->n_own; i++) column[i] = (a->shifted_rates[i] - a->own_rates[i]) / change;
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        bool is_affected = false;
        for (int i = 0; i < e->n_inputs; i++) {
            const int at = e->input_places[i];
            a->seeds[i] = (a->shifted_inputs[at] - a->own_inputs[at]) / change;
            is_affected = is_affected || a->seeds[i] != 0;
        }
        const int failed =
            is_affected ? add_slope(a, e, e->inputs, e->n_inputs, a->seeds, column) : 0;
        if (failed) return failed;
    }
    return 0;
}

/* The slopes of the FMUs are exact; the system's own equations are cheap and smooth, so their
 * slopes are finite differences. */
int assembly_jacobian(Assembly *a, double t, const double *x, double *columns) {
    int failed = assembly_evaluate(a, t, x, a->dx);
    if (failed) return failed;
    memcpy(a->own_rates, a->dx, (size_t)a->n_own * sizeof(double));
    memcpy(a->own_inputs, a->u, (size_t)a->n_inputs * sizeof(double));
    memset(columns, 0, (size_t)a->n_states * (size_t)a->n_states * sizeof *columns);
    find_force_slopes(a, x);
    for (int j = 0; j < a->n_own && !failed; j++)
        failed = find_own_column(a, j, x, columns + j * a->n_states);
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        const double one = 1;
        for (int j = 0; j < e->instance.fmu->n_states && !failed; j++)
            failed = add_slope(a, e, &e->instance.fmu->states[j], 1, &one,
                               columns + (e->first_state + j) * a->n_states);
    }
    return failed;
}

const double *assembly_row(Assembly *a, double t, const double *x) {
    return assembly_evaluate(a, t, x, a->dx) ? NULL : assembly_row_here(a, t, x);
}

const double *assembly_row_here(Assembly *a, double t, const double *x) {
    double *next = a->row;
    *next++ = t;
    for (int i = 0; i < a->n_own; i++) *next++ = x[i];
    if (a->system->results) a->system->results(&a->instant, x, a->y, next);
    next += count(a->system->outputs);
    for (int c = 0; c < a->n_contacts; c++) {
        const Element *e = &a->elements[c];
        const Fmu *fmu = e->instance.fmu;
        for (int i = 0; i < e->n_inputs; i++) *next++ = a->u[e->input_places[i]];
        for (int i = 0; i < fmu->n_states; i++) *next++ = x[e->first_state + i];
        for (int i = 0; i < fmu->n_states; i++) *next++ = a->dx[e->first_state + i];
        for (int i = 0; i < fmu->description.n_variables; i++) {
            const Variable *variable = &fmu->description.variables[i];
            if (!is_shown(variable)) continue;
            fmi2Integer whole = 0;
            if (variable->type == REAL) {
                fmu->call.get_real(e->instance.component, &variable->reference, 1, next++);
            } else {
                fmu->call.get_integer(e->instance.component, &variable->reference, 1, &whole);
                *next++ = whole;
            }
        }
    }
    return a->row;
}

bool assembly_complete_step(Assembly *a, double t, bool *event, Message *message) {
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        const Fmu *fmu = e->instance.fmu;
        if (!fmu->description.needs_completed_steps && !fmu->warns) continue;
        fmi2Boolean enter = fmi2False, terminate = fmi2False;
        if (set_all_points(a, t, a->x)) return fail(message, "%s", a->complaint.text);
        const fmi2Status status = fmu->call.completed_integrator_step(e->instance.component,
                                                                      fmi2True, &enter, &terminate);
        if (!instance_good(&e->instance, status, "fmi2CompletedIntegratorStep", message))
            return false;
        if (terminate)
            return fail(message, "%s: it asks to end the simulation at t = %.9g s.", fmu->path, t);
        *event = *event || enter;
    }
    return true;
}

bool assembly_enter_event(Assembly *a, double t, Message *message) {
    if (assembly_evaluate(a, t, a->x, a->dx)) return fail(message, "%s", a->complaint.text);
    for (int c = 0; c < a->n_contacts; c++) {
        Instance *instance = &a->elements[c].instance;
        const fmi2Status status = instance->fmu->call.enter_event_mode(instance->component);
        if (!instance_good(instance, status, "fmi2EnterEventMode", message)) return false;
    }
    return true;
}

/* Iterates the discrete states of one FMU in event mode. */
static bool iterate_event(Assembly *a, Element *e, double t, Message *message) {
    const Fmu *fmu = e->instance.fmu;
    fmi2EventInfo info = {.newDiscreteStatesNeeded = fmi2True};
    fmi2Status status = give_inputs(e, a->u);
    for (int i = 0; status <= fmi2Warning && info.newDiscreteStatesNeeded; i++) {
        if (i == ITERATIONS_AT_MOST)
            return fail(message, "%s: its discrete states do not settle at t = %.9g s.", fmu->path,
                        t);
        status = fmu->call.new_discrete_states(e->instance.component, &info);
        if (info.terminateSimulation)
            return fail(message, "%s: it asks to end the simulation at t = %.9g s.", fmu->path, t);
        e->states_changed = e->states_changed || info.valuesOfContinuousStatesChanged;
        e->nominals_changed = e->nominals_changed || info.nominalsOfContinuousStatesChanged;
    }
    if (info.nextEventTimeDefined) a->next_event = fmin(a->next_event, info.nextEventTime);
    return instance_good(&e->instance, status, "the event", message);
}

/* Returns to continuous-time mode, and reads the states and nominal values that the event has
 * changed. */
static bool leave_event(Assembly *a, Element *e, Message *message) {
    const Fmu *fmu = e->instance.fmu;
    const fmi2Component component = e->instance.component;
    const size_t n = (size_t)fmu->n_states;
    fmi2Status status = fmu->call.enter_continuous_time_mode(component);
    if (status <= fmi2Warning && e->states_changed && n > 0)
        status = fmu->call.get_continuous_states(component, a->x + e->first_state, n);
    if (status <= fmi2Warning && e->nominals_changed && n > 0)
        status = fmu->call.get_nominals(component, a->nominals + e->first_state, n);
    e->states_changed = e->nominals_changed = false;
    return instance_good(&e->instance, status, "the event", message);
}

/* Finds whether an element's new mode has changed the load of another one; u has the new loads
 * then. */
static bool find_changed_loads(Assembly *a, bool *changed, Message *message) {
    memcpy(a->own_inputs, a->u, (size_t)a->n_inputs * sizeof *a->u);
    if (close_loop(a, a->x)) return fail(message, "%s", a->complaint.text);
    for (int i = 0; i < a->n_inputs; i++) {
        const double before = a->own_inputs[i], now = a->u[i];
        *changed = *changed || fabs(now - before) > 1e-12 * fmax(fabs(now), fabs(before));
    }
    return true;
}

/* Sets the parameters of the FMUs that are parameters of the system, to their present values. */
static bool share_parameters(Assembly *a, Message *message) {
    for (const Shared *one = a->system->shared; one && one->contact >= 0; one++) {
        Instance *instance = &a->elements[one->contact].instance;
        const Variable *variable = description_find(&instance->fmu->description,
                                                    a->system->parameters[one->parameter].name);
        const fmi2Status status = instance->fmu->call.set_real(
            instance->component, &variable->reference, 1, &a->instant.p[one->parameter]);
        if (!instance_good(instance, status, "fmi2SetReal", message)) return false;
    }
    return true;
}

bool assembly_settle(Assembly *a, double t, Message *message) {
    if (!share_parameters(a, message)) return false;
    assembly_pass_time_events(a, t);
    find_inputs(a, a->x, a->y, a->u);
    if (a->has_loop && close_loop(a, a->x)) return fail(message, "%s", a->complaint.text);
    bool changed = true;
    for (int round = 0; changed; round++) {
        if (round == ITERATIONS_AT_MOST)
            return fail(message, "the modes of the contacts do not settle at t = %.9g s.", t);
        changed = false;
        a->next_event = INFINITY;
        for (int c = 0; c < a->n_contacts; c++)
            if (!iterate_event(a, &a->elements[c], t, message)) return false;
        if (a->has_loop && !find_changed_loads(a, &changed, message)) return false;
    }
    for (int c = 0; c < a->n_contacts; c++)
        if (!leave_event(a, &a->elements[c], message)) return false;
    return true;
}

bool assembly_initialize(Assembly *a, double stop, double tolerance, Message *message) {
    if (!share_parameters(a, message)) return false;
    for (int i = 0; i < a->n_own; i++) a->nominals[i] = a->system->states[i].nominal;
    for (int c = 0; c < a->n_contacts; c++) {
        Element *e = &a->elements[c];
        const Functions *call = &e->instance.fmu->call;
        const fmi2Component component = e->instance.component;
        const size_t n = (size_t)e->instance.fmu->n_states;
        fmi2Status status =
            call->setup_experiment(component, fmi2True, tolerance, 0, fmi2True, stop);
        if (status <= fmi2Warning) status = call->enter_initialization_mode(component);
        if (status <= fmi2Warning) status = give_inputs(e, a->u);
        if (status <= fmi2Warning) status = call->exit_initialization_mode(component);
        if (status <= fmi2Warning && n > 0)
            status = call->get_continuous_states(component, a->x + e->first_state, n);
        if (status <= fmi2Warning && n > 0)
            status = call->get_nominals(component, a->nominals + e->first_state, n);
        if (!instance_good(&e->instance, status, "the initialization", message)) return false;
    }
    return assembly_settle(a, 0, message);
}

void assembly_terminate(Assembly *a) {
    for (int c = 0; c < a->n_contacts; c++) {
        const Instance *instance = &a->elements[c].instance;
        instance->fmu->call.terminate(instance->component);
    }
}
