#include "fmu.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

Allocations allocations;
int show_messages = 1;

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

void expect_ok(fmi2Status status, const char *call) {
    if (status != fmi2OK) fail("%s gives the status %d.", call, (int)status);
}

static void find_function(void *library, const char *name, int needed, void *place) {
    *(void **)place = dlsym(library, name);
    if (!*(void **)place && needed) fail("The library lacks the function %s.", name);
}

Fmu fmu_load(const char *path, int needs) {
    const int exchange = needs & MODEL_EXCHANGE, steps = needs & CO_SIMULATION,
              all = exchange && steps;
    Fmu fmu = {.resources = ""};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("%s", dlerror());
    find_function(library, "fmi2Instantiate", 1, &fmu.instantiate);
    find_function(library, "fmi2FreeInstance", 1, &fmu.free_instance);
    find_function(library, "fmi2SetupExperiment", 1, &fmu.setup_experiment);
    find_function(library, "fmi2EnterInitializationMode", 1, &fmu.enter_initialization_mode);
    find_function(library, "fmi2ExitInitializationMode", 1, &fmu.exit_initialization_mode);
    find_function(library, "fmi2NewDiscreteStates", exchange, &fmu.new_discrete_states);
    find_function(library, "fmi2EnterContinuousTimeMode", exchange,
                  &fmu.enter_continuous_time_mode);
    find_function(library, "fmi2SetTime", exchange, &fmu.set_time);
    find_function(library, "fmi2SetReal", 1, &fmu.set_real);
    find_function(library, "fmi2GetReal", 1, &fmu.get_real);
    find_function(library, "fmi2SetContinuousStates", exchange, &fmu.set_continuous_states);
    find_function(library, "fmi2GetContinuousStates", exchange, &fmu.get_continuous_states);
    find_function(library, "fmi2GetDerivatives", exchange, &fmu.get_derivatives);
    find_function(library, "fmi2SetRealInputDerivatives", all, &fmu.set_real_input_derivatives);
    find_function(library, "fmi2DoStep", steps, &fmu.do_step);
    find_function(library, "fmi2GetFMUstate", all, &fmu.get_fmu_state);
    find_function(library, "fmi2SetFMUstate", all, &fmu.set_fmu_state);
    find_function(library, "fmi2FreeFMUstate", all, &fmu.free_fmu_state);
    return fmu;
}

static void *count_allocation(size_t count, size_t size) {
    allocations.calls++;
    allocations.bytes += count * size;
    return calloc(count, size);
}

static void show_message(fmi2ComponentEnvironment environment, fmi2String instance,
                         fmi2Status status, fmi2String category, fmi2String message, ...) {
    (void)environment;
    (void)status;
    if (show_messages) fprintf(stderr, "bench: %s (%s): %s\n", instance, category, message);
}

fmi2Component fmu_start(const Fmu *fmu, const BareModel *model, fmi2Type kind,
                        const fmi2ValueReference *references, const double *p) {
    static const fmi2CallbackFunctions callbacks = {show_message, count_allocation, free, NULL,
                                                    NULL};
    fmi2Component c = fmu->instantiate(model->name, kind, model->guid, fmu->resources, &callbacks,
                                       fmi2False, fmi2False);
    if (!c) fail("%s cannot be instantiated.", model->name);
    expect_ok(fmu->setup_experiment(c, fmi2False, 0, 0, fmi2False, 0), "fmi2SetupExperiment");
    expect_ok(fmu->set_real(c, references, (size_t)model->n_parameters, p), "fmi2SetReal");
    expect_ok(fmu->enter_initialization_mode(c), "fmi2EnterInitializationMode");
    return c;
}
