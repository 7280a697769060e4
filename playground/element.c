#include "element.h"

#include <string.h>

#include "elements.h"
#include "memory.h"

enum { ELEMENTS_AT_MOST = 8 };

static Fmu fmus[ELEMENTS_AT_MOST];
static int n_fmus;

static Fmu *newest(void) {
    return &fmus[n_fmus - 1];
}

bool element_choose(const char *name) {
    for (const LinkedElement *e = linked_elements; e->name && n_fmus < ELEMENTS_AT_MOST; e++) {
        if (strcmp(e->name, name) != 0) continue;
        n_fmus++;
        newest()->call = e->call;
        newest()->name = newest()->path = copied(name);
        newest()->folder = copied("");
        newest()->description.identifier = newest()->name;
        return true;
    }
    return false;
}

void element_describe(const Variable *variable) {
    Description *d = &newest()->description;
    d->variables = grown_array(d->variables, (size_t)d->n_variables + 1, sizeof *d->variables);
    Variable *own = &d->variables[d->n_variables++];
    *own = *variable;
    own->name = copied(variable->name);
    own->unit = copied(variable->unit);
    own->declared_type = copied(variable->declared_type);
    if (variable->derivative_of == 0) return;
    d->rates = grown_array(d->rates, (size_t)d->n_rates + 1, sizeof *d->rates);
    d->rates[d->n_rates++] = d->n_variables;
}

void element_complete(const char *guid, int n_indicators) {
    newest()->description.guid = copied(guid);
    newest()->description.n_indicators = n_indicators;
    newest()->description.has_slopes = true;
    fmu_find_states(newest());
}

const Fmu *element(void) {
    return newest();
}

const Fmu *element_beside(const char *pattern) {
    if (strcmp(pattern, "%") == 0) return newest();
    for (int i = 0; i < n_fmus; i++)
        if (strcmp(fmus[i].name, pattern) == 0) return &fmus[i];
    return NULL;
}
