/* Between the FMI functions and the model: where a value reference lies, when the model is evaluated, and whether its
 * parameters keep their rules. */
#include <math.h>
#include <string.h>

enum {
    FIRST_INPUT = N_PARAMETERS,
    FIRST_STATE = FIRST_INPUT + N_INPUTS,
    FIRST_DERIVATIVE = FIRST_STATE + N_STATES,
    FIRST_OUTPUT = FIRST_DERIVATIVE + N_STATES,
    FIRST_MODE_OUTPUT = N_REALS,
    FIRST_OPTION = N_REALS + N_MODE_OUTPUTS,
    N_INTEGERS = N_MODE_OUTPUTS + N_OPTIONS,
    OPTION_PLACE = N_MODES,              /* options lie behind the modes */
    STATELESS_GAP = N_STATES > 0 ? 0 : 2 /* a model without states has two unused places before its outputs */
};

/* The table is read where it lies: through a pointer that the compiler cannot foresee, so that no value of it is built into the code. */
static const Defaults *own(void) {
    const Defaults *volatile place = &own_defaults;
    return place;
}

typedef char reals_are_contiguous[sizeof(Reals) == (N_REALS + STATELESS_GAP) * sizeof(double) ? 1 : -1];

static double *real_place(Reals *reals, fmi2ValueReference reference) {
    const fmi2ValueReference gap = reference < FIRST_STATE ? 0 : STATELESS_GAP;
    return (double *)reals + reference + gap;
}

static int lies_in(fmi2ValueReference reference, fmi2ValueReference first, fmi2ValueReference end) {
    return reference >= first && reference < end;
}
static int is_parameter(fmi2ValueReference reference) {
    return lies_in(reference, 0, FIRST_INPUT);
}
static int is_initial_value(fmi2ValueReference reference) {
    return lies_in(reference, FIRST_INPUT - N_STATES, FIRST_INPUT);
}
static int is_input(fmi2ValueReference reference) {
    return lies_in(reference, FIRST_INPUT, FIRST_STATE);
}
static int is_state(fmi2ValueReference reference) {
    return lies_in(reference, FIRST_STATE, FIRST_DERIVATIVE);
}
static int is_unknown_quantity(fmi2ValueReference reference) {
    return lies_in(reference, FIRST_DERIVATIVE, N_REALS);
}
static int is_integer(fmi2ValueReference reference) {
    return lies_in(reference, N_REALS, N_REALS + N_INTEGERS);
}

/* Tells each mode that has changed. */
SELDOM static void tell_modes(const Instance *c, double time, const Modes *before, const Modes *after) {
    for (int i = 0; i < N_MODES; i++) {
        const int a = ((const int *)before)[i], b = ((const int *)after)[i], first = mode_first_item[i];
        if (a != b && a > 0)
            tell(c, fmi2OK, LOG_EVENTS, "At time %.12g %s goes from %s to %s.", time, mode_names[i],
                 mode_items[first + a - 1], mode_items[first + b - 1]);
    }
}

static int all_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

/* States and modes as they are at the start, from the parameters and inputs of now. */
static void start_over(Memory *k) {
    const double *starts = (const double *)&k->reals.p + N_PARAMETERS - N_STATES;
    for (int i = 0; i < N_STATES; i++) ((double *)&k->reals.x)[i] = starts[i];
    for (int i = 0; i < N_MODES; i++) ((int *)&k->modes)[i] = 0;
#if HAS_INITIALIZE
    initialize(&k->reals.p, &k->reals.u, &k->reals.x);
#endif
    settle_modes(&k->reals.p, &k->reals.u, &k->reals.x, &k->modes);
    k->stale = 1;
}

/* Before the start a changed parameter or input moves the initial states and modes too. */
static void follow_start(Memory *k) {
    if (k->phase & BEFORE_START && k->stale) start_over(k);
}

/* Until the run has started, the inputs have no past. */
static void begin_run(Memory *k) {
    if (!k->started) k->u_last = k->reals.u;
}

/* Leads the states back to where the law keeps them, after what the inputs have done since the last time; 1: they have changed. */
static int lead_back(Memory *k) {
    int changed = 0;
#if HAS_CONSTRAIN
    const States before = k->reals.x;
    constrain(&k->reals.p, &k->u_last, &k->reals.u, &k->reals.x);
    for (int i = 0; i < N_STATES; i++)
        if (((const double *)&before)[i] != ((const double *)&k->reals.x)[i]) changed = 1;
#endif
    k->u_last = k->reals.u;
    return changed;
}

static int keeps_rule(double value, int relation, double bound) {
    switch (relation) {
        case RULE_AT_LEAST: return value >= bound;
        case RULE_ABOVE: return value > bound;
        case RULE_AT_MOST: return value <= bound;
        default: return value < bound;
    }
}

/* The rules that all parameters have to keep; tells the first that is broken. */
static fmi2Status check_rules(Instance *c, const Parameters *parameters) {
    static const char *const words[] = {"at least", "greater than", "at most", "less than"};
    const double *p = (const double *)parameters;
    for (int i = 0; i < N_RULES; i++) {
        const Rule *rule = &rules[i];
        const double bound = rule->other < 0 ? rule->bound : p[rule->other];
        const double value = p[rule->parameter];
        if (keeps_rule(value, rule->relation, bound)) continue;
        if (rule->other < 0)
            return refuse(c, fmi2Error, "%s = %.9g must be %s %.9g.", real_names[rule->parameter], value,
                          words[rule->relation], bound);
        return refuse(c, fmi2Error, "%s = %.9g must be %s %s = %.9g.", real_names[rule->parameter], value,
                      words[rule->relation], real_names[rule->other], bound);
    }
#if HAS_CHECK
    const char *broken = check(parameters);
    if (broken) return refuse(c, fmi2Error, "%s", broken);
#endif
    return fmi2OK;
}

/* The rules, where parameters have changed since they were checked. */
static fmi2Status check_parameters(Instance *c) {
    if (!c->memory.unchecked) return fmi2OK;
    const fmi2Status status = check_rules(c, &c->memory.reals.p);
    if (status == fmi2OK) c->memory.unchecked = 0;
    return status;
}

/* In model exchange parameters take effect with the next evaluation, in event mode too: OpenModelica sets them there and reads
 * the states at once. Before the start and between co-simulation steps they may still be on their way, one after the other. */
static fmi2Status check_effect(Instance *c) {
    return c->memory.phase & (EVENT | CONTINUOUS) ? check_parameters(c) : fmi2OK;
}

/* Refuses what is not finite; where a parameter has broken its rule, that is why. */
SELDOM static fmi2Status refuse_result(Instance *c, const char *what) {
    const fmi2Status status = check_parameters(c);
    return status == fmi2OK ? refuse(c, fmi2Discard, "At time %g %s.", c->memory.time, what) : status;
}

/* Parameters and inputs under which the model has no meaning; it tells why. */
static fmi2Status check_point(Instance *c) {
    const fmi2Status status = check_effect(c);
    if (status != fmi2OK) return status;
#if HAS_CHECK_INPUTS
    const Reals *reals = &c->memory.reals; /* which are not changed here */
    const char *objection = check_inputs(&reals->p, &reals->u);
    if (objection) return refuse(c, fmi2Discard, "At time %g: %s", c->memory.time, objection);
#endif
    return fmi2OK;
}

/* Whether the loop over the body is to be closed inside. */
static int couples(const Memory *k) {
#if HAS_COUPLING
    return ((const double *)&k->reals.p)[COUPLED_MASS] > 0;
#else
    (void)k;
    return 0;
#endif
}

/* Remembers that the importer gives the load. */
static void note_load(Memory *k, fmi2ValueReference input) {
#if HAS_COUPLING
    if (COUPLED_LOAD >= 0 && (int)input == COUPLED_LOAD) k->load_set = 1;
#else
    (void)k;
    (void)input;
#endif
}

/* Says once that a run goes on without the load that stick has to hold. */
static void notice_load(Instance *c) {
#if HAS_COUPLING
    if (COUPLED_LOAD >= 0 && !c->memory.load_set)
        tolerate(c, TOLERATED_LOAD,
                 "%s has never been set: stick does not know the load that it has to hold, and the body creeps or "
                 "jitters.",
                 real_names[FIRST_INPUT + COUPLED_LOAD]);
#else
    (void)c;
#endif
}

/* Whether a step has been made in that way, which gives the force until the next one. */
static int is_coupled(const Memory *k) {
#if HAS_COUPLING
    return k->coupling.steps > 0 && couples(k);
#else
    (void)k;
    return 0;
#endif
}

/* The inputs of now. After a step with the body, as long as the host does not say otherwise, the velocity is the one expected at the end
 * of it: they are then put into the room. */
static const Inputs *present_inputs(const Memory *k, Inputs *room) {
    if (!is_coupled(k)) return &k->reals.u;
    *room = k->reals.u;
#if HAS_COUPLING
    Inputs before = k->coupling.seen.u;
    if (memcmp(velocity_of(room), velocity_of(&before), N_AXES * sizeof(double)) == 0)
        memcpy(velocity_of(room), k->coupling.seen.v_end, N_AXES * sizeof(double));
#endif
    return room;
}

/* Puts the force that a step with the body has given in place of that of the law. */
static void give_coupled(Memory *k, const Inputs *u) {
    if (!is_coupled(k)) return;
#if HAS_COUPLING
    const Seen *seen = &k->coupling.seen;
    deliver(seen, u, &k->reals.y);
    k->reals.observed.mass = seen->mass[k->coupling.late];
    for (int i = 0; i < N_AXES; i++) k->reals.observed.load[i] = seen->load[i] + given_load(&k->coupling, &seen->u, i);
#else
    (void)u;
#endif
}

/* States and modes under the inputs of now. Between co-simulation steps the event that new inputs make is not taken before
 * the step, because they may still be set anew; but what is read shows it. */
typedef struct {
    States x;
    Modes modes;
} Present;

static Present present(const Memory *k) {
    Present now = {k->reals.x, k->modes};
    if (N_MODES > 0 && k->phase == STEPPING) {
        Inputs room;
        settle_modes(&k->reals.p, present_inputs(k, &room), &now.x, &now.modes);
    }
    return now;
}

/* Derivatives and outputs of now. */
static fmi2Status bring_up_to_date(Instance *c) {
    Memory *k = &c->memory;
    if (!k->stale) return fmi2OK;
    const fmi2Status status = check_point(c);
    if (status != fmi2OK) return status;
    if (k->phase == CONTINUOUS) notice_load(c);
    follow_start(k);
    const Present now = present(k);
    Inputs room;
    const Inputs *u = present_inputs(k, &room);
    evaluate(&k->reals.p, u, &now.x, &now.modes, &k->reals.dx, &k->reals.y);
    give_coupled(k, u);
    if (!all_finite((const double *)&k->reals.y, N_OUTPUTS) || !all_finite((const double *)&k->reals.dx, N_STATES))
        return refuse_result(c, "the friction law overflows: inputs, states or parameters are too large");
    k->stale = 0;
    return fmi2OK;
}
