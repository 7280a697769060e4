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

Fmu fmu_load(const char *path, int needs) {
    Fmu fmu = {.resources = ""};
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("%s", dlerror());
#define FIND(member, name, kinds)                                                                  \
    *(void **)&fmu.member = dlsym(library, "fmi2" #name);                                          \
    if (!fmu.member && (needs & (kinds)) == (kinds))                                               \
        fail("The library lacks the function fmi2" #name ".");
    FUNCTIONS(FIND)
#undef FIND
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
