/* Arrays: a vector is one variable, with the reference of its first element; its other elements
 * have the next references. In 3.0 time and event indicators have references, too. */

enum {
    TIME_REFERENCE = N_REALS + N_INTEGERS,
    FIRST_INDICATOR = TIME_REFERENCE + 1,
    N_REFERENCES = FIRST_INDICATOR + N_INDICATORS,
    MOST_ELEMENTS = 255 /* of an array */
};

/* Number of elements of a variable; 0 where there is none with this reference from `first` to
 * `end`. */
static size_t elements_of(Reference reference, Reference first, Reference end) {
    if (!lies_in(reference, first, end)) return 0;
    return reference < TIME_REFERENCE ? array_sizes[reference] : 1;
}

/* Checks that variables of a type, with references from `first` to `end`, have as many elements as
 * there are values. */
static Status match_values(Instance *c, const Reference vr[], size_t nvr, size_t count,
                           Reference first, Reference end, const char *type, const char *function) {
    size_t elements = 0;
    for (size_t i = 0; i < nvr; i++) {
        const size_t of_this = elements_of(vr[i], first, end);
        if (of_this == 0) return unknown_reference(c, vr[i], type);
        elements += of_this;
    }
    if (elements == count) return STATUS_OK;
    return refuse(c, STATUS_ERROR, "%s was given %u values, the variables have %u.", function,
                  (unsigned)count, (unsigned)elements);
}

/* Lists the references of the elements of a variable. */
static void list_elements(Reference reference, size_t count, Reference elements[]) {
    for (size_t i = 0; i < count; i++) elements[i] = reference + (Reference)i;
}

/* Whether all are scalar Reals, as nearly always: their references are those of the core. */
static int are_scalars(const Reference vr[], size_t nvr, size_t count) {
    if (nvr != count) return 0;
    for (size_t i = 0; i < nvr; i++)
        if (vr[i] >= N_REALS || array_sizes[vr[i]] != 1) return 0;
    return 1;
}

static Status get_indicator(Instance *c, Reference reference, double *value) {
    double values[INDICATOR_ROOM] = {0};
    Inputs u;
    const Status status = read_indicators(c, &u, values);
    if (status == STATUS_OK) *value = values[reference - FIRST_INDICATOR];
    return status;
}

/* Gets one variable with all its elements. */
static Status get_elements(Instance *c, Reference reference, size_t count, double values[],
                           const char *function) {
    Reference elements[MOST_ELEMENTS];
    if (reference >= FIRST_INDICATOR) return get_indicator(c, reference, values);
    if (reference == TIME_REFERENCE) {
        values[0] = c->memory.state.time;
        return STATUS_OK;
    }
    list_elements(reference, count, elements);
    return get_reals(c, elements, count, values, function);
}

/* Checks references of Float64 up to `end`: Reals, time and indicators. */
static Status match_float64(Instance *c, const Reference vr[], size_t nvr, size_t count,
                            Reference end, const char *function) {
    for (size_t i = 0; i < nvr; i++)
        if (is_integer(vr[i])) return unknown_reference(c, vr[i], "Float64");
    return match_values(c, vr, nvr, count, 0, end, "Float64", function);
}

static Status get_float64(Instance *c, const Reference vr[], size_t nvr, double values[],
                          size_t count, const char *function) {
    Status status = allow_arrays(c, ANY_PHASE, vr, values, nvr, function);
    if (status != STATUS_OK) return status;
    if (are_scalars(vr, nvr, count)) return get_reals(c, vr, nvr, values, function);
    status = match_float64(c, vr, nvr, count, N_REFERENCES, function);
    for (size_t i = 0, at = 0; i < nvr && status == STATUS_OK; i++) {
        const size_t of_this = elements_of(vr[i], 0, N_REFERENCES);
        status = get_elements(c, vr[i], of_this, values + at, function);
        at += of_this;
    }
    return status;
}

/* Lists the references of all elements of variables up to `end`: Reals and perhaps the time, each
 * no more than once, because there is room for one of each. */
static Status list_float64(Instance *c, const Reference vr[], size_t nvr, size_t count,
                           Reference end, Reference elements[], const char *function) {
    const Status status = match_float64(c, vr, nvr, count, end, function);
    const size_t room = N_REALS + (end > TIME_REFERENCE);
    if (status != STATUS_OK) return status;
    if (count > room)
        return refuse(c, STATUS_ERROR, "%s was given %u values, there are %u.", function,
                      (unsigned)count, (unsigned)room);
    for (size_t i = 0, at = 0; i < nvr; i++) {
        const size_t of_this = elements_of(vr[i], 0, end);
        list_elements(vr[i], of_this, elements + at);
        at += of_this;
    }
    return STATUS_OK;
}

static Status list_reals(Instance *c, const Reference vr[], size_t nvr, size_t count,
                         Reference elements[], const char *function) {
    return list_float64(c, vr, nvr, count, N_REALS, elements, function);
}

static Status set_float64(Instance *c, const Reference vr[], size_t nvr, const double values[],
                          size_t count, const char *function) {
    Reference elements[N_REALS];
    Status status = allow_arrays(c, ANY_PHASE & ~TERMINATED, vr, values, nvr, function);
    if (status != STATUS_OK) return status;
    if (are_scalars(vr, nvr, count)) return set_reals(c, vr, nvr, values, function);
    if (nvr == 1 && vr[0] == TIME_REFERENCE && count == 1)
        return refuse(c, STATUS_ERROR, "time is set by %s alone.",
                      c->kind == KIND_EXCHANGE ? "fmi3SetTime" : "fmi3DoStep");
    status = list_reals(c, vr, nvr, count, elements, function);
    return status == STATUS_OK ? set_reals(c, elements, count, values, function) : status;
}

/* Gets modes, which are enumerations and so Int64, one element at a time. Options are Int32, with
 * references of their own. */
static Status get_int64(Instance *c, const Reference vr[], size_t nvr, fmi3Int64 values[],
                        size_t count, const char *function) {
    Status status = allow_arrays(c, ANY_PHASE, vr, values, nvr, function);
    if (status == STATUS_OK)
        status =
            match_values(c, vr, nvr, count, FIRST_MODE_OUTPUT, FIRST_OPTION, "Int64", function);
    for (size_t i = 0, at = 0; i < nvr && status == STATUS_OK; i++) {
        for (Reference n = 0; n < array_sizes[vr[i]]; n++) {
            const Reference element = vr[i] + n;
            int value = 0;
            status = get_integers(c, &element, 1, &value, function);
            values[at++] = value;
        }
    }
    return status;
}

static Status match_options(Instance *c, int phases, const Reference vr[], const void *values,
                            size_t nvr, size_t count, const char *function) {
    const Status status = allow_arrays(c, phases, vr, values, nvr, function);
    if (status != STATUS_OK) return status;
    return match_values(c, vr, nvr, count, FIRST_OPTION, TIME_REFERENCE, "Int32", function);
}
