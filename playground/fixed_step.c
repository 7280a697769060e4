#include "fixed_step.h"

#include <string.h>

#include "element.h"

static Element *contact(const FixedStep *k) {
    return &k->assembly->elements[0];
}

bool fixed_step_begin(FixedStep *k, Assembly *assembly, double step, Message *message) {
    *k = (FixedStep){.assembly = assembly, .step = step, .on_row = k->on_row};
    Instance *instance = &contact(k)->instance;
    const Functions *call = &instance->fmu->call;
    const fmi2Component component = instance->component;
    fmi2Status status = call->setup_experiment(component, fmi2False, 0, 0, fmi2False, 0);
    if (status <= fmi2Warning) status = call->enter_initialization_mode(component);
    if (status <= fmi2Warning) status = assembly_give_inputs(k->assembly, 0, k->t);
    if (status <= fmi2Warning) status = call->exit_initialization_mode(component);
    return instance_good(instance, status, "the initialization", message);
}

static void record_row(const FixedStep *k) {
    Assembly *c = k->assembly;
    const Element *e = contact(k);
    const Fmu *fmu = e->instance.fmu;
    const size_t n = (size_t)fmu->n_states;
    fmu->call.get_real(e->instance.component, fmu->states, n, c->x + e->first_state);
    fmu->call.get_real(e->instance.component, fmu->rates, n, c->dx + e->first_state);
    k->on_row(assembly_row_here(c, k->t, c->x));
}

/* Advances the states whose names end in "elocity", or all others. */
static void move(FixedStep *k, bool velocities) {
    Assembly *c = k->assembly;
    c->system->rates(&c->instant, c->x, c->y, c->own_rates);
    for (int i = 0; i < c->n_own; i++)
        if ((strstr(c->system->states[i].name, "elocity") != NULL) == velocities)
            c->x[i] += k->step * c->own_rates[i];
}

bool fixed_step_advance(FixedStep *k, double until, int steps, Message *message) {
    Assembly *c = k->assembly;
    Element *e = contact(k);
    for (; k->t < until && steps > 0; steps--) {
        fmi2Status status = assembly_give_inputs(k->assembly, 0, k->t);
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
        assembly_pass_time_events(c, k->t);
    }
    return true;
}
