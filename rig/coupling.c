#include "coupling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { MATRIX_ROOM = 32 }; /* answers of a loop at most */
#include "solver/matrix.c"

enum { ITERATIONS_AT_MOST = 100 }; /* of an event */
enum {
    SUBSTITUTIONS = 2,      /* before; enough where a load feeds friction and nothing comes back */
    LOOP_STEPS_AT_MOST = 60 /* of Newton's method; one is enough where elements answer linearly */
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

/* Whether a name is a component of a vector, as in relativeVelocity[2]; `first` or any. */
static bool is_component(const char *name, const char *vector, bool first) {
    const size_t size = strlen(vector);
    return strncmp(name, vector, size) == 0 && name[size] == '[' &&
           (!first || strcmp(name + size, "[1]") == 0);
}

/* What a place offers for an input, or -1. On a line it is the first component of a vector. */
static int find_offer(const Element *e, const char *name) {
    for (int i = 0; e->offers[i]; i++)
        if (strcmp(e->offers[i], name) == 0 || is_component(name, e->offers[i], true)) return i;
    return -1;
}

/* Whether an input of an element in space keeps its start at a place on a line, which is its first
 * axis: nothing moves across the line, and contactNormal starts across it. */
static bool is_across_line(const Element *e, const char *name) {
    for (int i = 0; e->offers[i]; i++)
        if (strcmp(e->offers[i], SLIDING) == 0)
            return is_component(name, SLIDING, false) || is_component(name, "contactNormal", false);
    return false;
}

/* The output of that name; on a line the first component of a vector. */
static const Variable *find_output(const Description *d, const char *name) {
    const Variable *variable = description_find(d, name);
    if (variable) return variable;
    char *component = joined(name, "[1]", "");
    variable = description_find(d, component);
    free(component);
    return variable;
}

/* The velocity that the rotational twin of an element has in place of its own, and the reverse. */
static const char *other_form(const char *name) {
    return strcmp(name, SLIDING) == 0 ? TURNING : strcmp(name, TURNING) == 0 ? SLIDING : "";
}

/* Connects the inputs and outputs of one FMU by their names. */
static bool connect(Coupling *k, int contact, const Fmu *fmu, Message *message) {
    Element *e = &k->elements[contact];
    const Description *d = &fmu->description;
    const Contact *place = &k->system->contacts[contact];
    e->offers = k->system->reads_table ? k->moment.table->names : place->inputs;
    const int n_offers = length(e->offers);
    e->n_outputs = length(place->outputs);
    e->load = -1;
    e->first_input = k->n_inputs;
    e->first_output = k->n_outputs;
    e->first_state = k->n_states;
    e->first_indicator = k->n_indicators;
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
                        fmu->path, variable->name, k->system->name, other_form(variable->name),
                        strcmp(variable->name, SLIDING) == 0
                            ? "take the rotational twin of this model"
                            : "take the model that this is the rotational twin of");
        if (offer < 0 || variable->type != REAL)
            return fail(message, "%s does not fit: the system %s does not offer its input %s.",
                        fmu->path, k->system->name, variable->name);
        if (k->system->load && strcmp(k->system->load, variable->name) == 0) e->load = e->n_inputs;
        e->inputs[e->n_inputs] = variable->reference;
        e->input_places[e->n_inputs++] = e->first_input + offer;
    }
    for (int i = 0; i < e->n_outputs; i++) {
        const Variable *variable = find_output(d, place->outputs[i]);
        if (!variable || variable->type != REAL || variable->causality != OUTPUT)
            return fail(message,
                        "%s does not fit: it lacks the output %s that the system %s needs.",
                        fmu->path, place->outputs[i], k->system->name);
        e->outputs[i] = variable->reference;
    }
    const bool is_in_loop = k->system->loads && (!k->system->load || e->load >= 0);
    if (is_in_loop && !d->has_slopes)
        return fail(
            message,
            "%s does not fit: without directional derivatives the system %s cannot find its %s.",
            fmu->path, k->system->name, k->system->load ? k->system->load : "loads");
    k->is_looped = k->is_looped || is_in_loop;
    k->n_inputs += n_offers;
    k->n_outputs += e->n_outputs;
    k->n_states += fmu->n_states;
    k->n_indicators += d->n_indicators;
    return true;
}

static bool is_shown(const Variable *variable) {
    return variable->causality == OUTPUT && variable->type != OTHER_TYPE;
}

static void add_column(Coupling *k, const char *prefix, const char *name) {
    k->columns = grown_array(k->columns, (size_t)k->n_columns + 2, sizeof *k->columns);
    k->columns[k->n_columns++] = prefix ? joined(prefix, ".", name) : copied(name);
    k->columns[k->n_columns] = NULL;
}

/* Adds a variable of an FMU; on a line the first component has the name of its vector, as scalar
 * elements have it. */
static void add_variable(Coupling *k, const Element *e, const char *prefix, const char *name) {
    char *shown = copied(name), *first = strstr(shown, "[1]");
    if (e->is_on_line && first) memmove(first, first + 3, strlen(first + 3) + 1);
    add_column(k, prefix, shown);
    free(shown);
}

/* Whether a contact is the only one that takes the FMU that is given for all of them: the others
 * are loads, which go by their own names. */
static bool is_alone(const System *system, int contact) {
    for (int c = 0; system->contacts[c].name; c++)
        if (c != contact && (!system->beside || strchr(system->beside[c], '%'))) return false;
    return !system->beside || strchr(system->beside[contact], '%');
}

/* The order here is that of fill_row. */
static void name_columns(Coupling *k) {
    add_column(k, NULL, "time");
    for (int i = 0; i < k->n_own; i++) add_column(k, NULL, k->system->states[i].name);
    for (int i = 0; i < count(k->system->outputs); i++)
        add_column(k, NULL, k->system->outputs[i].name);
    for (int c = 0; c < k->n_contacts; c++) {
        const Element *e = &k->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const Description *d = &fmu->description;
        const char *prefix = is_alone(k->system, c) ? NULL : k->system->contacts[c].name;
        for (int i = 0; i < e->n_inputs; i++)
            add_column(k, prefix, e->offers[e->input_places[i] - e->first_input]);
        for (int i = 0; i < fmu->n_states; i++) add_variable(k, e, prefix, fmu_state(fmu, i)->name);
        for (int i = 0; i < fmu->n_states; i++)
            add_variable(k, e, prefix, d->variables[d->rates[i] - 1].name);
        for (int i = 0; i < d->n_variables; i++)
            if (is_shown(&d->variables[i])) add_variable(k, e, prefix, d->variables[i].name);
    }
}

static void allocate(Coupling *k) {
    const struct {
        double **vector;
        int size;
    } vectors[] = {
        {&k->x, k->n_states},
        {&k->nominals, k->n_states},
        {&k->dx, k->n_states},
        {&k->u, k->n_inputs},
        {&k->y, k->n_outputs},
        {&k->row, k->n_columns},
        {&k->own_rates, k->n_own},
        {&k->own_inputs, k->n_inputs},
        {&k->shifted_states, k->n_states},
        {&k->shifted_rates, k->n_own},
        {&k->shifted_inputs, k->n_inputs},
        {&k->seeds, k->n_inputs},
        {&k->answers, k->n_outputs + k->n_states},
        {&k->force_slopes, k->n_own * k->n_outputs},
        {&k->loop_slopes, k->n_outputs * k->n_outputs},
        {&k->input_slopes, k->n_outputs * k->n_inputs},
        {&k->loop_residual, k->n_outputs},
        {&k->loop_step, k->n_outputs},
        {&k->loop_y, k->n_outputs},
        {&k->loop_inputs, k->n_inputs},
    };
    const size_t n_vectors = sizeof vectors / sizeof *vectors;
    size_t size = 0;
    for (size_t i = 0; i < n_vectors; i++) size += (size_t)vectors[i].size;
    k->memory = new_array(size, sizeof *k->memory);
    double *next = k->memory;
    for (size_t i = 0; i < n_vectors; i++) {
        *vectors[i].vector = next;
        next += vectors[i].size;
    }
}

void coupling_pass_time_events(Coupling *k, double t) {
    k->moment.t = t;
    while (k->system->event_time && k->system->event_time(&k->moment) <= t) k->moment.phase++;
}

double coupling_next_event(const Coupling *k) {
    return fmin(k->system->event_time ? k->system->event_time(&k->moment) : INFINITY,
                k->next_event);
}

Coupling *coupling_open(const System *system, const double *parameters, const Table *table,
                        const Fmu *const *fmus, Message *message) {
    Coupling *k = new_array(1, sizeof *k);
    k->system = system;
    k->moment = (Moment){.p = parameters, .table = table};
    k->n_contacts = count_contacts(system);
    k->n_own = k->n_states = count(system->states);
    k->n_indicators = system->n_indicators;
    k->elements = new_array((size_t)k->n_contacts, sizeof *k->elements);
    for (int c = 0; c < k->n_contacts; c++)
        if (!connect(k, c, fmus[c], message) ||
            !instance_open(&k->elements[c].instance, fmus[c], message)) {
            coupling_close(k);
            return NULL;
        }
    if (k->is_looped && k->n_outputs > MATRIX_ROOM) {
        fail(message, "the system %s has too many outputs for a loop.", system->name);
        coupling_close(k);
        return NULL;
    }
    name_columns(k);
    allocate(k);
    coupling_pass_time_events(k, 0);
    if (system->start) system->start(parameters, k->x);
    system->inputs(&k->moment, k->x, k->u);
    return k;
}

void coupling_close(Coupling *k) {
    if (!k) return;
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        instance_close(&e->instance);
        free(e->inputs);
        free(e->outputs);
        free(e->input_places);
        free(e->input_values);
    }
    for (int i = 0; i < k->n_columns; i++) free(k->columns[i]);
    free(k->columns);
    free(k->elements);
    free(k->memory);
    free(k);
}

bool coupling_set(Coupling *k, int contact, const char *name, double value, bool *known,
                  Message *message) {
    Instance *instance = &k->elements[contact].instance;
    const Variable *variable = description_find(&instance->fmu->description, name);
    *known = variable && variable->causality == PARAMETER;
    return !*known || instance_set(instance, variable, value, message);
}

/* In a loop the change of one element's answer goes through the others: there the solver takes
 * differences. */
bool coupling_has_jacobian(const Coupling *k) {
    if (k->is_looped) return false;
    for (int c = 0; c < k->n_contacts; c++)
        if (!k->elements[c].instance.fmu->description.has_slopes) return false;
    return true;
}

static fmi2Status give_inputs(Element *e, const double *u) {
    for (int i = 0; i < e->n_inputs; i++) e->input_values[i] = u[e->input_places[i]];
    return e->instance.fmu->call.set_real(e->instance.component, e->inputs, (size_t)e->n_inputs,
                                          e->input_values);
}

fmi2Status coupling_give_inputs(Coupling *k, int contact, double t) {
    k->moment.t = t;
    k->system->inputs(&k->moment, k->x, k->u);
    return give_inputs(&k->elements[contact], k->u);
}

/* Brings one FMU to a point of time and states; u is that of the point. */
static fmi2Status place(Element *e, double t, const double *x, const double *u) {
    const Fmu *fmu = e->instance.fmu;
    fmi2Status status = fmu->call.set_time(e->instance.component, t);
    if (status <= fmi2Warning && fmu->n_states > 0)
        status = fmu->call.set_continuous_states(e->instance.component, x + e->first_state,
                                                 (size_t)fmu->n_states);
    return status <= fmi2Warning ? give_inputs(e, u) : status;
}

static int verdict(Coupling *k, Element *e, fmi2Status status, const char *function) {
    if (status <= fmi2Warning) return 0;
    instance_good(&e->instance, status, function, &k->complaint);
    return status == fmi2Discard ? 1 : -1;
}

/* Inputs of the system at the moment, with the loads that go with the answers y. */
static void find_inputs(Coupling *k, const double *x, const double *y, double *u) {
    k->system->inputs(&k->moment, x, u);
    if (k->is_looped) k->system->loads(&k->moment, x, y, u);
}

static fmi2Status ask(Coupling *k, Element *e, double *y) {
    const fmi2Status status = give_inputs(e, k->u);
    if (status > fmi2Warning) return status;
    return e->instance.fmu->call.get_real(e->instance.component, e->outputs, (size_t)e->n_outputs,
                                          y + e->first_output);
}

/* How the inputs follow the answers (input_slopes) and, through the elements, the answers
 * themselves (loop_slopes). */
static int find_loop_slopes(Coupling *k, const double *x) {
    const int n = k->n_outputs;
    find_inputs(k, x, k->y, k->shifted_inputs);
    for (int o = 0; o < n; o++) {
        /* inputs are linear in the answers: any change will do */
        const double y = k->y[o], change = fmax(fabs(y), 1);
        double *slopes = k->input_slopes + o * k->n_inputs;
        k->y[o] = y + change;
        find_inputs(k, x, k->y, k->loop_inputs);
        k->y[o] = y;
        for (int i = 0; i < k->n_inputs; i++)
            slopes[i] = (k->loop_inputs[i] - k->shifted_inputs[i]) / change;
        for (int c = 0; c < k->n_contacts; c++) {
            Element *e = &k->elements[c];
            for (int i = 0; i < e->n_inputs; i++) k->seeds[i] = slopes[e->input_places[i]];
            const fmi2Status status = e->instance.fmu->call.get_directional_derivative(
                e->instance.component, e->outputs, (size_t)e->n_outputs, e->inputs,
                (size_t)e->n_inputs, k->seeds, k->answers);
            const int answer = verdict(k, e, status, "fmi2GetDirectionalDerivative");
            if (answer) return answer;
            for (int j = 0; j < e->n_outputs; j++)
                k->loop_slopes[(e->first_output + j) * n + o] = k->answers[j];
        }
    }
    return 0;
}

/* Solves (identity - slopes of the answers F(u(y))) x = right, in place. */
static bool solve_loop(const Coupling *k, double *right) {
    const int n = k->n_outputs;
    double matrix[MATRIX_ROOM][MATRIX_ROOM];
    int row[MATRIX_ROOM];
    for (int i = 0; i < n; i++)
        for (int o = 0; o < n; o++) matrix[i][o] = (i == o) - k->loop_slopes[i * n + o];
    factorize(n, matrix, row);
    back_substitute(n, matrix, row, right, right);
    for (int o = 0; o < n; o++)
        if (!isfinite(right[o])) return false;
    return true;
}

/* Whether an element's first answer follows any other. */
static bool follows_loop(const Coupling *k, const Element *e) {
    for (int o = 0; o < k->n_outputs; o++)
        if (k->loop_slopes[e->first_output * k->n_outputs + o] != 0) return true;
    return false;
}

/* An element that slips does not follow its load, but decides by it whether it may stick. This has
 * to be the load that it would carry in stick, with the answers of the others to it: so it does not
 * jump when the element changes its mode. */
static int find_loads_in_slip(Coupling *k, const double *x) {
    const int n = k->n_outputs;
    const int found = k->system->load ? find_loop_slopes(k, x) : 0;
    if (found) return found;
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        if (e->load < 0 || follows_loop(k, e)) continue;
        for (int o = 0; o < n; o++) k->loop_residual[o] = o == e->first_output;
        if (!solve_loop(k, k->loop_residual)) continue;
        const int at = e->input_places[e->load];
        double feedback = 0;
        for (int o = 0; o < n; o++)
            feedback += k->input_slopes[o * k->n_inputs + at] * k->loop_residual[o];
        if (feedback < 1) k->u[at] = (k->u[at] - feedback * k->y[e->first_output]) / (1 - feedback);
        const int answer = verdict(k, e, give_inputs(e, k->u), "the evaluation");
        if (answer) return answer;
    }
    return 0;
}

/* Finds answers y and inputs u that go with each other, y = F(u(y)), for elements that are at the
 * point already: Newton's method, with half of a step where the whole leads no nearer, as across
 * the kink of a law. */
static int close_loop(Coupling *k, const double *x) {
    double nearest = INFINITY;
    for (int step = 0; step < LOOP_STEPS_AT_MOST; step++) {
        find_inputs(k, x, k->y, k->u);
        for (int c = 0; c < k->n_contacts; c++) {
            Element *e = &k->elements[c];
            const int answer = verdict(k, e, ask(k, e, k->loop_y), "the evaluation");
            if (answer) return answer;
        }
        double residual = 0, size = 0;
        for (int o = 0; o < k->n_outputs; o++) {
            k->loop_residual[o] = k->loop_y[o] - k->y[o];
            residual = fmax(residual, fabs(k->loop_residual[o]));
            size = fmax(size, fabs(k->loop_y[o]));
        }
        if (residual <= 1e-13 * size) return find_loads_in_slip(k, x);
        if (step < SUBSTITUTIONS) {
            memcpy(k->y, k->loop_y, (size_t)k->n_outputs * sizeof *k->y);
            continue;
        }
        if (residual >= nearest) {
            for (int o = 0; o < k->n_outputs; o++) k->y[o] -= k->loop_step[o] /= 2;
            continue;
        }
        nearest = residual;
        const int answer = find_loop_slopes(k, x);
        if (answer) return answer;
        if (!solve_loop(k, k->loop_residual)) break;
        for (int o = 0; o < k->n_outputs; o++) k->y[o] += k->loop_step[o] = k->loop_residual[o];
    }
    fail(&k->complaint, "the loads of the contacts cannot be found at t = %.9g s.", k->moment.t);
    return 1;
}

/* Brings all elements to a point of time and states, with the inputs that belong to it. */
static int place_all(Coupling *k, double t, const double *x) {
    k->moment.t = t;
    find_inputs(k, x, k->y, k->u);
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        const int answer = verdict(k, e, place(e, t, x, k->u), "the evaluation");
        if (answer) return answer;
    }
    return k->is_looped ? close_loop(k, x) : 0;
}

int coupling_evaluate(Coupling *k, double t, const double *x, double *dx) {
    const int placed = place_all(k, t, x);
    if (placed) return placed;
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const fmi2Component component = e->instance.component;
        fmi2Status status =
            fmu->call.get_real(component, e->outputs, (size_t)e->n_outputs, k->y + e->first_output);
        if (status <= fmi2Warning && fmu->n_states > 0)
            status =
                fmu->call.get_derivatives(component, dx + e->first_state, (size_t)fmu->n_states);
        const int answer = verdict(k, e, status, "the evaluation");
        if (answer) return answer;
    }
    k->system->rates(&k->moment, x, k->y, dx);
    return 0;
}

int coupling_indicators(Coupling *k, double t, const double *x, double *g) {
    const int placed = place_all(k, t, x);
    if (placed) return placed;
    if (k->system->indicators) k->system->indicators(&k->moment, x, g);
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        const Fmu *fmu = e->instance.fmu;
        const fmi2Status status = fmu->call.get_event_indicators(
            e->instance.component, g + e->first_indicator, (size_t)fmu->description.n_indicators);
        const int answer = verdict(k, e, status, "fmi2GetEventIndicators");
        if (answer) return answer;
    }
    return 0;
}

static double small_change(double value, double nominal) {
    return 1e-7 * fmax(fabs(value), nominal);
}

/* How the system's rates follow the FMUs' outputs. */
static void find_force_slopes(Coupling *k, const double *x) {
    for (int o = 0; o < k->n_outputs; o++) {
        const double y = k->y[o], change = small_change(y, 1);
        k->y[o] = y + change;
        k->system->rates(&k->moment, x, k->y, k->shifted_rates);
        k->y[o] = y;
        for (int i = 0; i < k->n_own; i++)
            k->force_slopes[i * k->n_outputs + o] =
                (k->shifted_rates[i] - k->own_rates[i]) / change;
    }
}

/* Adds what a change of one FMU's inputs or states (its knowns, along the seeds) does to all rates:
 * its directional derivative gives the change of its outputs and of its own rates. */
static int add_slope(Coupling *k, Element *e, const fmi2ValueReference *knowns, int n_knowns,
                     const double *seeds, double *column) {
    const Fmu *fmu = e->instance.fmu;
    const fmi2Component component = e->instance.component;
    const size_t n_outputs = (size_t)e->n_outputs, n_states = (size_t)fmu->n_states,
                 n = (size_t)n_knowns;
    double *outputs = k->answers, *rates = k->answers + n_outputs;
    fmi2Status status = fmu->call.get_directional_derivative(component, e->outputs, n_outputs,
                                                             knowns, n, seeds, outputs);
    if (status <= fmi2Warning && n_states > 0)
        status = fmu->call.get_directional_derivative(component, fmu->rates, n_states, knowns, n,
                                                      seeds, rates);
    for (int i = 0; i < k->n_own; i++)
        for (int o = 0; o < e->n_outputs; o++)
            column[i] += k->force_slopes[i * k->n_outputs + e->first_output + o] * outputs[o];
    for (int i = 0; i < fmu->n_states; i++) column[e->first_state + i] += rates[i];
    return verdict(k, e, status, "fmi2GetDirectionalDerivative");
}

/* Column of a state of the system. */
static int find_own_column(Coupling *k, int state, const double *x, double *column) {
    double *shifted = memcpy(k->shifted_states, x, (size_t)k->n_states * sizeof *x);
    const double change = small_change(x[state], k->nominals[state]);
    shifted[state] += change;
    k->system->rates(&k->moment, shifted, k->y, k->shifted_rates);
    k->system->inputs(&k->moment, shifted, k->shifted_inputs);
    for (int i = 0; i < k->n_own; i++) column[i] = (k->shifted_rates[i] - k->own_rates[i]) / change;
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        bool feels = false;
        for (int i = 0; i < e->n_inputs; i++) {
            const int at = e->input_places[i];
            k->seeds[i] = (k->shifted_inputs[at] - k->own_inputs[at]) / change;
            feels = feels || k->seeds[i] != 0;
        }
        const int answer = feels ? add_slope(k, e, e->inputs, e->n_inputs, k->seeds, column) : 0;
        if (answer) return answer;
    }
    return 0;
}

/* The FMUs' parts are exact; the system's own equations are cheap and smooth, so their slopes come
 * from differences. */
int coupling_jacobian(Coupling *k, double t, const double *x, double *columns) {
    int answer = coupling_evaluate(k, t, x, k->dx);
    if (answer) return answer;
    memcpy(k->own_rates, k->dx, (size_t)k->n_own * sizeof(double));
    memcpy(k->own_inputs, k->u, (size_t)k->n_inputs * sizeof(double));
    memset(columns, 0, (size_t)k->n_states * (size_t)k->n_states * sizeof *columns);
    find_force_slopes(k, x);
    for (int j = 0; j < k->n_own && !answer; j++)
        answer = find_own_column(k, j, x, columns + j * k->n_states);
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        const double one = 1;
        for (int j = 0; j < e->instance.fmu->n_states && !answer; j++)
            answer = add_slope(k, e, &e->instance.fmu->states[j], 1, &one,
                               columns + (e->first_state + j) * k->n_states);
    }
    return answer;
}

const double *coupling_row(Coupling *k, double t, const double *x) {
    return coupling_evaluate(k, t, x, k->dx) ? NULL : coupling_row_here(k, t, x);
}

const double *coupling_row_here(Coupling *k, double t, const double *x) {
    double *next = k->row;
    *next++ = t;
    for (int i = 0; i < k->n_own; i++) *next++ = x[i];
    if (k->system->results) k->system->results(&k->moment, x, k->y, next);
    next += count(k->system->outputs);
    for (int c = 0; c < k->n_contacts; c++) {
        const Element *e = &k->elements[c];
        const Fmu *fmu = e->instance.fmu;
        for (int i = 0; i < e->n_inputs; i++) *next++ = k->u[e->input_places[i]];
        for (int i = 0; i < fmu->n_states; i++) *next++ = x[e->first_state + i];
        for (int i = 0; i < fmu->n_states; i++) *next++ = k->dx[e->first_state + i];
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
    return k->row;
}

bool coupling_complete_step(Coupling *k, double t, bool *event, Message *message) {
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        const Fmu *fmu = e->instance.fmu;
        if (!fmu->description.needs_completed_steps && !fmu->warns) continue;
        fmi2Boolean enter = fmi2False, terminate = fmi2False;
        if (place_all(k, t, k->x)) return fail(message, "%s", k->complaint.text);
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

bool coupling_enter_event(Coupling *k, double t, Message *message) {
    if (coupling_evaluate(k, t, k->x, k->dx)) return fail(message, "%s", k->complaint.text);
    for (int c = 0; c < k->n_contacts; c++) {
        Instance *instance = &k->elements[c].instance;
        const fmi2Status status = instance->fmu->call.enter_event_mode(instance->component);
        if (!instance_good(instance, status, "fmi2EnterEventMode", message)) return false;
    }
    return true;
}

/* Event iteration of one FMU in event mode. */
static bool iterate(Coupling *k, Element *e, double t, Message *message) {
    const Fmu *fmu = e->instance.fmu;
    fmi2EventInfo info = {.newDiscreteStatesNeeded = fmi2True};
    fmi2Status status = give_inputs(e, k->u);
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
    if (info.nextEventTimeDefined) k->next_event = fmin(k->next_event, info.nextEventTime);
    return instance_good(&e->instance, status, "the event", message);
}

/* From event mode back to continuous time, with what the event has changed. */
static bool leave_event(Coupling *k, Element *e, Message *message) {
    const Fmu *fmu = e->instance.fmu;
    const fmi2Component component = e->instance.component;
    const size_t n = (size_t)fmu->n_states;
    fmi2Status status = fmu->call.enter_continuous_time_mode(component);
    if (status <= fmi2Warning && e->states_changed && n > 0)
        status = fmu->call.get_continuous_states(component, k->x + e->first_state, n);
    if (status <= fmi2Warning && e->nominals_changed && n > 0)
        status = fmu->call.get_nominals(component, k->nominals + e->first_state, n);
    e->states_changed = e->nominals_changed = false;
    return instance_good(&e->instance, status, "the event", message);
}

/* Whether an element's new mode has changed what another one has to carry; then u has the new
 * loads. */
static bool find_changed_loads(Coupling *k, bool *changed, Message *message) {
    memcpy(k->own_inputs, k->u, (size_t)k->n_inputs * sizeof *k->u);
    if (close_loop(k, k->x)) return fail(message, "%s", k->complaint.text);
    for (int i = 0; i < k->n_inputs; i++) {
        const double before = k->own_inputs[i], now = k->u[i];
        *changed = *changed || fabs(now - before) > 1e-12 * fmax(fabs(now), fabs(before));
    }
    return true;
}

/* Gives the FMUs what the system has as its own parameters, as they are now. */
static bool share_parameters(Coupling *k, Message *message) {
    for (const Shared *one = k->system->shared; one && one->contact >= 0; one++) {
        Instance *instance = &k->elements[one->contact].instance;
        const Variable *variable = description_find(&instance->fmu->description,
                                                    k->system->parameters[one->parameter].name);
        const fmi2Status status = instance->fmu->call.set_real(
            instance->component, &variable->reference, 1, &k->moment.p[one->parameter]);
        if (!instance_good(instance, status, "fmi2SetReal", message)) return false;
    }
    return true;
}

bool coupling_settle(Coupling *k, double t, Message *message) {
    if (!share_parameters(k, message)) return false;
    coupling_pass_time_events(k, t);
    find_inputs(k, k->x, k->y, k->u);
    if (k->is_looped && close_loop(k, k->x)) return fail(message, "%s", k->complaint.text);
    bool changed = true;
    for (int round = 0; changed; round++) {
        if (round == ITERATIONS_AT_MOST)
            return fail(message, "the modes of the contacts do not settle at t = %.9g s.", t);
        changed = false;
        k->next_event = INFINITY;
        for (int c = 0; c < k->n_contacts; c++)
            if (!iterate(k, &k->elements[c], t, message)) return false;
        if (k->is_looped && !find_changed_loads(k, &changed, message)) return false;
    }
    for (int c = 0; c < k->n_contacts; c++)
        if (!leave_event(k, &k->elements[c], message)) return false;
    return true;
}

bool coupling_initialize(Coupling *k, double stop, double tolerance, Message *message) {
    if (!share_parameters(k, message)) return false;
    for (int i = 0; i < k->n_own; i++) k->nominals[i] = k->system->states[i].nominal;
    for (int c = 0; c < k->n_contacts; c++) {
        Element *e = &k->elements[c];
        const Functions *call = &e->instance.fmu->call;
        const fmi2Component component = e->instance.component;
        const size_t n = (size_t)e->instance.fmu->n_states;
        fmi2Status status =
            call->setup_experiment(component, fmi2True, tolerance, 0, fmi2True, stop);
        if (status <= fmi2Warning) status = call->enter_initialization_mode(component);
        if (status <= fmi2Warning) status = give_inputs(e, k->u);
        if (status <= fmi2Warning) status = call->exit_initialization_mode(component);
        if (status <= fmi2Warning && n > 0)
            status = call->get_continuous_states(component, k->x + e->first_state, n);
        if (status <= fmi2Warning && n > 0)
            status = call->get_nominals(component, k->nominals + e->first_state, n);
        if (!instance_good(&e->instance, status, "the initialization", message)) return false;
    }
    return coupling_settle(k, 0, message);
}

void coupling_terminate(Coupling *k) {
    for (int c = 0; c < k->n_contacts; c++) {
        const Instance *instance = &k->elements[c].instance;
        instance->fmu->call.terminate(instance->component);
    }
}
