/* Looking up variables, wherever the description came from. */
#include <string.h>

#include "fmu.h"
#include "memory.h"

const Variable *description_find(const Description *d, const char *name) {
    for (int i = 0; i < d->n_variables; i++)
        if (strcmp(d->variables[i].name, name) == 0) return &d->variables[i];
    return NULL;
}

const Variable *fmu_state(const Fmu *fmu, int index) {
    const Description *d = &fmu->description;
    return &d->variables[d->variables[d->rates[index] - 1].derivative_of - 1];
}

void fmu_find_states(Fmu *fmu) {
    const Description *d = &fmu->description;
    fmu->n_states = d->n_rates;
    fmu->states = new_array((size_t)fmu->n_states, sizeof *fmu->states);
    fmu->rates = new_array((size_t)fmu->n_states, sizeof *fmu->rates);
    for (int i = 0; i < fmu->n_states; i++) {
        fmu->states[i] = fmu_state(fmu, i)->reference;
        fmu->rates[i] = d->variables[d->rates[i] - 1].reference;
    }
}
