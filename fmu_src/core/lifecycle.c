/* Life cycle: the state machines of both kinds, which differ only while running. */
#include <stddef.h>
#include <string.h>

static const char *phase_name(int phase) {
    switch (phase) {
        case INSTANTIATED: return "after instantiation";
        case INITIALIZATION_MODE: return "in initialization mode";
        case EVENT_MODE: return "in event mode";
        case CONTINUOUS_TIME_MODE: return "in continuous-time mode";
        case STEP_COMPLETE: return "between co-simulation steps";
        case INTERMEDIATE_UPDATE: return "in an intermediate update";
        default: return "after termination";
    }
}

COLD static Status refuse_phase(Instance *c, const char *function) {
    return refuse(c, STATUS_ERROR, "%s must not be called %s.", function,
                  phase_name(c->memory.kept.phase));
}

COLD static Status refuse_kind(Instance *c, const char *function) {
    static const char *const kinds[] = {"model exchange", "co-simulation"};
    const int exchange = c->kind == KIND_EXCHANGE;
    return refuse(c, STATUS_ERROR, "%s belongs to %s, this instance was made for %s.", function,
                  kinds[exchange], kinds[!exchange]);
}

/* Checks that a function may be called now; a call in a wrong phase changes nothing. */
static Status allow(Instance *c, int phases, const char *function) {
    if (!c) return STATUS_ERROR;
    return phases == ANY_PHASE || c->memory.kept.phase & phases ? STATUS_OK
                                                                : refuse_phase(c, function);
}

static Status allow_kind(Instance *c, Kind kind, int phases, const char *function) {
    if (!c) return STATUS_ERROR;
    return c->kind == kind ? allow(c, phases, function) : refuse_kind(c, function);
}

static Status need(Instance *c, const void *pointer, const char *function) {
    return pointer ? STATUS_OK : refuse(c, STATUS_ERROR, "%s was given a null pointer.", function);
}

static void set_start_values(Instance *c) {
    Memory *k = &c->memory;
    memset(k, 0, memory_size(c->kind));
    k->kept.co_simulates = c->kind == KIND_STEPPING;
    memcpy(&k->reals.p, own()->parameters, sizeof k->reals.p);
    memcpy(&k->reals.u, own()->inputs, sizeof k->reals.u);
    for (int i = 0; i < N_OPTIONS; i++)
        mode_places(&k->state.modes)[OPTION_PLACE + i] = own()->options[i];
    k->kept.tolerance = 1e-6;
    k->kept.phase = INSTANTIATED;
    k->kept.unchecked = 1;
    k->state.stale = 1;
}

COLD static void refuse_instance(const Host *host, const char *name, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    write_log(host, name ? name : "", STATUS_ERROR, LOG_ERROR, format, arguments);
    va_end(arguments);
}

/* Makes an instance of a kind; NULL if it fails. The key is what the version of the standard calls
 * key_name: GUID or instantiation token. */
static Instance *instantiate(const Host *host, Kind kind, const char *name, const char *key,
                             const char *key_name, int logging) {
    if (!name || !*name) {
        refuse_instance(host, name, "%s needs an instance name.", own()->name);
        return NULL;
    }
    if (!key || strcmp(key, own()->guid) != 0) {
        refuse_instance(host, name, "The %s %s is not that of this %s, which is %s.", key_name,
                        key ? key : "(null)", own()->name, own()->guid);
        return NULL;
    }
    if (kind != KIND_EXCHANGE && kind != KIND_STEPPING) {
        refuse_instance(host, name, "%d is no kind of FMU.", (int)kind);
        return NULL;
    }
    const size_t name_length = strlen(name);
    const size_t size = offsetof(Instance, memory) + memory_size(kind);
    Instance *c = (Instance *)host->allocate(1, size + name_length + 1);
    if (!c) {
        refuse_instance(host, name, "There is no memory for an instance of %s.", own()->name);
        return NULL;
    }
    memset(c, 0, size);
    c->name = (char *)c + size;
    memcpy(c->name, name, name_length + 1);
    c->kind = kind;
    c->host = *host;
    c->logged = logging ? 1u << LOG_WARNING : 0;
    set_start_values(c);
    return c;
}

static void free_instance(Instance *c) {
    if (c) c->host.free(c);
}

static Status set_logging(Instance *c, int on, size_t count, const char *const categories[],
                          const char *function) {
    if (!c) return STATUS_ERROR;
    unsigned chosen = count == 0 ? 1u << LOG_ALL : 0;
    if (count > 0 && need(c, categories, function) != STATUS_OK) return STATUS_ERROR;
    for (size_t i = 0; i < count; i++) {
        int category = 0;
        while (category < LOG_CATEGORIES &&
               (!categories[i] || strcmp(categories[i], category_names[category]) != 0))
            category++;
        if (category == LOG_CATEGORIES)
            return refuse(c, STATUS_ERROR, "There is no log category %s.",
                          categories[i] ? categories[i] : "(null)");
        chosen |= 1u << category;
    }
    if (chosen & 1u << LOG_WARNING) chosen |= 1u << LOG_TOLERATED;
    c->logged = on ? chosen : 0;
    return STATUS_OK;
}

static Status set_up_experiment(Instance *c, int has_tolerance, double tolerance, double start,
                                int has_stop, double stop, const char *function) {
    const Status status = allow(c, INSTANTIATED, function);
    if (status != STATUS_OK) return status;
    if (!isfinite(start)) return refuse(c, STATUS_ERROR, "The start time %g is not finite.", start);
    if (has_tolerance && !(tolerance >= 0 && isfinite(tolerance)))
        return refuse(c, STATUS_ERROR, "The tolerance %g must be greater than 0.", tolerance);
    if (has_stop && !(stop >= start))
        return refuse(c, STATUS_ERROR, "The stop time %g lies before the start time %g.", stop,
                      start);
    if (has_tolerance && tolerance > 0)
        c->memory.kept.tolerance = fmax(tolerance, ROUNDING);
    else if (has_tolerance)
        log_tolerated(c, TOLERATED_TOLERANCE, "A tolerance of 0 is taken as %s.", "not given");
    c->memory.state.time = start;
    return STATUS_OK;
}

static Status enter_initialization(Instance *c, const char *function) {
    const Status status = allow(c, INSTANTIATED, function);
    if (status != STATUS_OK) return status;
    c->memory.kept.phase = INITIALIZATION_MODE;
    return STATUS_OK;
}

static Status exit_initialization(Instance *c, const char *function) {
    Status status = allow(c, INITIALIZATION_MODE, function);
    if (status == STATUS_OK) status = check_parameters(c);
    if (status != STATUS_OK) return status;
    update_start(&c->memory);
    update_nominals(&c->memory);
    c->memory.kept.phase = c->kind == KIND_EXCHANGE || c->uses_events ? EVENT_MODE : STEP_COMPLETE;
    return STATUS_OK;
}

/* Ends the run. An importer that gives up after a refused call may end a run that has not begun;
 * the reason has been logged already. */
static Status end_run(Instance *c, const char *function) {
    if (c && c->refused && c->memory.kept.phase & BEFORE_START) return STATUS_ERROR;
    const Status status = allow(c, RUNNING, function);
    if (status != STATUS_OK) return status;
    c->memory.kept.phase = TERMINATED;
    return STATUS_OK;
}

static Status reset(Instance *c) {
    if (!c) return STATUS_ERROR;
    set_start_values(c);
    c->last_step = STATUS_OK;
    c->warned = 0;
    c->refused = 0;
    return STATUS_OK;
}
