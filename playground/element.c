#include "element.h"

#include <string.h>

#include "elements.h"
#include "memory.h"

enum { LOADS_AT_MOST = 8 };

static Fmu loads[LOADS_AT_MOST];
static int n_loads;
static void store_as_load(void);

static Fmu fmu;
static const LinkedElement *linked;
static fmi2Type type = fmi2ModelExchange;

/* The rig asks for model exchange; the page decides on the kind. */
static fmi2Component instantiate(fmi2String name, fmi2Type asked, fmi2String guid,
                                 fmi2String resources, const fmi2CallbackFunctions *callbacks,
                                 fmi2Boolean visible, fmi2Boolean logging) {
    (void)asked;
    return linked->call.instantiate(name, type, guid, resources, callbacks, visible, logging);
}

bool element_choose(const char *name) {
    store_as_load();
    for (const LinkedElement *e = linked_elements; e->name; e++) {
        if (strcmp(e->name, name) != 0) continue;
        linked = e;
        fmu.call = e->call;
        fmu.call.instantiate = instantiate;
        fmu.name = fmu.path = copied(name);
        fmu.folder = copied("");
        fmu.description.identifier = fmu.name;
        return true;
    }
    return false;
}

void element_describe(const Variable *variable) {
    Description *d = &fmu.description;
    d->variables = grown_array(d->variables, (size_t)d->n_variables + 1, sizeof *d->variables);
    Variable *own = &d->variables[d->n_variables++];
    *own = *variable;
    own->name = copied(variable->name);
    own->unit = copied(variable->unit);
    if (variable->derivative_of == 0) return;
    d->rates = grown_array(d->rates, (size_t)d->n_rates + 1, sizeof *d->rates);
    d->rates[d->n_rates++] = d->n_variables;
}

void element_complete(const char *guid, int n_indicators) {
    fmu.description.guid = copied(guid);
    fmu.description.n_indicators = n_indicators;
    fmu.description.has_slopes = true;
    fmu_find_states(&fmu);
}

void element_is_stepped(bool is_stepped) {
    type = is_stepped ? fmi2CoSimulation : fmi2ModelExchange;
}

fmi2Status element_step(fmi2Component component, double t, double step) {
    return linked->do_step(component, t, step, fmi2True);
}

const Fmu *element(void) {
    return &fmu;
}

/* Stores the element chosen before as a load of the next. */
static void store_as_load(void) {
    if (!fmu.name || n_loads == LOADS_AT_MOST) return;
    for (const LinkedElement *e = linked_elements; e->name; e++)
        if (strcmp(e->name, fmu.name) == 0) fmu.call = e->call;
    loads[n_loads++] = fmu;
    fmu = (Fmu){.name = NULL};
}

const Fmu *element_beside(const char *pattern) {
    for (int i = 0; i < n_loads; i++)
        if (strcmp(loads[i].name, pattern) == 0) return &loads[i];
    return element();
}
