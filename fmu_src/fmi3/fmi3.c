/* The FMI 3.0 interface of every friction element: all its functions, over what the versions
 * share.
 *
 *   arrays        vectors as single variables; time and event indicators
 *   derivatives   directional and adjoint
 */
#include <float.h>
#include <stdlib.h>

#include "fmi3/headers.h"

static fmi3Status as_fmi3(Status status) {
    return (fmi3Status)status;
}

#include "fmi3/arrays.c"

#include "fmi3/derivatives.c"

const char *fmi3GetVersion(void) {
    return fmi3Version;
}

/* Passes a message to the logger of the host. */
static void log_fmi3(const Host *host, const char *name, Status status, const char *category,
                     const char *text) {
    (void)name;
    ((fmi3LogMessageCallback)host->logger)(host->environment, as_fmi3(status), category, text);
}

static Host host_of(fmi3InstanceEnvironment environment, fmi3LogMessageCallback logMessage) {
    const Host host = {(void (*)(void))logMessage, log_fmi3, calloc, free, environment};
    return host;
}

static Instance *instantiate_fmi3(Kind kind, fmi3String instanceName, fmi3String instantiationToken,
                                  fmi3Boolean loggingOn,
                                  fmi3InstanceEnvironment instanceEnvironment,
                                  fmi3LogMessageCallback logMessage) {
    const Host host = host_of(instanceEnvironment, logMessage);
    Instance *c = instantiate(&host, kind, instanceName, instantiationToken, "instantiation token",
                              loggingOn);
    if (c) c->tunable = 1;
    return c;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String instanceName, fmi3String instantiationToken,
                                          fmi3String resourcePath, fmi3Boolean visible,
                                          fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment instanceEnvironment,
                                          fmi3LogMessageCallback logMessage) {
    (void)resourcePath;
    (void)visible;
    return instantiate_fmi3(KIND_EXCHANGE, instanceName, instantiationToken, loggingOn,
                            instanceEnvironment, logMessage);
}

/* Requests inputs during a step only where the host declares that it sets some there. */
fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
    fmi3Boolean earlyReturnAllowed, const fmi3ValueReference requiredIntermediateVariables[],
    size_t nRequiredIntermediateVariables, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3IntermediateUpdateCallback intermediateUpdate) {
    (void)resourcePath;
    (void)visible;
    Instance *c = instantiate_fmi3(KIND_STEPPING, instanceName, instantiationToken, loggingOn,
                                   instanceEnvironment, logMessage);
    if (!c) return NULL;
    c->uses_events = eventModeUsed;
    c->stops_early = eventModeUsed && earlyReturnAllowed;
    for (size_t i = 0; requiredIntermediateVariables && i < nRequiredIntermediateVariables; i++)
        if (is_input(requiredIntermediateVariables[i]))
            c->update = (void (*)(void))intermediateUpdate;
    return c;
}

fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String instanceName, fmi3String instantiationToken, fmi3String resourcePath,
    fmi3Boolean visible, fmi3Boolean loggingOn, fmi3InstanceEnvironment instanceEnvironment,
    fmi3LogMessageCallback logMessage, fmi3ClockUpdateCallback clockUpdate,
    fmi3LockPreemptionCallback lockPreemption, fmi3UnlockPreemptionCallback unlockPreemption) {
    const Host host = host_of(instanceEnvironment, logMessage);
    (void)instantiationToken;
    (void)resourcePath;
    (void)visible;
    (void)loggingOn;
    (void)clockUpdate;
    (void)lockPreemption;
    (void)unlockPreemption;
    refuse_instance(&host, instanceName, "%s has no clocks: it is not for scheduled execution.",
                    own()->name);
    return NULL;
}

void fmi3FreeInstance(fmi3Instance instance) {
    free_instance(of(instance));
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean loggingOn, size_t nCategories,
                               const fmi3String categories[]) {
    return as_fmi3(
        set_logging(of(instance), loggingOn, nCategories, categories, "fmi3SetDebugLogging"));
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime) {
    const char *function = "fmi3EnterInitializationMode";
    const Status status = set_up_experiment(of(instance), toleranceDefined, tolerance, startTime,
                                            stopTimeDefined, stopTime, function);
    return as_fmi3(status == STATUS_OK ? enter_initialization(of(instance), function) : status);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
    return as_fmi3(exit_initialization(of(instance), "fmi3ExitInitializationMode"));
}

fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
    return as_fmi3(enter_event_mode(of(instance), "fmi3EnterEventMode"));
}

fmi3Status fmi3Terminate(fmi3Instance instance) {
    return as_fmi3(end_run(of(instance), "fmi3Terminate"));
}

fmi3Status fmi3Reset(fmi3Instance instance) {
    const Status status = allow(of(instance), OUTSIDE_STEPS, "fmi3Reset");
    return as_fmi3(status == STATUS_OK ? reset(of(instance)) : status);
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, fmi3Float64 values[], size_t nValues) {
    return as_fmi3(get_float64(of(instance), valueReferences, nValueReferences, values, nValues,
                               "fmi3GetFloat64"));
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                          size_t nValueReferences, const fmi3Float64 values[], size_t nValues) {
    return as_fmi3(set_float64(of(instance), valueReferences, nValueReferences, values, nValues,
                               "fmi3SetFloat64"));
}

fmi3Status fmi3GetInt64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Int64 values[], size_t nValues) {
    return as_fmi3(get_int64(of(instance), valueReferences, nValueReferences, values, nValues,
                             "fmi3GetInt64"));
}

fmi3Status fmi3SetInt64(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Int64 values[], size_t nValues) {
    Instance *c = of(instance);
    const char *function = "fmi3SetInt64";
    Status status = allow_arrays(c, ANY_PHASE & ~TERMINATED, valueReferences, values,
                                 nValueReferences, function);
    if (status == STATUS_OK)
        status = match_values(c, valueReferences, nValueReferences, nValues, FIRST_MODE_OUTPUT,
                              FIRST_OPTION, "Int64", function);
    if (status != STATUS_OK || nValueReferences == 0) return as_fmi3(status);
    return as_fmi3(allow_option(c, valueReferences[0], (int)values[0]));
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, fmi3Int32 values[], size_t nValues) {
    const char *function = "fmi3GetInt32";
    const Status status = match_options(of(instance), ANY_PHASE, valueReferences, values,
                                        nValueReferences, nValues, function);
    if (status != STATUS_OK) return as_fmi3(status);
    return as_fmi3(get_integers(of(instance), valueReferences, nValueReferences, values, function));
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                        size_t nValueReferences, const fmi3Int32 values[], size_t nValues) {
    const char *function = "fmi3SetInt32";
    const Status status = match_options(of(instance), ANY_PHASE & ~TERMINATED, valueReferences,
                                        values, nValueReferences, nValues, function);
    if (status != STATUS_OK) return as_fmi3(status);
    return as_fmi3(set_integers(of(instance), valueReferences, nValueReferences, values, function));
}

/* Types of which there are no variables. */
#define NO_VARIABLES(Type)                                                                         \
    fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference valueReferences[],    \
                             size_t nValueReferences, fmi3##Type values[], size_t nValues) {       \
        (void)values;                                                                              \
        (void)nValues;                                                                             \
        return as_fmi3(allow_nothing(of(instance), valueReferences, nValueReferences, #Type));     \
    }                                                                                              \
    fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference valueReferences[],    \
                             size_t nValueReferences, const fmi3##Type values[], size_t nValues) { \
        (void)values;                                                                              \
        (void)nValues;                                                                             \
        return as_fmi3(allow_nothing(of(instance), valueReferences, nValueReferences, #Type));     \
    }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(UInt32)
NO_VARIABLES(UInt64)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, size_t valueSizes[], fmi3Binary values[],
                         size_t nValues) {
    (void)valueSizes;
    (void)values;
    (void)nValues;
    return as_fmi3(allow_nothing(of(instance), valueReferences, nValueReferences, "Binary"));
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference valueReferences[],
                         size_t nValueReferences, const size_t valueSizes[],
                         const fmi3Binary values[], size_t nValues) {
    (void)valueSizes;
    (void)values;
    (void)nValues;
    return as_fmi3(allow_nothing(of(instance), valueReferences, nValueReferences, "Binary"));
}

/* Functions of clocks, of which there are none; further arguments are one array or more. */
#define NO_CLOCKS(function, ...)                                                                   \
    fmi3Status function(fmi3Instance instance, const fmi3ValueReference valueReferences[],         \
                        size_t nValueReferences, __VA_ARGS__) {                                    \
        return as_fmi3(allow_nothing(of(instance), valueReferences, nValueReferences, "Clock"));   \
    }
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NO_CLOCKS(fmi3GetClock, fmi3Clock values[])
NO_CLOCKS(fmi3SetClock, const fmi3Clock values[])
NO_CLOCKS(fmi3GetIntervalDecimal, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
NO_CLOCKS(fmi3GetIntervalFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
          fmi3IntervalQualifier qualifiers[])
NO_CLOCKS(fmi3GetShiftDecimal, fmi3Float64 shifts[])
NO_CLOCKS(fmi3GetShiftFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
NO_CLOCKS(fmi3SetIntervalDecimal, const fmi3Float64 intervals[])
NO_CLOCKS(fmi3SetIntervalFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
NO_CLOCKS(fmi3SetShiftDecimal, const fmi3Float64 shifts[])
NO_CLOCKS(fmi3SetShiftFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clockReference,
                                      fmi3Float64 activationTime) {
    (void)activationTime;
    return as_fmi3(allow_nothing(of(instance), &clockReference, 1, "Clock"));
}

/* Refuses functions that have no meaning for an element. */
static fmi3Status refuse_always(fmi3Instance instance, const char *function, const char *reason) {
    if (!instance) return fmi3Error;
    return as_fmi3(
        refuse(of(instance), STATUS_ERROR, "%s must not be called: %s.", function, reason));
}

static const char no_dependencies[] = "dependencies of single elements are not provided";
static const char no_structure[] = "there are no structural parameters";

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                               fmi3ValueReference valueReference,
                                               size_t *nDependencies) {
    (void)valueReference;
    (void)nDependencies;
    return refuse_always(instance, "fmi3GetNumberOfVariableDependencies", no_dependencies);
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                       size_t elementIndicesOfDependent[],
                                       fmi3ValueReference independents[],
                                       size_t elementIndicesOfIndependents[],
                                       fmi3DependencyKind dependencyKinds[], size_t nDependencies) {
    (void)dependent;
    (void)elementIndicesOfDependent;
    (void)independents;
    (void)elementIndicesOfIndependents;
    (void)dependencyKinds;
    (void)nDependencies;
    return refuse_always(instance, "fmi3GetVariableDependencies", no_dependencies);
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
    return refuse_always(instance, "fmi3EnterConfigurationMode", no_structure);
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
    return refuse_always(instance, "fmi3ExitConfigurationMode", no_structure);
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *FMUState) {
    const char *function = "fmi3GetFMUState";
    const Status status = allow(of(instance), OUTSIDE_STEPS, function);
    return as_fmi3(status == STATUS_OK ? store_state(of(instance), FMUState, function) : status);
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState FMUState) {
    const char *function = "fmi3SetFMUState";
    const Status status = allow(of(instance), OUTSIDE_STEPS, function);
    return as_fmi3(status == STATUS_OK ? restore_state(of(instance), FMUState, function) : status);
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *FMUState) {
    return as_fmi3(free_state(of(instance), FMUState));
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState FMUState, size_t *size) {
    return as_fmi3(get_stored_size(of(instance), FMUState, size, "fmi3SerializedFMUStateSize"));
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState FMUState,
                                 fmi3Byte serializedState[], size_t size) {
    return as_fmi3(
        serialize(of(instance), FMUState, serializedState, size, "fmi3SerializeFMUState"));
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte serializedState[],
                                   size_t size, fmi3FMUState *FMUState) {
    return as_fmi3(
        deserialize(of(instance), serializedState, size, FMUState, "fmi3DeserializeFMUState"));
}

/* Does nothing: modes change only in fmi3UpdateDiscreteStates. */
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
    return as_fmi3(
        allow(of(instance), INITIALIZATION_MODE | EVENT_MODE, "fmi3EvaluateDiscreteStates"));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsOfContinuousStatesChanged,
                                    fmi3Boolean *valuesOfContinuousStatesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime) {
    Changes changes;
    const int given = discreteStatesNeedUpdate && terminateSimulation &&
                      nominalsOfContinuousStatesChanged && valuesOfContinuousStatesChanged &&
                      nextEventTimeDefined && nextEventTime;
    const Status status =
        handle_event(of(instance), given ? &changes : NULL, "fmi3UpdateDiscreteStates");
    if (status != STATUS_OK) return as_fmi3(status);
    *discreteStatesNeedUpdate = fmi3False;
    *terminateSimulation = fmi3False;
    *nominalsOfContinuousStatesChanged = changes.nominals != 0;
    *valuesOfContinuousStatesChanged = changes.states != 0;
    *nextEventTimeDefined = fmi3False;
    *nextEventTime = DBL_MAX;
    return fmi3OK;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
    return as_fmi3(enter_continuous_time(of(instance), "fmi3EnterContinuousTimeMode"));
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance,
                                       fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation) {
    (void)noSetFMUStatePriorToCurrentPoint;
    const Status status = complete_step(of(instance), terminateSimulation ? enterEventMode : NULL,
                                        "fmi3CompletedIntegratorStep");
    if (status != STATUS_OK) return as_fmi3(status);
    *enterEventMode = fmi3False;
    *terminateSimulation = fmi3False;
    return fmi3OK;
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time) {
    return as_fmi3(set_time(of(instance), time, "fmi3SetTime"));
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 continuousStates[],
                                   size_t nContinuousStates) {
    return as_fmi3(
        set_states(of(instance), continuousStates, nContinuousStates, "fmi3SetContinuousStates"));
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivatives[],
                                             size_t nContinuousStates) {
    return as_fmi3(get_derivatives(of(instance), derivatives, nContinuousStates,
                                   "fmi3GetContinuousStateDerivatives"));
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 eventIndicators[],
                                  size_t nEventIndicators) {
    return as_fmi3(
        get_indicators(of(instance), eventIndicators, nEventIndicators, "fmi3GetEventIndicators"));
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 continuousStates[],
                                   size_t nContinuousStates) {
    return as_fmi3(
        get_states(of(instance), continuousStates, nContinuousStates, "fmi3GetContinuousStates"));
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                             size_t nContinuousStates) {
    return as_fmi3(get_nominals(of(instance), nominals, nContinuousStates,
                                "fmi3GetNominalsOfContinuousStates"));
}

static fmi3Status get_number(fmi3Instance instance, size_t number, size_t *place,
                             const char *function) {
    Status status = allow(of(instance), ANY_PHASE, function);
    if (status == STATUS_OK) status = need(of(instance), place, function);
    if (status == STATUS_OK) *place = number;
    return as_fmi3(status);
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *nEventIndicators) {
    return get_number(instance, N_INDICATORS, nEventIndicators, "fmi3GetNumberOfEventIndicators");
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *nContinuousStates) {
    return get_number(instance, N_STATES, nContinuousStates, "fmi3GetNumberOfContinuousStates");
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
    return as_fmi3(enter_step_mode(of(instance), "fmi3EnterStepMode"));
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference valueReferences[],
                                    size_t nValueReferences, const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t nValues) {
    Instance *c = of(instance);
    const char *function = "fmi3GetOutputDerivatives";
    Reference elements[N_REALS];
    int order[N_REALS];
    Status status = allow_arrays(c, ANY_PHASE, valueReferences, values, nValueReferences, function);
    if (status == STATUS_OK && nValueReferences > 0) status = need(c, orders, function);
    if (status == STATUS_OK)
        status = list_reals(c, valueReferences, nValueReferences, nValues, elements, function);
    if (status != STATUS_OK) return as_fmi3(status);
    for (size_t i = 0, at = 0; i < nValueReferences; i++)
        for (size_t n = 0; n < array_sizes[valueReferences[i]]; n++) order[at++] = orders[i];
    return as_fmi3(get_output_rates(c, elements, nValues, order, values, function));
}

/* Requests the inputs at the end of a step from the host; during the step they are linear. */
static void request_inputs(Instance *c, double point, double length) {
    Memory *k = &c->memory;
    const Inputs start = k->reals.u;
    fmi3Boolean wanted = fmi3False;
    fmi3Float64 until = point + length;
    k->kept.phase = INTERMEDIATE_UPDATE;
    ((fmi3IntermediateUpdateCallback)c->update)(c->host.environment, point + length, fmi3True,
                                                fmi3False, fmi3False, fmi3False, &wanted, &until);
    k->kept.phase = STEP_COMPLETE;
    for (int i = 0; i < N_INPUTS; i++) {
        const double from = input_values(&start)[i], to = input_values(&k->reals.u)[i];
        input_places(&k->kept.u_rate)[i] = (to - from) / length;
    }
    k->reals.u = start;
    k->state.stale = 1; /* the host has read results under the other inputs */
}

/* Makes a step, with constant inputs unless the host sets others during the step. */
fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime) {
    Instance *c = of(instance);
    const char *function = "fmi3DoStep";
    const double point = currentCommunicationPoint, length = communicationStepSize;
    const int given =
        eventHandlingNeeded && terminateSimulation && earlyReturn && lastSuccessfulTime;
    (void)noSetFMUStatePriorToCurrentPoint;
    Status status = allow_kind(c, KIND_STEPPING, STEP_COMPLETE, function);
    if (status == STATUS_OK && !given) status = need(c, NULL, function);
    if (status != STATUS_OK) return as_fmi3(status);
    const Inputs rates = c->memory.kept.u_rate; /* restored if the step fails */
    status = check_step(c, point, length);
    if (status == STATUS_OK) {
        c->memory.kept.u_rate = no_inputs;
        if (c->update && length > 0) request_inputs(c, point, length);
        status = do_step(c, point, length, function);
        if (status != STATUS_OK) c->memory.kept.u_rate = rates;
    }
    *eventHandlingNeeded = status == STATUS_OK && c->uses_events && c->event;
    *terminateSimulation = fmi3False;
    *earlyReturn = status == STATUS_OK && c->memory.state.time < point + length;
    *lastSuccessfulTime = c->memory.state.time;
    return as_fmi3(status);
}
