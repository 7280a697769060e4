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

static bool set_parameters(const SystemRun *run, double *parameters, Message *message) {
    const System *system = run->system;
    for (int i = 0; i < count_parameters(system); i++) parameters[i] = system->parameters[i].value;
    for (int i = 0; i < run->n_parameters; i++) {
        Message why = {""};
        const Value *given = &run->parameters[i];
        if (!set_parameter(system, parameters, given->name, given->value, &why))
            return fail(message, "%s=%g: %s", given->name, given->value, why.text);
    }
    return true;
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

static Outcome open_and_run(SystemRun *run, double *parameters, Coupling **opened,
                            Message *message) {
    if (!set_parameters(run, parameters, message)) return WRONG_PARAMETER;
    Coupling *coupling = *opened =
        coupling_open(run->system, parameters, run->table, run->elements, message);
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
    double *parameters = new_array((size_t)count_parameters(run->system), sizeof *parameters);
    Coupling *coupling = NULL;
    run->outcome = open_and_run(run, parameters, &coupling, &run->message);
    coupling_close(coupling);
    free(parameters);
    return run->outcome != COMPLETED;
}

void systems_free(SystemRun *run) {
    for (int i = 0; i < run->n_columns; i++) free(run->columns[i]);
    free(run->columns);
    free(run->rows);
}
