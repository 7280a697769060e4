/* From instantiation to the end: both state machines of FMI 2.0, which share all but their running
 * phase. */
#include <stddef.h>
#include <string.h>

static const char *phase_name(int phase) {
    switch (phase) {
        case INSTANTIATED: return "after instantiation";
        case INITIALIZATION_MODE: return "in initialization mode";
        case EVENT_MODE: return "in event mode";
        case CONTINUOUS_TIME_MODE: return "in continuous-time mode";
        case STEP_COMPLETE: return "between co-simulation steps";
        default: return "after termination";
    }
}

COLD static fmi2Status refuse_phase(Instance *c, const char *function) {
    return refuse(c, fmi2Error, "%s must not be called %s.", function,
                  phase_name(c->memory.kept.phase));
}

COLD static fmi2Status refuse_kind(Instance *c, const char *function) {
    static const char *const kinds[] = {"model exchange", "co-simulation"};
    const int exchange = c->kind == fmi2ModelExchange;
    return refuse(c, fmi2Error, "%s belongs to %s, this instance was made for %s.", function,
                  kinds[exchange], kinds[!exchange]);
}

/* Whether a function may be called now; a call in a wrong phase changes nothing. */
static fmi2Status allow(Instance *c, int phases, const char *function) {
    if (!c) return fmi2Error;
    return phases == ANY_PHASE || c->memory.kept.phase & phases ? fmi2OK
                                                                : refuse_phase(c, function);
}

static fmi2Status allow_kind(Instance *c, fmi2Type kind, int phases, const char *function) {
    if (!c) return fmi2Error;
    return c->kind == kind ? allow(c, phases, function) : refuse_kind(c, function);
}

static fmi2Status need(Instance *c, const void *pointer, const char *function) {
    return pointer ? fmi2OK : refuse(c, fmi2Error, "%s was given a null pointer.", function);
}

static void set_start_values(Instance *c) {
    Memory *k = &c->memory;
    memset(k, 0, memory_size(c->kind));
    k->kept.co_simulates = c->kind == fmi2CoSimulation;
    memcpy(&k->reals.p, own()->parameters, sizeof k->reals.p);
    memcpy(&k->reals.u, own()->inputs, sizeof k->reals.u);
    for (int i = 0; i < N_OPTIONS; i++)
        mode_places(&k->state.modes)[OPTION_PLACE + i] = own()->options[i];
    k->kept.tolerance = 1e-6;
    k->kept.phase = INSTANTIATED;
    k->kept.unchecked = 1;
    k->state.stale = 1;
}

static void refuse_instance(const fmi2CallbackFunctions *functions, const char *name,
                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_log(functions->logger, functions->componentEnvironment, name ? name : "", fmi2Error,
              LOG_ERROR, format, arguments);
    va_end(arguments);
}

fmi2Component fmi2Instantiate(fmi2String instanceName, fmi2Type fmuType, fmi2String fmuGUID,
                              fmi2String fmuResourceLocation,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn) {
    (void)fmuResourceLocation;
    (void)visible;
    if (!functions) return NULL;
    if (!functions->allocateMemory || !functions->freeMemory) {
        refuse_instance(functions, instanceName,
                        "%s needs the callbacks allocateMemory and freeMemory.", own()->name);
        return NULL;
    }
    if (!instanceName || !*instanceName) {
        refuse_instance(functions, instanceName, "%s needs an instance name.", own()->name);
        return NULL;
    }
    if (!fmuGUID || strcmp(fmuGUID, own()->guid) != 0) {
        refuse_instance(functions, instanceName, "The GUID %s is not that of this %s, which is %s.",
                        fmuGUID ? fmuGUID : "(null)", own()->name, own()->guid);
        return NULL;
    }
    if (fmuType != fmi2ModelExchange && fmuType != fmi2CoSimulation) {
        refuse_instance(functions, instanceName, "%d is no kind of FMU.", (int)fmuType);
        return NULL;
    }
    const size_t name_length = strlen(instanceName);
    const size_t size = offsetof(Instance, memory) + memory_size(fmuType);
    Instance *c = (Instance *)functions->allocateMemory(1, size + name_length + 1);
    if (!c) {
        refuse_instance(functions, instanceName, "There is no memory for an instance of %s.",
                        own()->name);
        return NULL;
    }
    memset(c, 0, size);
    c->name = (char *)c + size;
    memcpy(c->name, instanceName, name_length + 1);
    c->kind = fmuType;
    c->logger = functions->logger;
    c->allocate = functions->allocateMemory;
    c->free = functions->freeMemory;
    c->environment = functions->componentEnvironment;
    c->logged = loggingOn ? 1u << LOG_WARNING : 0;
    set_start_values(c);
    return c;
}

void fmi2FreeInstance(fmi2Component component) {
    Instance *c = (Instance *)component;
    if (c) c->free(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component component, fmi2Boolean loggingOn, size_t nCategories,
                               const fmi2String categories[]) {
    Instance *c = (Instance *)component;
    if (!c) return fmi2Error;
    unsigned chosen = nCategories == 0 ? 1u << LOG_ALL : 0;
    if (nCategories > 0 && need(c, categories, "fmi2SetDebugLogging") != fmi2OK) return fmi2Error;
    for (size_t i = 0; i < nCategories; i++) {
        int category = 0;
        while (category < LOG_CATEGORIES &&
               (!categories[i] || strcmp(categories[i], category_names[category]) != 0))
            category++;
        if (category == LOG_CATEGORIES)
            return refuse(c, fmi2Error, "There is no log category %s.",
                          categories[i] ? categories[i] : "(null)");
        chosen |= 1u << category;
    }
    if (chosen & 1u << LOG_WARNING) chosen |= 1u << LOG_TOLERATED;
    c->logged = loggingOn ? chosen : 0;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component component, fmi2Boolean toleranceDefined,
                               fmi2Real tolerance, fmi2Real startTime, fmi2Boolean stopTimeDefined,
                               fmi2Real stopTime) {
    Instance *c = (Instance *)component;
    const fmi2Status status = allow(c, INSTANTIATED, "fmi2SetupExperiment");
    if (status != fmi2OK) return status;
    if (!isfinite(startTime))
        return refuse(c, fmi2Error, "The start time %g is not finite.", startTime);
    if (toleranceDefined && !(tolerance >= 0 && isfinite(tolerance)))
        return refuse(c, fmi2Error, "The tolerance %g must be greater than 0.", tolerance);
    if (stopTimeDefined && !(stopTime >= startTime))
        return refuse(c, fmi2Error, "The stop time %g lies before the start time %g.", stopTime,
                      startTime);
    if (toleranceDefined && tolerance > 0) /* rounding allows no better than 1e-13 */
        c->memory.kept.tolerance = fmax(tolerance, 1e-13);
    else if (toleranceDefined)
        tolerate(c, TOLERATED_TOLERANCE, "A tolerance of 0 is taken as %s.", "not given");
    c->memory.state.time = startTime;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component component) {
    Instance *c = (Instance *)component;
    const fmi2Status status = allow(c, INSTANTIATED, "fmi2EnterInitializationMode");
    if (status != fmi2OK) return status;
    c->memory.kept.phase = INITIALIZATION_MODE;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
    Instance *c = (Instance *)component;
    fmi2Status status = allow(c, INITIALIZATION_MODE, "fmi2ExitInitializationMode");
    if (status == fmi2OK) status = check_parameters(c);
    if (status != fmi2OK) return status;
    follow_start(&c->memory);
    renew_nominals(&c->memory);
    c->memory.kept.phase = c->kind == fmi2ModelExchange ? EVENT_MODE : STEP_COMPLETE;
    return fmi2OK;
}

/* An importer that gives up because a call was refused ends what has not begun: the reason has been
 * told. */
fmi2Status fmi2Terminate(fmi2Component component) {
    Instance *c = (Instance *)component;
    if (c && c->refused && c->memory.kept.phase & BEFORE_START) return fmi2Error;
    const fmi2Status status = allow(c, RUNNING, "fmi2Terminate");
    if (status != fmi2OK) return status;
    c->memory.kept.phase = TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component component) {
    Instance *c = (Instance *)component;
    if (!c) return fmi2Error;
    set_start_values(c);
    c->last_step = fmi2OK;
    c->warned = 0;
    c->refused = 0;
    return fmi2OK;
}

const char *fmi2GetTypesPlatform(void) {
    return fmi2TypesPlatform;
}

const char *fmi2GetVersion(void) {
    return fmi2Version;
}
