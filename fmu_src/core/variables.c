/* Getting and setting variables. A call that is refused in part changes nothing. */

COLD static Status unknown_reference(Instance *c, Reference reference, const char *type) {
    return refuse(c, STATUS_ERROR, "There is no %s variable with value reference %u.", type,
                  reference);
}

static Status allow_arrays(Instance *c, int phases, const void *references, const void *values,
                           size_t count, const char *function) {
    const Status status = allow(c, phases, function);
    if (status != STATUS_OK || count == 0) return status;
    return references && values ? STATUS_OK : need(c, NULL, function);
}

/* Copies Reals that are up to date. */
static Status copy_reals(Instance *c, const Reference vr[], size_t nvr, double value[]) {
    for (size_t i = 0; i < nvr; i++) {
        if (vr[i] >= N_REALS) return unknown_reference(c, vr[i], "Real");
        value[i] = *real_place(&c->memory.reals, vr[i]);
    }
    return STATUS_OK;
}

/* Gets Reals, after an evaluation if any of them needs one. */
NOINLINE static Status evaluate_reals(Instance *c, const Reference vr[], size_t nvr,
                                      double value[]) {
    for (size_t i = 0; i < nvr && c->memory.state.stale; i++) {
        if (is_state(vr[i])) update_start(&c->memory);
        const Status status = is_unknown_quantity(vr[i]) ? bring_up_to_date(c)
                              : is_state(vr[i])          ? check_effect(c)
                                                         : STATUS_OK;
        if (status != STATUS_OK) return status;
    }
    return copy_reals(c, vr, nvr, value);
}

static INLINED Status get_reals(Instance *c, const Reference vr[], size_t nvr, double value[],
                                const char *function) {
    const Status status = allow_arrays(c, ANY_PHASE, vr, value, nvr, function);
    if (status != STATUS_OK) return status;
    return c->memory.state.stale ? evaluate_reals(c, vr, nvr, value)
                                 : copy_reals(c, vr, nvr, value);
}

/* Allows parameters at any time, even where they are declared as fixed: OpenModelica sets them in
 * event mode, an optimizer evaluates one point with many of them, and a person may tune them. Only
 * initial values and options have no effect any more once the run has started. */
static Status allow_parameter(Instance *c, const char *name, int only_at_start) {
    if (c->memory.kept.phase & BEFORE_START) return STATUS_OK;
    if (only_at_start && c->memory.state.started)
        return refuse(c, STATUS_ERROR,
                      "%s takes effect only at the start of a run and cannot be changed during it.",
                      name);
    if (c->tunable && !only_at_start) return STATUS_OK;
    log_tolerated(c, TOLERATED_PARAMETER,
                  "The fixed parameter %s was set after initialization; the new value is used.",
                  name);
    return STATUS_OK;
}

/* Whether a state may be set like a variable: some importers set states one by one. */
static int allow_state(Instance *c, Reference reference, const char *function) {
    if (!is_state(reference) || c->kind != KIND_EXCHANGE) return 0;
    if (!(c->memory.kept.phase & MODEL_EXCHANGE)) return 0;
    if (is_logged(c, LOG_TOLERATED))
        warn(c, TOLERATED_STATE, "The state %s was set by %s; the new value is used.",
             real_names[reference], function);
    return 1;
}

static Status allow_real(Instance *c, Reference reference, double value, const char *function) {
    if (is_input(reference) && isfinite(value)) return STATUS_OK;
    if (reference >= N_REALS) return unknown_reference(c, reference, "Real");
    const char *name = real_names[reference];
    if (!isfinite(value))
        return refuse(c, STATUS_DISCARD, "%s must be finite, not %g.", name, value);
    if (allow_state(c, reference, function)) return STATUS_OK;
    if (!is_parameter(reference))
        return refuse(c, STATUS_ERROR, "%s is computed by the model and cannot be set.", name);
    if (value == *real_place(&c->memory.reals, reference)) return STATUS_OK;
    return allow_parameter(c, name, is_initial_value(reference));
}

/* Handles a changed parameter. States that the importer has set stay, unless their own start value
 * has changed. */
static void parameter_changed(Memory *k, int start_changed) {
    k->kept.unchecked = 1;
    if (k->kept.phase & BEFORE_START || k->state.started) return;
    if (start_changed || !k->kept.states_given) initialize_states(k);
}

/* Stores the current time as that of the inputs, in model exchange. */
static void store_input_time(Memory *k) {
    if (k->state.time == k->kept.t_set) return;
    if (k->state.time > k->kept.t_sampled) {
        k->kept.t_base = k->kept.t_sampled;
        k->kept.u_base = k->kept.u_sampled;
    }
    k->kept.t_set = k->state.time;
}

/* Sets consecutive inputs. In co-simulation they have only the rates that were set for the next
 * step. */
static INLINED void set_inputs(Memory *k, Reference first, Reference count, const double value[]) {
    if (!k->kept.co_simulates) store_input_time(k);
    for (Reference i = first; i < first + count && k->kept.co_simulates; i++)
        if (!(k->state.new_rates & 1 << i)) input_places(&k->kept.u_rate)[i] = 0;
    memcpy(input_places(&k->reals.u) + first, value, count * sizeof *value);
    for (Reference i = first; i < first + count; i++) mark_load_set(k, i);
}

/* Sets any Reals, after checking all of them. */
NOINLINE static Status set_any_reals(Instance *c, const Reference vr[], size_t nvr,
                                     const double value[], const char *function) {
    Memory *k = &c->memory;
    int changed = 0, start_changed = 0;
    for (size_t i = 0; i < nvr; i++) {
        const Status status = allow_real(c, vr[i], value[i], function);
        if (status != STATUS_OK) return status;
    }
    for (size_t i = 0; i < nvr; i++) {
        double *place = real_place(&k->reals, vr[i]);
        if (is_input(vr[i])) {
            set_inputs(k, vr[i] - FIRST_INPUT, 1, &value[i]);
        } else if (is_state(vr[i])) {
            *place = value[i];
            k->kept.states_given = 1;
        } else {
            if (*place != value[i]) changed = 1;
            if (*place != value[i] && is_initial_value(vr[i])) start_changed = 1;
            *place = value[i];
        }
    }
    k->state.stale = 1;
    if (changed) parameter_changed(k, start_changed);
    return STATUS_OK;
}

static INLINED Status set_reals(Instance *c, const Reference vr[], size_t nvr, const double value[],
                                const char *function) {
    const Status status = allow_arrays(c, ANY_PHASE & ~TERMINATED, vr, value, nvr, function);
    if (status != STATUS_OK) return status;
    if (!are_all_inputs(vr, nvr) || !all_finite(value, N_INPUTS))
        return set_any_reals(c, vr, nvr, value, function);
    set_inputs(&c->memory, 0, N_INPUTS, value);
    c->memory.state.stale = 1;
    return STATUS_OK;
}

static int *integer_place(Modes *modes, Reference reference) {
    int *first = mode_places(modes);
    return reference < FIRST_OPTION ? first + mode_output[reference - FIRST_MODE_OUTPUT]
                                    : first + OPTION_PLACE + (reference - FIRST_OPTION);
}

static Status get_integers(Instance *c, const Reference vr[], size_t nvr, int value[],
                           const char *function) {
    const Status status = allow_arrays(c, ANY_PHASE, vr, value, nvr, function);
    if (status != STATUS_OK) return status;
    update_start(&c->memory);
    Present now = present(&c->memory);
    for (size_t i = 0; i < nvr; i++) {
        if (!is_integer(vr[i])) return unknown_reference(c, vr[i], "Integer");
        value[i] = *integer_place(&now.modes, vr[i]);
    }
    return STATUS_OK;
}

static Status allow_option(Instance *c, Reference reference, int value) {
    const Reference option = reference - FIRST_OPTION;
    if (!is_integer(reference)) return unknown_reference(c, reference, "Integer");
    if (reference < FIRST_OPTION)
        return refuse(c, STATUS_ERROR, "A mode is determined by the model and cannot be set.");
    if (value < 1 || value > option_largest[option])
        return refuse(c, STATUS_ERROR, "%s = %d must lie between 1 and %d.", option_names[option],
                      value, option_largest[option]);
    if (value == *integer_place(&c->memory.state.modes, reference)) return STATUS_OK;
    return allow_parameter(c, option_names[option], 1);
}

static Status set_integers(Instance *c, const Reference vr[], size_t nvr, const int value[],
                           const char *function) {
    Status status = allow_arrays(c, ANY_PHASE & ~TERMINATED, vr, value, nvr, function);
    for (size_t i = 0; i < nvr && status == STATUS_OK; i++)
        status = allow_option(c, vr[i], value[i]);
    if (status != STATUS_OK || nvr == 0) return status;
    for (size_t i = 0; i < nvr; i++) *integer_place(&c->memory.state.modes, vr[i]) = value[i];
    c->memory.state.stale = 1;
    parameter_changed(&c->memory, 0);
    return STATUS_OK;
}

/* Refuses variables of a type that has none. */
static Status allow_nothing(Instance *c, const Reference vr[], size_t nvr, const char *type) {
    if (!c) return STATUS_ERROR;
    if (nvr == 0) return STATUS_OK;
    return vr ? unknown_reference(c, vr[0], type) : need(c, NULL, "A function for variables");
}
