#include "systems.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "integrator.h"
#include "memory.h"
#include "surfaces.h"

enum { TRIALS_AT_ONCE = 1000, ROWS_AT_ONCE = 1024, TRIALS_AT_MOST = 20000000 };

/* What a set has and the element does not take is left out without a message. */
void warn(const char *format, ...) {
    (void)format;
}

void out_of_memory(void) {
    __builtin_trap();
}

int systems_version(void) {
    return SYSTEMS_VERSION;
}

const System *const *systems_all(void) {
    return systems;
}

typedef struct {
    SystemRun *run;
    Coupling *coupling;
    bool on_grid; /* rows of steps are not wanted */
    Message message;
} Watch;

static void keep_row(Watch *watch, double t, const double *x) {
    SystemRun *run = watch->run;
    const double *row = coupling_row(watch->coupling, t, x);
    if (!row) return;
    if (run->n_rows % ROWS_AT_ONCE == 0)
        run->rows = grown_array(run->rows, (run->n_rows + ROWS_AT_ONCE) * (size_t)run->n_columns,
                                sizeof *run->rows);
    memcpy(run->rows + run->n_rows++ * (size_t)run->n_columns, row,
           (size_t)run->n_columns * sizeof *row);
}

static void on_row(void *context, double t, const double *x, bool event) {
    Watch *watch = context;
    if (event || !watch->on_grid) keep_row(watch, t, x);
}

/* Everything that is known before the run. */
static bool prepare(SystemRun *run, Watch *watch, double stop) {
    Coupling *coupling = watch->coupling;
    Message *message = &watch->message;
    const ParameterSet *chosen = run->set ? find_set(run->set) : NULL;
    if (run->set && !chosen) return fail(message, "there is no parameter set %s.", run->set);
    if (!set_surfaces(coupling, chosen, message)) return false;
    for (int i = 0; i < run->n_settings; i++) {
        bool known = false;
        if (!give_setting(coupling, &run->settings[i], &known, message)) return false;
        if (!known)
            return fail(message, "%s has no parameter %s.", run->name, run->settings[i].name);
    }
    return coupling_initialize(coupling, stop, run->tolerance, message);
}

static bool integrate(SystemRun *run, Watch *watch, double stop) {
    Integrator integrator = {.on_row = on_row, .context = watch};
    if (!integrator_begin(&integrator, watch->coupling, 0, run->tolerance, &watch->message))
        return false;
    long trials = 0;
    for (double next = 1; integrator.t < stop; next++) {
        const double until = watch->on_grid ? fmin(next * run->interval, stop) : stop;
        while (integrator.t < until) {
            if (!integrator_advance(&integrator, until, TRIALS_AT_ONCE, &watch->message))
                return false;
            trials += TRIALS_AT_ONCE;
            if (trials > TRIALS_AT_MOST)
                return fail(&watch->message, "the run takes too many steps.");
        }
        if (watch->on_grid) keep_row(watch, integrator.t, watch->coupling->x);
    }
    return true;
}

/* The element as the coupling takes it. */
static Fmu element_of(const SystemRun *run) {
    Fmu fmu = {.path = copied(run->name),
               .name = copied(run->name),
               .folder = copied(""),
               .call = *run->functions};
    Description *d = &fmu.description;
    d->guid = copied(run->guid);
    d->identifier = copied(run->name);
    d->n_indicators = run->n_indicators;
    d->has_slopes = true;
    d->n_variables = run->n_variables;
    d->variables = new_array((size_t)run->n_variables, sizeof *d->variables);
    memcpy(d->variables, run->variables, (size_t)run->n_variables * sizeof *d->variables);
    d->n_rates = run->n_rates;
    d->rates = new_array((size_t)run->n_rates, sizeof *d->rates);
    memcpy(d->rates, run->rates, (size_t)run->n_rates * sizeof *d->rates);
    fmu_find_states(&fmu);
    return fmu;
}

static void forget(Fmu *fmu) {
    free(fmu->path);
    free(fmu->name);
    free(fmu->folder);
    free(fmu->description.guid);
    free(fmu->description.identifier);
    free(fmu->description.variables);
    free(fmu->description.rates);
    free(fmu->states);
    free(fmu->rates);
}

static bool open_and_run(SystemRun *run, const Fmu *fmu, Watch *watch, double *parameters,
                         const Fmu **fmus) {
    const System *system = run->system;
    if (system->beside)
        return fail(&watch->message, "the system %s needs load elements; run it with the rig",
                    system->name);
    for (int i = 0; i < count_parameters(system); i++) parameters[i] = system->parameters[i].value;
    for (int i = 0; i < run->n_parameters; i++) {
        Message why = {""};
        const Value *given = &run->parameters[i];
        if (!set_parameter(system, parameters, given->name, given->value, &why))
            return fail(&watch->message, "%s=%g: %s", given->name, given->value, why.text);
    }
    for (int c = 0; system->contacts[c].name; c++) fmus[c] = fmu;
    watch->coupling = coupling_open(system, parameters, NULL, fmus, &watch->message);
    if (!watch->coupling) return false;
    const double stop = run->stop > 0 ? run->stop : system->stop;
    run->n_columns = watch->coupling->n_columns;
    run->columns = new_array((size_t)run->n_columns, sizeof *run->columns);
    for (int i = 0; i < run->n_columns; i++) run->columns[i] = copied(watch->coupling->columns[i]);
    if (!prepare(run, watch, stop)) return false;
    run->misfits = 0;
    if (!integrate(run, watch, stop)) return false;
    /* An event at the very end is behind it. */
    while (run->n_rows > 1 && run->rows[(run->n_rows - 2) * (size_t)run->n_columns] >= stop)
        run->n_rows--;
    coupling_terminate(watch->coupling);
    return true;
}

int systems_run(SystemRun *run) {
    double *parameters = new_array((size_t)count_parameters(run->system), sizeof *parameters);
    const Fmu **fmus = new_array((size_t)count_contacts(run->system), sizeof *fmus);
    Fmu fmu = element_of(run);
    Watch watch = {.run = run, .on_grid = run->interval > 0};
    run->misfits = 1;
    const bool good = open_and_run(run, &fmu, &watch, parameters, fmus);
    if (!good) strncpy(run->message, watch.message.text, sizeof run->message - 1);
    coupling_close(watch.coupling);
    forget(&fmu);
    free(fmus);
    free(parameters);
    return !good;
}

void systems_free(SystemRun *run) {
    for (int i = 0; i < run->n_columns; i++) free(run->columns[i]);
    free(run->columns);
    free(run->rows);
}
