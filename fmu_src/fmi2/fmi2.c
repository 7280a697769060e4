/* The FMI 2.0 interface of every friction element: all 44 functions, over what the versions
 * share. */
#include <float.h>

#include "fmi2/headers.h"

static fmi2Status as_fmi2(Status status) {
    return (fmi2Status)status;
}

static fmi2Boolean as_boolean(int condition) {
    return condition ? fmi2True : fmi2False;
}

const char *fmi2GetTypesPlatform(void) {
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void) {
    return fmi2Version;
}

/* Passes a message to the logger of the host. */
static void log_fmi2(const Host *host, const char *name, Status status, const char *category,
                     const char *text) {
    ((fmi2CallbackLogger)host->logger)(host->environment, name, as_fmi2(status), category, text);
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn) {
    (void)fmuResourceLocation;
    (void)visible;
    if (!functions) return NULL;
    const Host host = {(void (*)(void))functions->logger, log_fmi2, functions->allocateMemory,
                       functions->freeMemory, functions->componentEnvironment};
    if (!host.allocate || !host.free) {
        refuse_instance(&host, instanceName,
                        "%s needs the callbacks allocateMemory and freeMemory.", own()->name);
        return NULL;
    }
    return instantiate(&host, (Kind)fmuType, instanceName, fmuGUID, "GUID", loggingOn);
}

void fmi2FreeInstance(fmi2Component c) {
    free_instance(of(c));
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[]) {
    return as_fmi2(set_logging(of(c), loggingOn, nCategories, categories, "fmi2SetDebugLogging"));
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
    return as_fmi2(set_up_experiment(of(c), toleranceDefined, tolerance, startTime, stopTimeDefined,
                                     stopTime, "fmi2SetupExperiment"));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    return as_fmi2(enter_initialization(of(c), "fmi2EnterInitializationMode"));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    return as_fmi2(exit_initialization(of(c), "fmi2ExitInitializationMode"));
}

fmi2Status fmi2Terminate(fmi2Component c) {
    return as_fmi2(end_run(of(c), "fmi2Terminate"));
}

fmi2Status fmi2Reset(fmi2Component c) {
    return as_fmi2(reset(of(c)));
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                       fmi2Real value[]) {
    return as_fmi2(get_reals(of(c), vr, nvr, value, "fmi2GetReal"));
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                       const fmi2Real value[]) {
    return as_fmi2(set_reals(of(c), vr, nvr, value, "fmi2SetReal"));
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          fmi2Integer value[]) {
    return as_fmi2(get_integers(of(c), vr, nvr, value, "fmi2GetInteger"));
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Integer value[]) {
    return as_fmi2(set_integers(of(c), vr, nvr, value, "fmi2SetInteger"));
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          fmi2Boolean value[]) {
    (void)value;
    return as_fmi2(allow_nothing(of(c), vr, nvr, "Boolean"));
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                          const fmi2Boolean value[]) {
    (void)value;
    return as_fmi2(allow_nothing(of(c), vr, nvr, "Boolean"));
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                         fmi2String value[]) {
    (void)value;
    return as_fmi2(allow_nothing(of(c), vr, nvr, "String"));
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                         const fmi2String value[]) {
    (void)value;
    return as_fmi2(allow_nothing(of(c), vr, nvr, "String"));
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference vUnknown_ref[],
                                        size_t nUnknown, const fmi2ValueReference vKnown_ref[],
                                        size_t nKnown, const fmi2Real dvKnown[],
                                        fmi2Real dvUnknown[]) {
    return as_fmi2(directional_derivative(of(c), vUnknown_ref, nUnknown, vKnown_ref, nKnown,
                                          dvKnown, dvUnknown, "fmi2GetDirectionalDerivative"));
}

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    return as_fmi2(enter_event_mode(of(c), "fmi2EnterEventMode"));
}

/* Sets every field, because some importers pass a struct that they have not initialized. */
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    Changes changes;
    const Status status = handle_event(of(c), info ? &changes : NULL, "fmi2NewDiscreteStates");
    if (status != STATUS_OK) return as_fmi2(status);
    info->newDiscreteStatesNeeded = fmi2False;
    info->terminateSimulation = fmi2False;
    info->nominalsOfContinuousStatesChanged = as_boolean(changes.nominals);
    info->valuesOfContinuousStatesChanged = as_boolean(changes.states);
    info->nextEventTimeDefined = fmi2False;
    info->nextEventTime = DBL_MAX;
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    return as_fmi2(enter_continuous_time(of(c), "fmi2EnterContinuousTimeMode"));
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation) {
    (void)noSetFMUStatePriorToCurrentPoint;
    const Status status = complete_step(of(c), terminateSimulation ? enterEventMode : NULL,
                                        "fmi2CompletedIntegratorStep");
    if (status != STATUS_OK) return as_fmi2(status);
    *enterEventMode = fmi2False;
    *terminateSimulation = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    return as_fmi2(set_time(of(c), time, "fmi2SetTime"));
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    return as_fmi2(set_states(of(c), x, nx, "fmi2SetContinuousStates"));
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t nx) {
    return as_fmi2(get_states(of(c), x, nx, "fmi2GetContinuousStates"));
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t nx) {
    return as_fmi2(get_nominals(of(c), nominals, nx, "fmi2GetNominalsOfContinuousStates"));
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t nx) {
    return as_fmi2(get_derivatives(of(c), derivatives, nx, "fmi2GetDerivatives"));
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real values[], size_t ni) {
    return as_fmi2(get_indicators(of(c), values, ni, "fmi2GetEventIndicators"));
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[]) {
    return as_fmi2(set_input_rates(of(c), vr, nvr, order, value, "fmi2SetRealInputDerivatives"));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[]) {
    return as_fmi2(get_output_rates(of(c), vr, nvr, order, value, "fmi2GetRealOutputDerivatives"));
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint) {
    (void)noSetFMUStatePriorToCurrentPoint;
    return as_fmi2(do_step(of(c), currentCommunicationPoint, communicationStepSize, "fmi2DoStep"));
}

fmi2Status fmi2CancelStep(fmi2Component component) {
    Instance *c = of(component);
    const Status status = allow_kind(c, KIND_STEPPING, STEP_COMPLETE, "fmi2CancelStep");
    if (status != STATUS_OK) return as_fmi2(status);
    return as_fmi2(refuse(c, STATUS_ERROR,
                          "There is no step to cancel: fmi2DoStep returns when its step is done."));
}

static Status allow_status(Instance *c, const void *value, const char *function) {
    const Status status = allow_kind(c, KIND_STEPPING, ANY_PHASE, function);
    return status == STATUS_OK ? need(c, value, function) : status;
}

static fmi2Status no_such_status(Instance *c, fmi2StatusKind kind) {
    return as_fmi2(refuse(c, STATUS_DISCARD,
                          "The status of kind %d is not available by this function.", (int)kind));
}

fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    const Status status = allow_status(of(c), value, "fmi2GetStatus");
    if (status != STATUS_OK) return as_fmi2(status);
    if (kind != fmi2DoStepStatus) return no_such_status(of(c), kind);
    *value = as_fmi2(of(c)->last_step);
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    const Status status = allow_status(of(c), value, "fmi2GetRealStatus");
    if (status != STATUS_OK) return as_fmi2(status);
    if (kind != fmi2LastSuccessfulTime) return no_such_status(of(c), kind);
    *value = of(c)->memory.state.time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
    const Status status = allow_status(of(c), value, "fmi2GetIntegerStatus");
    return status == STATUS_OK ? no_such_status(of(c), kind) : as_fmi2(status);
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    const Status status = allow_status(of(c), value, "fmi2GetBooleanStatus");
    if (status != STATUS_OK) return as_fmi2(status);
    if (kind != fmi2Terminated) return no_such_status(of(c), kind);
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    const Status status = allow_status(of(c), value, "fmi2GetStringStatus");
    if (status != STATUS_OK) return as_fmi2(status);
    if (kind != fmi2PendingStatus) return no_such_status(of(c), kind);
    *value = "";
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    return as_fmi2(store_state(of(c), state, "fmi2GetFMUstate"));
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    return as_fmi2(restore_state(of(c), state, "fmi2SetFMUstate"));
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    return as_fmi2(free_state(of(c), state));
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    return as_fmi2(get_stored_size(of(c), state, size, "fmi2SerializedFMUstateSize"));
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size) {
    return as_fmi2(serialize(of(c), state, bytes, size, "fmi2SerializeFMUstate"));
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate *state) {
    return as_fmi2(deserialize(of(c), bytes, size, state, "fmi2DeSerializeFMUstate"));
}
