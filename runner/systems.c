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

void systems_store_row(SystemRun *run, const double *row) {
    const size_t width = (size_t)run->n_columns;
    if (run->n_rows % ROWS_AT_ONCE == 0)
        run->rows = grown_array(run->rows, (run->n_rows + ROWS_AT_ONCE) * width, sizeof *run->rows);
    memcpy(run->rows + run->n_rows++ * width, row, width * sizeof *row);
}

/* Sets the parameters, and initializes. */
static bool prepare(const SystemRun *run, Assembly *assembly, Message *message) {
    const ParameterSet *chosen = run->set ? find_set(run->set) : NULL;
    if (run->set && !chosen) return fail(message, "there is no parameter set %s.", run->set);
    if (!set_surfaces(assembly, chosen, message)) return false;
    for (int i = 0; i < run->n_settings; i++) {
        bool known = false;
        if (!give_setting(assembly, &run->settings[i], &known, message)) return false;
        if (!known)
            return fail(message, "%s has no parameter %s.", run->elements[0]->name,
                        run->settings[i].name);
    }
    return assembly_initialize(assembly, run->stop, run->tolerance, message);
}

static Outcome open_and_run(SystemRun *run, Assembly **opened, Message *message) {
    Assembly *assembly = *opened =
        assembly_open(run->system, run->parameters, run->table, run->elements, message);
    if (!assembly) return DOES_NOT_FIT;
    run->n_columns = assembly->n_columns;
    run->columns = new_array((size_t)run->n_columns, sizeof *run->columns);
    for (int i = 0; i < run->n_columns; i++) run->columns[i] = copied(assembly->columns[i]);
    if (!prepare(run, assembly, message)) return CANNOT_BEGIN;
    if (!systems_integrate(run, assembly, message)) return BROKE_OFF;
    assembly_terminate(assembly);
    return COMPLETED;
}

int systems_run(SystemRun *run) {
    Assembly *assembly = NULL;
    run->outcome = open_and_run(run, &assembly, &run->message);
    assembly_close(assembly);
    return run->outcome != COMPLETED;
}

void systems_free(SystemRun *run) {
    for (int i = 0; i < run->n_columns; i++) free(run->columns[i]);
    free(run->columns);
    free(run->rows);
}
