#include "fmu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static void on_log(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                   fmi2String category, fmi2String text, ...) {
    (void)name;
    (void)category;
    if (status == fmi2OK) return;
    Instance *instance = environment;
    Message message;
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(message.text, sizeof message.text, text, arguments);
    va_end(arguments);
    if (status == fmi2Warning)
        warn("%s: %s", instance->fmu->name, message.text);
    else
        instance->complaint = message;
}

bool instance_open(Instance *instance, const Fmu *fmu, Message *message) {
    memset(instance, 0, sizeof *instance);
    instance->fmu = fmu;
    const fmi2CallbackFunctions callbacks = {.logger = on_log,
                                             .allocateMemory = calloc,
                                             .freeMemory = free,
                                             .stepFinished = NULL,
                                             .componentEnvironment = instance};
    memcpy(&instance->callbacks, &callbacks,
           sizeof callbacks); /* its members are const, so it cannot be assigned */
    char *resources = joined("file://", fmu->folder, "/resources");
    instance->component =
        fmu->call.instantiate(fmu->name, fmi2ModelExchange, fmu->description.guid, resources,
                              &instance->callbacks, fmi2False, fmu->warns);
    free(resources);
    if (instance->component) return true;
    const char *why = instance->complaint.text;
    return fail(message, "%s: no instance can be made%s%s", fmu->path, *why ? ": " : ".", why);
}

void instance_close(Instance *instance) {
    if (instance->component) instance->fmu->call.free_instance(instance->component);
    instance->component = NULL;
}

bool instance_set(Instance *instance, const Variable *parameter, double value, Message *message) {
    const Functions *call = &instance->fmu->call;
    const fmi2ValueReference reference = parameter->reference;
    if (parameter->type == REAL)
        return instance_good(instance, call->set_real(instance->component, &reference, 1, &value),
                             "fmi2SetReal", message);
    if (parameter->type == OTHER_TYPE)
        return fail(message, "%s: parameters of this type cannot be set here.", parameter->name);
    if (value != rint(value) || fabs(value) > 1e9)
        return fail(message, "%s=%g: this is not %s.", parameter->name, value,
                    parameter->type == INTEGER ? "a whole number" : "one of its values");
    const fmi2Integer integer = (fmi2Integer)value;
    return instance_good(instance, call->set_integer(instance->component, &reference, 1, &integer),
                         "fmi2SetInteger", message);
}

bool instance_good(Instance *instance, fmi2Status status, const char *function, Message *message) {
    if (status == fmi2OK || status == fmi2Warning) return true;
    const char *why = instance->complaint.text;
    return fail(message, *why ? "%s: %s" : "%s: %s failed.", instance->fmu->path,
                *why ? why : function);
}
