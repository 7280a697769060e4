/* Maps value references to variables. */

enum {
    FIRST_INPUT = N_PARAMETERS,
    FIRST_STATE = FIRST_INPUT + N_INPUTS,
    FIRST_DERIVATIVE = FIRST_STATE + N_STATES,
    FIRST_OUTPUT = FIRST_DERIVATIVE + N_STATES,
    FIRST_MODE_OUTPUT = N_REALS,
    FIRST_OPTION = N_REALS + N_MODE_OUTPUTS,
    N_INTEGERS = N_MODE_OUTPUTS + N_OPTIONS,
    OPTION_PLACE = N_MODES, /* options come after the modes */
    STATELESS_GAP =
        N_STATES > 0 ? 0 : 2 /* a model without states has two unused places before its outputs */
};

/* Reads the table in place, through a volatile pointer, so that no value of it is compiled into the
 * code. */
static const Defaults *own(void) {
    const Defaults *volatile place = &own_defaults;
    return place;
}

typedef char
    reals_are_contiguous[sizeof(Reals) == (N_REALS + STATELESS_GAP) * sizeof(double) ? 1 : -1];

static double *real_place(Reals *reals, Reference reference) {
    const Reference gap = reference < FIRST_STATE ? 0 : STATELESS_GAP;
    return (double *)reals + reference + gap;
}

static int lies_in(Reference reference, Reference first, Reference end) {
    return reference >= first && reference < end;
}
static int is_parameter(Reference reference) {
    return lies_in(reference, 0, FIRST_INPUT);
}
static int is_initial_value(Reference reference) {
    return lies_in(reference, FIRST_INPUT - N_STATES, FIRST_INPUT);
}
static int is_input(Reference reference) {
    return lies_in(reference, FIRST_INPUT, FIRST_STATE);
}
/* Whether these are all inputs in their order, as most importers set them. */
static int are_all_inputs(const Reference *references, size_t count) {
    if (count != N_INPUTS) return 0;
    for (Reference i = 0; i < N_INPUTS; i++)
        if (references[i] != FIRST_INPUT + i) return 0;
    return 1;
}
static int is_state(Reference reference) {
    return lies_in(reference, FIRST_STATE, FIRST_DERIVATIVE);
}
static int is_unknown_quantity(Reference reference) {
    return lies_in(reference, FIRST_DERIVATIVE, N_REALS);
}
static int is_integer(Reference reference) {
    return lies_in(reference, N_REALS, N_REALS + N_INTEGERS);
}
