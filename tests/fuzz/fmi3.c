/* An FMU for FMI 3.0 behind the functions of 2.0, so that the importers of this folder make the
 * same calls with it, and check the same promises. Is compiled behind the FMU's own sources, whose
 * tables it uses; its functions get the prefix PREFIX. The layer of 2.0 follows, over the same law
 * and core.
 *
 * Co-simulation uses event mode and early return, and a step continues from event to event. The
 * rate set for an input becomes its value at the end of a step, when the element requests inputs;
 * until then the last input changes its sign there. For functions of 2.0 that 3.0 does not have,
 * functions of 3.0 are called that 2.0 does not have. */
#define PASTE_NAMES(prefix, name) prefix##name
#define PASTE(prefix, name) PASTE_NAMES(prefix, name)
#define V3(name) PASTE(PREFIX, name)

#include <stdlib.h>

/* Frees this file's own memory, which is not counted. */
static void release(void *place) {
    free(place);
}

#ifdef COUNTED
#define calloc V3(calloc)
#define free V3(free)
void *calloc(size_t count, size_t size);
void free(void *place);
#endif

#include "fmu.c"

#include "fmi2FunctionTypes.h"

#ifdef COUNTED
/* The importer's allocator, which counts, and lets some allocations fail. */
static const fmi2CallbackFunctions *memory_of;

void *calloc(size_t count, size_t size) {
    return memory_of->allocateMemory(count, size);
}

void free(void *place) {
    memory_of->freeMemory(place);
}
#endif

static void pass_message(fmi3InstanceEnvironment environment, fmi3Status status,
                         fmi3String category, fmi3String text) {
    const fmi2CallbackFunctions *host = (const fmi2CallbackFunctions *)environment;
    host->logger(host->componentEnvironment, "fuzz", (fmi2Status)status, category, text);
}

/* Inputs for the end of a step. */
static _Thread_local double given[N_INPUTS + 1];
static _Thread_local int is_given[N_INPUTS + 1];
static _Thread_local fmi3Instance asking;

static fmi2Status set_reals_v3(fmi3Instance c, const fmi2ValueReference vr[], size_t nvr,
                               const double value[]);

static void give_inputs(fmi3InstanceEnvironment environment, fmi3Float64 time, fmi3Boolean wanted,
                        fmi3Boolean allowed, fmi3Boolean finished, fmi3Boolean early,
                        fmi3Boolean *requested, fmi3Float64 *until) {
    (void)environment, (void)time, (void)wanted, (void)allowed, (void)finished, (void)early;
    (void)requested, (void)until;
    for (fmi2ValueReference i = 0; i < N_INPUTS; i++) {
        const fmi2ValueReference reference = FIRST_INPUT + i;
        const double now = *real_place(&of(asking)->memory.reals, reference),
                     value = is_given[i] ? given[i] : -2 * now;
        if (is_given[i] || i + 1 == N_INPUTS) set_reals_v3(asking, &reference, 1, &value);
    }
    fmi3Boolean flag;
    fmi3Float64 end;
    if (fmi3DoStep(asking, time, 1e-3, fmi3True, &flag, &flag, &flag, &end) == fmi3OK) abort();
}

const char *V3(fmi2GetTypesPlatform)(void) {
    return "default";
}

const char *V3(fmi2GetVersion)(void) {
    return fmi3GetVersion();
}

fmi2Component V3(fmi2Instantiate)(fmi2String name, fmi2Type kind, fmi2String guid, fmi2String place,
                                  const fmi2CallbackFunctions *host, fmi2Boolean visible,
                                  fmi2Boolean logs) {
    static const fmi3ValueReference inputs[] = {FIRST_INPUT};
#ifdef COUNTED
    memory_of = host;
#endif
    memset(is_given, 0, sizeof is_given);
    if (kind == fmi2ModelExchange)
        return fmi3InstantiateModelExchange(name, guid, place, visible != 0, logs != 0,
                                            (void *)host, pass_message);
    return fmi3InstantiateCoSimulation(name, guid, place, visible != 0, logs != 0, fmi3True,
                                       fmi3True, inputs, N_INPUTS > 0, (void *)host, pass_message,
                                       give_inputs);
}

void V3(fmi2FreeInstance)(fmi2Component c) {
    fmi3FreeInstance(c);
}

fmi2Status V3(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t count,
                                   const fmi2String categories[]) {
    return (fmi2Status)fmi3SetDebugLogging(c, on != 0, count, categories);
}

/* Calls the first half of what 3.0 has in one function. */
fmi2Status V3(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean with_tolerance, double wanted,
                                   double start, fmi2Boolean with_stop, double stop) {
    return (fmi2Status)set_up_experiment(of(c), with_tolerance, wanted, start, with_stop, stop,
                                         "fmi3EnterInitializationMode");
}

fmi2Status V3(fmi2EnterInitializationMode)(fmi2Component c) {
    if (!c) return fmi2Error;
    return (fmi2Status)fmi3EnterInitializationMode(c, fmi3False, 0, of(c)->memory.state.time,
                                                   fmi3False, 0);
}

static int steps(fmi2Component c) {
    return c && of(c)->kind == KIND_STEPPING;
}

fmi2Status V3(fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info) {
    fmi3Boolean flags[5];
    double next;
    const fmi3Status status = fmi3UpdateDiscreteStates(c, info ? flags : NULL, flags + 1, flags + 2,
                                                       flags + 3, flags + 4, &next);
    if (status != fmi3OK) return (fmi2Status)status;
    info->newDiscreteStatesNeeded = flags[0];
    info->terminateSimulation = flags[1];
    info->nominalsOfContinuousStatesChanged = flags[2];
    info->valuesOfContinuousStatesChanged = flags[3];
    info->nextEventTimeDefined = flags[4];
    info->nextEventTime = next;
    return fmi2OK;
}

fmi2Status V3(fmi2EnterContinuousTimeMode)(fmi2Component c) {
    return (fmi2Status)(steps(c) ? fmi3EnterStepMode(c) : fmi3EnterContinuousTimeMode(c));
}

fmi2Status V3(fmi2ExitInitializationMode)(fmi2Component c) {
    const fmi2Status status = (fmi2Status)fmi3ExitInitializationMode(c);
    return status == fmi2OK && steps(c) ? (fmi2Status)fmi3EnterStepMode(c) : status;
}

fmi2Status V3(fmi2EnterEventMode)(fmi2Component c) {
    return (fmi2Status)fmi3EnterEventMode(c);
}

fmi2Status V3(fmi2Terminate)(fmi2Component c) {
    return (fmi2Status)fmi3Terminate(c);
}

fmi2Status V3(fmi2Reset)(fmi2Component c) {
    return (fmi2Status)fmi3Reset(c);
}

/* Finds the variable of an element. */
static fmi2ValueReference variable_of(fmi2ValueReference reference) {
    while (reference < N_REALS && reference > 0 && array_sizes[reference] == 0) reference--;
    return reference;
}

/* All values of the variables of some elements, and where each element is among them. */
typedef struct {
    fmi3ValueReference *variables;
    double *values;
    size_t *places, count;
} Arrays;

static Arrays arrays_of(fmi3Instance c, const fmi2ValueReference vr[], size_t nvr) {
    Arrays a = {(fmi3ValueReference *)malloc((nvr + 1) * sizeof *a.variables),
                (double *)malloc((nvr + 1) * N_REALS * sizeof(double)),
                (size_t *)malloc((nvr + 1) * sizeof(size_t)), 0};
    for (size_t i = 0; i < nvr; i++) {
        const fmi2ValueReference first = variable_of(vr[i]);
        const size_t size = first < N_REALS ? array_sizes[first] : 1;
        a.variables[i] = first;
        a.places[i] = a.count + (vr[i] - first);
        for (size_t n = 0; n < size; n++) a.values[a.count + n] = 0;
        if (c && size > 1) fmi3GetFloat64(c, &first, 1, a.values + a.count, size);
        a.count += size;
    }
    return a;
}

static void drop(Arrays *a) {
    release(a->variables);
    release(a->values);
    release(a->places);
}

fmi2Status V3(fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                           double value[]) {
    if (!c || !vr || !value) return (fmi2Status)fmi3GetFloat64(c, vr, nvr, value, nvr);
    Arrays a = arrays_of(NULL, vr, nvr);
    const fmi3Status status = fmi3GetFloat64(c, a.variables, nvr, a.values, a.count);
    for (size_t i = 0; i < nvr && status == fmi3OK; i++) value[i] = a.values[a.places[i]];
    drop(&a);
    return (fmi2Status)status;
}

static fmi2Status set_reals_v3(fmi3Instance c, const fmi2ValueReference vr[], size_t nvr,
                               const double value[]) {
    if (!c || !vr || !value) return (fmi2Status)fmi3SetFloat64(c, vr, nvr, value, nvr);
    Arrays a = arrays_of(c, vr, nvr);
    for (size_t i = 0; i < nvr; i++) a.values[a.places[i]] = value[i];
    const fmi3Status status = fmi3SetFloat64(c, a.variables, nvr, a.values, a.count);
    drop(&a);
    return (fmi2Status)status;
}

fmi2Status V3(fmi2SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                           const double value[]) {
    return set_reals_v3(c, vr, nvr, value);
}

/* Gets one at a time: a mode may have several elements, and is of another type than an option. */
fmi2Status V3(fmi2GetInteger)(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                              int value[]) {
    fmi3Int64 modes[N_INTEGERS + 1] = {0};
    const fmi2ValueReference last = nvr > 0 && vr ? vr[0] : 0;
    fmi2ValueReference first = last;
    if (nvr != 1 || !lies_in(first, FIRST_MODE_OUTPUT, FIRST_OPTION))
        return (fmi2Status)fmi3GetInt32(c, vr, nvr, value, nvr);
    while (array_sizes[first] == 0) first--;
    const fmi3Status status = fmi3GetInt64(c, &first, 1, modes, array_sizes[first]);
    value[0] = (int)modes[last - first];
    return (fmi2Status)status;
}

fmi2Status V3(fmi2SetInteger)(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                              const int value[]) {
    const fmi3Int64 mode = 1;
    if (nvr == 1 && lies_in(vr[0], FIRST_MODE_OUTPUT, FIRST_OPTION))
        return (fmi2Status)fmi3SetInt64(c, vr, 1, &mode, 1);
    return (fmi2Status)fmi3SetInt32(c, vr, nvr, value, nvr);
}

fmi2Status V3(fmi2GetBoolean)(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                              fmi2Boolean value[]) {
    return (fmi2Status)fmi3GetUInt8(c, vr, nvr, (fmi3UInt8 *)value, nvr);
}

fmi2Status V3(fmi2SetBoolean)(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                              const fmi2Boolean value[]) {
    return (fmi2Status)fmi3SetIntervalDecimal(c, vr, nvr, (const double *)(const void *)value);
}

fmi2Status V3(fmi2GetString)(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                             fmi2String value[]) {
    return (fmi2Status)fmi3GetString(c, vr, nvr, value, nvr);
}

fmi2Status V3(fmi2SetString)(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                             const fmi2String value[]) {
    return (fmi2Status)fmi3SetString(c, vr, nvr, value, nvr);
}

/* Calls the directional derivative, then the adjoint one of its result, which has to be finite
 * too. */
fmi2Status V3(fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknowns[],
                                            size_t nUnknowns, const fmi2ValueReference knowns[],
                                            size_t nKnowns, const double seed[], double slopes[]) {
    const fmi3Status status = fmi3GetDirectionalDerivative(c, unknowns, nUnknowns, knowns, nKnowns,
                                                           seed, nKnowns, slopes, nUnknowns);
    if (status != fmi3OK) return (fmi2Status)status;
    double *back = (double *)malloc((nKnowns + 1) * sizeof *back);
    const fmi3Status other = fmi3GetAdjointDerivative(c, unknowns, nUnknowns, knowns, nKnowns,
                                                      slopes, nUnknowns, back, nKnowns);
    if (other == fmi3OK && !all_finite(back, nKnowns)) abort();
    release(back);
    return (fmi2Status)other;
}

fmi2Status V3(fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean final, fmi2Boolean *enter,
                                           fmi2Boolean *stop) {
    fmi3Boolean flags[2];
    const fmi3Status status = fmi3CompletedIntegratorStep(c, final != 0, flags, flags + 1);
    *enter = *stop = fmi2False;
    return (fmi2Status)status;
}

fmi2Status V3(fmi2SetTime)(fmi2Component c, double time) {
    return (fmi2Status)fmi3SetTime(c, time);
}

fmi2Status V3(fmi2SetContinuousStates)(fmi2Component c, const double x[], size_t count) {
    return (fmi2Status)fmi3SetContinuousStates(c, x, count);
}

fmi2Status V3(fmi2GetContinuousStates)(fmi2Component c, double x[], size_t count) {
    return (fmi2Status)fmi3GetContinuousStates(c, x, count);
}

fmi2Status V3(fmi2GetNominalsOfContinuousStates)(fmi2Component c, double x[], size_t count) {
    return (fmi2Status)fmi3GetNominalsOfContinuousStates(c, x, count);
}

fmi2Status V3(fmi2GetDerivatives)(fmi2Component c, double dx[], size_t count) {
    return (fmi2Status)fmi3GetContinuousStateDerivatives(c, dx, count);
}

fmi2Status V3(fmi2GetEventIndicators)(fmi2Component c, double values[], size_t count) {
    return (fmi2Status)fmi3GetEventIndicators(c, values, count);
}

/* Reads the variable, and stores its rate, whatever it is, as the value of an input at the end of
 * steps. */
fmi2Status V3(fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference vr[],
                                           size_t nvr, const fmi2Integer order[],
                                           const double value[]) {
    double now;
    (void)order, (void)nvr;
    const fmi2Status status = V3(fmi2GetReal)(c, vr, 1, &now);
    if (status == fmi2OK && N_INPUTS > 0) {
        given[vr[0] % N_INPUTS] = value[0];
        is_given[vr[0] % N_INPUTS] = 1;
    }
    return status;
}

fmi2Status V3(fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference vr[],
                                            size_t nvr, const fmi2Integer order[], double value[]) {
    Arrays a = arrays_of(NULL, vr, nvr);
    const fmi3Status status =
        fmi3GetOutputDerivatives(c, a.variables, nvr, order, a.values, a.count);
    for (size_t i = 0; i < nvr && status == fmi3OK; i++) value[i] = a.values[a.places[i]];
    drop(&a);
    return (fmi2Status)status;
}

/* Steps from event to event, but only so many, and rolls back where a part is refused. */
fmi2Status V3(fmi2DoStep)(fmi2Component c, double point, double length, fmi2Boolean final) {
    enum { EVENTS = 20 };
    const double end = point + length;
    fmi3Boolean needed, stop, early = fmi3True;
    double reached = point;
    fmi3Status status = fmi3OK;
    if (!steps(c))
        return (fmi2Status)fmi3DoStep(c, point, length, 1, &needed, &stop, &early, &reached);
    const Memory before = of(c)->memory;
    asking = c;
    int n = 0; /* parts */
    for (; status == fmi3OK && early; n++) {
        of(c)->stops_early = n < EVENTS;
        status = fmi3DoStep(c, reached, n ? end - reached : length, final != 0, &needed, &stop,
                            &early, &reached);
        if (status == fmi3OK && early && !needed) abort();
        if (status != fmi3OK || !needed) continue;
        fmi2EventInfo info;
        if (fmi3EnterEventMode(c) != fmi3OK || V3(fmi2NewDiscreteStates)(c, &info) != fmi2OK ||
            fmi3EnterStepMode(c) != fmi3OK)
            abort();
    }
    of(c)->stops_early = 1;
    if (status != fmi3OK && n > 1) {
        of(c)->memory = before;
        forget_slopes(of(c));
    } else if (status == fmi3OK) {
        of(c)->memory.state.time = end; /* where the last part ends, up to rounding */
    }
    return (fmi2Status)status;
}

fmi2Status V3(fmi2CancelStep)(fmi2Component c) {
    return (fmi2Status)fmi3ActivateModelPartition(c, 0, 0);
}

fmi2Status V3(fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    size_t count;
    *value = fmi2OK;
    return (fmi2Status)(kind == fmi2DoStepStatus ? fmi3GetNumberOfContinuousStates(c, &count)
                                                 : fmi3EnterConfigurationMode(c));
}

fmi2Status V3(fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, double *value) {
    const fmi3ValueReference reference =
        kind == fmi2LastSuccessfulTime ? TIME_REFERENCE : FIRST_INDICATOR;
    return (fmi2Status)fmi3GetFloat64(c, &reference, 1, value, 1);
}

fmi2Status V3(fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind,
                                    fmi2Integer *value) {
    size_t count;
    (void)kind, (void)value;
    return (fmi2Status)fmi3GetNumberOfVariableDependencies(c, 0, &count);
}

fmi2Status V3(fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind,
                                    fmi2Boolean *value) {
    const fmi3ValueReference reference = (fmi3ValueReference)kind;
    fmi3Clock clock;
    (void)value;
    return (fmi2Status)fmi3GetClock(c, &reference, 1, &clock);
}

fmi2Status V3(fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
    (void)kind, (void)value;
    return (fmi2Status)fmi3EvaluateDiscreteStates(c);
}

fmi2Status V3(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state) {
    return (fmi2Status)fmi3GetFMUState(c, state);
}

fmi2Status V3(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state) {
    return (fmi2Status)fmi3SetFMUState(c, state);
}

fmi2Status V3(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state) {
    return (fmi2Status)fmi3FreeFMUState(c, state);
}

fmi2Status V3(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size) {
    return (fmi2Status)fmi3SerializedFMUStateSize(c, state, size);
}

fmi2Status V3(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                     size_t size) {
    return (fmi2Status)fmi3SerializeFMUState(c, state, (fmi3Byte *)bytes, size);
}

fmi2Status V3(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                       fmi2FMUstate *state) {
    return (fmi2Status)fmi3DeserializeFMUState(c, (const fmi3Byte *)bytes, size, state);
}

#include "fmi2/fmi2.inc"
