#include "systems.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "surfaces.h"

enum { ROWS_AT_ONCE = 1024 };

int systems_version(void) {
    return SYSTEMS_VERSION;
}

const System *const *systems_all(void) {
    return systems;
}

void systems_keep_row(SystemRun *run, const double *row) {
    const size_t width = (size_t)run->n_columns;
    if (run->n_rows % ROWS_AT_ONCE == 0)
        run->rows = grown_array(run->rows, (run->n_rows + ROWS_AT_ONCE) * width, sizeof *run->rows);
    memcpy(run->rows + run->n_rows++ * width, row, width * sizeof *row);
}

/* Everything that is known before the run. */
static bool prepare(const SystemRun *run, Coupling *coupling, Message *message) {
    const ParameterSet *chosen = run->set ? find_set(run->set) : NULL;
    if (run->set && !chosen) return fail(message, "there is no parameter set %s.", run->set);
    if (!set_surfaces(coupling, chosen, message)) return false;
    for (int i = 0; i < run->n_settings; i++) {
        bool known = false;
        if (!give_setting(coupling, &run->settings[i], &known, message)) return false;
        if (!known)
            return fail(message, "%s has no parameter %s.", run->elements[0]->name,
                        run->settings[i].name);
    }
    return coupling_initialize(coupling, run->stop, run->tolerance, message);
}

static Outcome open_and_run(SystemRun *run, Coupling **opened, Message *message) {
    Coupling *coupling = *opened =
        coupling_open(run->system, run->parameters, run->table, run->elements, message);
    if (!coupling) return DOES_NOT_FIT;
    run->n_columns = coupling->n_columns;
    run->columns = new_array((size_t)run->n_columns, sizeof *run->columns);
    for (int i = 0; i < run->n_columns; i++) run->columns[i] = copied(coupling->columns[i]);
    if (!prepare(run, coupling, message)) return CANNOT_BEGIN;
    if (!systems_integrate(run, coupling, message)) return BROKE_OFF;
    coupling_terminate(coupling);
    return COMPLETED;
}

int systems_run(SystemRun *run) {
    Coupling *coupling = NULL;
    run->outcome = open_and_run(run, &coupling, &run->message);
    coupling_close(coupling);
    return run->outcome != COMPLETED;
}

void systems_free(SystemRun *run) {
    for (int i = 0; i < run->n_columns; i++) free(run->columns[i]);
    free(run->columns);
    free(run->rows);
}
