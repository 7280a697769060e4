#include "fixed_step.h"

#include <string.h>

#include "element.h"

static Element *contact(const FixedStep *k) {
    return &k->coupling->elements[0];
}

static fmi2Status give_inputs(FixedStep *k) {
    Coupling *c = k->coupling;
    Element *e = contact(k);
    c->moment.t = k->t;
    c->system->inputs(&c->moment, c->x, c->u);
    for (int i = 0; i < e->n_inputs; i++) e->input_values[i] = c->u[e->input_places[i]];
    return e->instance.fmu->call.set_real(e->instance.component, e->inputs, (size_t)e->n_inputs,
                                          e->input_values);
}

bool fixed_step_begin(FixedStep *k, Coupling *coupling, double step, Message *message) {
    *k = (FixedStep){.coupling = coupling, .step = step, .on_row = k->on_row};
    Instance *instance = &contact(k)->instance;
    const Functions *call = &instance->fmu->call;
    const fmi2Component component = instance->component;
    fmi2Status status = call->setup_experiment(component, fmi2False, 0, 0, fmi2False, 0);
    if (status <= fmi2Warning) status = call->enter_initialization_mode(component);
    if (status <= fmi2Warning) status = give_inputs(k);
    if (status <= fmi2Warning) status = call->exit_initialization_mode(component);
    return instance_good(instance, status, "the initialization", message);
}

/* A row of results in the order of the coupling's columns. */
static void record_row(const FixedStep *k) {
    Coupling *c = k->coupling;
    const Element *e = contact(k);
    const Fmu *fmu = e->instance.fmu;
    const fmi2Component component = e->instance.component;
    double *next = c->row;
    *next++ = k->t;
    for (int i = 0; i < c->n_own; i++) *next++ = c->x[i];
    if (c->system->results) c->system->results(&c->moment, c->x, c->y, next);
    for (int i = 0; c->system->outputs && c->system->outputs[i].name; i++) next++;
    for (int i = 0; i < e->n_inputs; i++) *next++ = e->input_values[i];
    fmu->call.get_real(component, fmu->states, (size_t)fmu->n_states, next);
    next += fmu->n_states;
    fmu->call.get_real(component, fmu->rates, (size_t)fmu->n_states, next);
    next += fmu->n_states;
    for (int i = 0; next < c->row + c->n_columns; i++) {
        const Variable *variable = &fmu->description.variables[i];
        fmi2Integer whole = 0;
        if (variable->causality != OUTPUT) continue;
        if (variable->type == REAL) {
            fmu->call.get_real(component, &variable->reference, 1, next++);
        } else {
            fmu->call.get_integer(component, &variable->reference, 1, &whole);
            *next++ = whole;
        }
    }
    k->on_row(c->row);
}

/* Moves the states whose names end in "elocity", or all others. */
static void move(FixedStep *k, bool velocities) {
    Coupling *c = k->coupling;
    c->system->rates(&c->moment, c->x, c->y, c->own_rates);
    for (int i = 0; i < c->n_own; i++)
        if ((strstr(c->system->states[i].name, "elocity") != NULL) == velocities)
            c->x[i] += k->step * c->own_rates[i];
}

bool fixed_step_advance(FixedStep *k, double until, int steps, Message *message) {
    Coupling *c = k->coupling;
    Element *e = contact(k);
    for (; k->t < until && steps > 0; steps--) {
        fmi2Status status = give_inputs(k);
        if (status <= fmi2Warning) status = element_step(e->instance.component, k->t, k->step);
        if (status <= fmi2Warning)
            status = e->instance.fmu->call.get_real(e->instance.component, e->outputs,
                                                    (size_t)e->n_outputs, c->y);
        if (!instance_good(&e->instance, status, "fmi2DoStep", message)) return false;
        record_row(k);
        move(k, true);
        move(k, false);
        k->t += k->step;
        k->steps++;
        c->moment.t = k->t;
        while (c->system->event_time && c->system->event_time(&c->moment) <= k->t)
            c->moment.phase++;
    }
    return true;
}
