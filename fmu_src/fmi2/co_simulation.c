/* Co-simulation: the element takes itself over each communication step. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void set_rate(Memory *k, fmi2ValueReference reference, double value) {
    const fmi2ValueReference input = reference - FIRST_INPUT;
    input_places(&k->kept.u_rate)[input] = value;
    k->state.new_rates |= 1 << input;
    note_load(k, input);
}

/* Orders of derivatives, one for each input. */
static int are_first(const fmi2Integer *order) {
    for (int i = 0; i < N_INPUTS; i++)
        if (order[i] != 1) return 0;
    return 1;
}

/* Rates of any inputs, or values that may have to be refused. */
NOINLINE static fmi2Status set_rates(Instance *c, const fmi2ValueReference vr[], size_t nvr,
                                     const fmi2Integer order[], const fmi2Real value[]) {
    for (size_t i = 0; i < nvr; i++) {
        if (!is_input(vr[i]))
            return refuse(c, fmi2Error, "There is no input with value reference %u.", vr[i]);
        if (order[i] != 1)
            return refuse(c, fmi2Error, "Inputs take their first derivative, not order %d.",
                          order[i]);
        if (!isfinite(value[i]))
            return refuse(c, fmi2Discard, "The derivative of %s must be finite, not %g.",
                          real_names[vr[i]], value[i]);
    }
    for (size_t i = 0; i < nvr; i++) set_rate(&c->memory, vr[i], value[i]);
    return fmi2OK;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component component, const fmi2ValueReference vr[],
                                       size_t nvr, const fmi2Integer order[],
                                       const fmi2Real value[]) {
    Instance *c = (Instance *)component;
    const char *function = "fmi2SetRealInputDerivatives";
    fmi2Status status = allow_kind(c, fmi2CoSimulation, BEFORE_START | STEP_COMPLETE, function);
    if (status == fmi2OK) status = allow_arrays(c, ANY_PHASE, vr, value, nvr, function);
    if (status == fmi2OK && nvr > 0) status = need(c, order, function);
    if (status != fmi2OK) return status;
    if (!are_all_inputs(vr, nvr) || !are_first(order) || !all_finite(value, N_INPUTS))
        return set_rates(c, vr, nvr, order, value);
    for (fmi2ValueReference i = 0; i < N_INPUTS; i++)
        set_rate(&c->memory, FIRST_INPUT + i, value[i]);
    return fmi2OK;
}

/* Time derivatives of the outputs at the end of the last step. */
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component component, const fmi2ValueReference vr[],
                                        size_t nvr, const fmi2Integer order[], fmi2Real value[]) {
    Instance *c = (Instance *)component;
    const char *function = "fmi2GetRealOutputDerivatives";
    fmi2Status status = allow_kind(c, fmi2CoSimulation, STEP_COMPLETE | TERMINATED, function);
    if (status == fmi2OK) status = allow_arrays(c, ANY_PHASE, vr, value, nvr, function);
    if (status == fmi2OK && nvr > 0) status = need(c, order, function);
    if (status == fmi2OK) status = bring_up_to_date(c);
    if (status != fmi2OK) return status;
    Reals slopes;
    memset(&slopes, 0, sizeof slopes);
    slopes.x = c->memory.reals.dx;
    slopes.u = c->memory.kept.u_rate;
    /* a mean force has no slope */
    if (!is_coupled(&c->memory) && (status = follow_slopes(c, &slopes)) != fmi2OK) return status;
    for (size_t i = 0; i < nvr; i++) {
        if (vr[i] < FIRST_OUTPUT || vr[i] >= N_REALS)
            return refuse(c, fmi2Error, "There is no Real output with value reference %u.", vr[i]);
        if (order[i] != 1)
            return refuse(c, fmi2Error, "Outputs give their first derivative, not order %d.",
                          order[i]);
        value[i] = *real_place(&slopes, vr[i]);
    }
    return fmi2OK;
}

/* A master may round its communication points, but must not leave out a part of the run: neither at
 * once nor little by little. */
static fmi2Status check_step(Instance *c, double point, double length) {
    const double gap = point - c->memory.state.time, left_out = c->memory.stepping.left_out + gap;
    if (length >= 0 && length <= DBL_MAX && fabs(gap) <= DBL_MAX &&
        fabs(gap) <= 1e-9 * length + 1e-12 * fabs(point))
        return fmi2OK; /* nearly always */
    if (!isfinite(point) || !isfinite(length) || length < 0)
        return refuse(c, fmi2Error, "A step from %g s of length %g s cannot be made.", point,
                      length);
    if (fabs(gap) > 0.05 * length + 1e-12 * fabs(point))
        return refuse(c, fmi2Error, "The step starts at %.9g s, but the last one ended at %.9g s.",
                      point, c->memory.state.time);
    if (fabs(left_out) > 0.1 * length)
        return refuse(c, fmi2Error,
                      "The step starts at %.9g s; with it the steps leave out %.3g s of the run.",
                      point, left_out);
    tolerate(c, TOLERATED_GAP, "A step does not start where the last one ended: %s.",
             "the gap is not simulated");
    return fmi2OK;
}

/* The point at which a step starts; where nothing has changed since the last evaluation, it is
 * known. */
static Point start_of_step(const Instance *c, const Motion *motion) {
    const Memory *k = &c->memory;
    if (N_STATES == 0) {
        const Point point = {0, k->reals.x, k->state.modes, no_states, {{0}}};
        return point;
    }
#if LINEAR_STATES
    if (N_MODES == 0 && !k->state.stale && c->slopes_known) {
        Point point = {0, k->reals.x, k->state.modes, k->reals.dx, {{0}}};
        for (int i = 0; i < N_STATES; i++) point.J[i][i] = state_values(&c->slopes)[i];
        return point;
    }
#endif
    return point_at(motion, 0, &k->reals.x, &k->state.modes);
}

static int advance_alone(Instance *c, const Motion *motion, double length, int event) {
    Memory *k = &c->memory;
    if (event) settle_at(motion, 0, &k->reals.x, &k->state.modes);
    const Point from = start_of_step(c, motion);
    return advance_from(motion, &from, length, &k->reals.x, &k->state.modes,
                        &k->stepping.solver_step);
}

/* With the body, where the loop over it is closed or has been until now. */
NOINLINE static int advance_coupled(Instance *c, const Motion *motion, double length) {
#if HAS_COUPLING
    Memory *k = &c->memory;
    if (couples(k)) {
        /* nothing has moved, and the force that was given still acts */
        if (length == 0) return SOLVER_DONE;
        return couple(motion, length, &k->coupling, &k->reals.x, &k->state.modes);
    }
    /* it has been switched off and is forgotten */
    memset(&k->coupling, 0, sizeof k->coupling);
    memset(&k->reals.observed, 0, sizeof k->reals.observed);
#endif
    return advance_alone(c, motion, length, 1);
}

/* Tells which input its rate leads beyond all numbers. */
COLD static fmi2Status refuse_motion(Instance *c, const Inputs *end, double length) {
    int i = 0;
    while (isfinite(input_values(end)[i])) i++;
    return refuse(c, fmi2Discard, "%s is not finite at the end of a step of %g s.",
                  real_names[FIRST_INPUT + i], length);
}

/* What the solver tells of events goes to the log, in the time of the run. */
typedef struct {
    const Instance *instance;
    double begin;
} StepLog;

static void note_modes(void *log, double t, const Modes *before, const Modes *after) {
    const StepLog *step = (const StepLog *)log;
    log_mode_changes(step->instance, step->begin + t, before, after);
}

/* Tells the events of a step that has been made, by making it again: it repeats bit for bit. */
COLD static void log_events(const Instance *c, Motion motion, double point, double length,
                            const Memory *before, int event) {
    StepLog log = {c, point};
    States x = before->reals.x;
    Modes m = before->state.modes;
    double step = before->stepping.solver_step;
#if HAS_COUPLING
    if (couples(&c->memory)) { /* what was tried on the way to a common solution is no event */
        log_mode_changes(c, point + length, &m, &c->memory.state.modes);
        return;
    }
#endif
    motion.note = note_modes;
    motion.log = &log;
    if (event) settle_at(&motion, 0, &x, &m);
    const Point from = point_at(&motion, 0, &x, &m);
    advance_from(&motion, &from, length, &x, &m, &step);
}

/* Copies what a step may change, but for derivatives and outputs, which follow from it; what is
 * observed of a body and the coupling with it only where they are used. */
static void copy_state(Memory *to, const Memory *from, int with_coupling) {
    to->reals.u = from->reals.u;
    to->reals.x = from->reals.x;
    to->state = from->state;
    to->stepping = from->stepping;
#if HAS_COUPLING
    if (!with_coupling) return;
    to->reals.observed = from->reals.observed;
    to->coupling = from->coupling;
#else
    (void)with_coupling;
#endif
}

/* Puts everything back to where it was before a step that has failed. */
COLD static void take_back(Instance *c, const Memory *before, int with_coupling) {
    copy_state(&c->memory, before, with_coupling);
    forget_slopes(c);
    if (!c->memory.state.stale) renew(c, 0);
}

/* Whether a step may change what the coupling with the body remembers. */
static int may_couple(const Memory *k) {
#if HAS_COUPLING
    return couples(k) || k->coupling.steps > 0;
#else
    (void)k;
    return 0;
#endif
}

/* Takes the instance over a step; where that fails, everything is as before. */
static fmi2Status make_step(Instance *c, double point, double length) {
    Memory *k = &c->memory;
    Memory before; /* of which only what a step may change is filled in */
    const int with_coupling = may_couple(k), event = begins_with_event(k, &k->reals.u);
    copy_state(&before, k, with_coupling);
    Motion motion = {&k->reals.p, &before.reals.u, &k->kept.u_rate, k->kept.tolerance, 1, NULL,
                     NULL, length};
    for (int i = 0; i < N_INPUTS; i++)
        if (input_values(&k->kept.u_rate)[i] != 0) motion.held = 0;
    const Inputs end = inputs_at(&motion, length);
    if (!motion.held && !all_finite(input_values(&end), N_INPUTS))
        return refuse_motion(c, &end, length);
    const int unchecked = k->kept.unchecked;
    k->kept.unchecked = 0; /* it has been seen, and the rules are kept */
    begin_run(k);
    if (!couples(k)) warn_of_missing_load(c); /* else it is seen in the motion */
    warn_of_chattering(c, length);
    warn_of_rebound(c, length);
    pass_advice(c);
    const int outcome = with_coupling ? advance_coupled(c, &motion, length)
                                      : advance_alone(c, &motion, length, event);
    k->reals.u = end;
    apply_constraints(k);
    k->stepping.left_out += point - k->state.time;
    k->state.time = point + length;
    k->state.new_rates = 0;
    k->state.started = 1;
    /* without slopes where inputs are held: most hosts give others before the next step */
    const int goes_on = !motion.held && !with_coupling;
    const fmi2Status status = outcome == SOLVER_NOT_FINITE ? fmi2Discard : renew(c, goes_on);
    note_force(k);
    if (status != fmi2OK) {
        take_back(c, &before, with_coupling);
        k->kept.unchecked = unchecked;
    } else {
        pass_advice(c);
    }
    if (status == fmi2OK && N_MODES > 0 && is_logged(c, LOG_EVENTS))
        log_events(c, motion, point, length, &before, event);
    if (outcome == SOLVER_SKIPPED && status == fmi2OK)
        warn(c, WARNED_SWING,
             "A step takes more substeps than maximumSubsteps allows, as where the element "
             "oscillates: parts of it are left out. %s.",
             "Make steps shorter, or allow more");
    if (outcome == SOLVER_NOT_FINITE)
        return refuse(c, fmi2Discard,
                      "From %.9g s a step of %g s leads to states that are not finite.", point,
                      length);
    return status;
}

fmi2Status fmi2DoStep(fmi2Component component, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint) {
    Instance *c = (Instance *)component;
    (void)noSetFMUStatePriorToCurrentPoint;
    fmi2Status status = allow_kind(c, fmi2CoSimulation, STEP_COMPLETE, "fmi2DoStep");
    if (status == fmi2OK) status = check_step(c, currentCommunicationPoint, communicationStepSize);
    if (status == fmi2OK && c->memory.kept.unchecked) status = check_rules(c, &c->memory.reals.p);
    if (status == fmi2OK) status = check_point(c);
    if (status == fmi2OK) status = make_step(c, currentCommunicationPoint, communicationStepSize);
    if (c) c->last_step = status;
    return status;
}

fmi2Status fmi2CancelStep(fmi2Component component) {
    Instance *c = (Instance *)component;
    const fmi2Status status = allow_kind(c, fmi2CoSimulation, STEP_COMPLETE, "fmi2CancelStep");
    if (status != fmi2OK) return status;
    return refuse(c, fmi2Error,
                  "There is no step to cancel: fmi2DoStep returns when its step is done.");
}

static fmi2Status allow_status(Instance *c, const void *value, const char *function) {
    const fmi2Status status = allow_kind(c, fmi2CoSimulation, ANY_PHASE, function);
    return status == fmi2OK ? need(c, value, function) : status;
}

static fmi2Status no_such_status(Instance *c, fmi2StatusKind kind) {
    return refuse(c, fmi2Discard, "The status of kind %d is not available by this function.",
                  (int)kind);
}

fmi2Status fmi2GetStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Status *value) {
    Instance *c = (Instance *)component;
    const fmi2Status status = allow_status(c, value, "fmi2GetStatus");
    if (status != fmi2OK) return status;
    if (kind != fmi2DoStepStatus) return no_such_status(c, kind);
    *value = c->last_step;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component component, const fmi2StatusKind kind, fmi2Real *value) {
    Instance *c = (Instance *)component;
    const fmi2Status status = allow_status(c, value, "fmi2GetRealStatus");
    if (status != fmi2OK) return status;
    if (kind != fmi2LastSuccessfulTime) return no_such_status(c, kind);
    *value = c->memory.state.time;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component component, const fmi2StatusKind kind,
                                fmi2Integer *value) {
    Instance *c = (Instance *)component;
    const fmi2Status status = allow_status(c, value, "fmi2GetIntegerStatus");
    return status == fmi2OK ? no_such_status(c, kind) : status;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component component, const fmi2StatusKind kind,
                                fmi2Boolean *value) {
    Instance *c = (Instance *)component;
    const fmi2Status status = allow_status(c, value, "fmi2GetBooleanStatus");
    if (status != fmi2OK) return status;
    if (kind != fmi2Terminated) return no_such_status(c, kind);
    *value = fmi2False;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component component, const fmi2StatusKind kind,
                               fmi2String *value) {
    Instance *c = (Instance *)component;
    const fmi2Status status = allow_status(c, value, "fmi2GetStringStatus");
    if (status != fmi2OK) return status;
    if (kind != fmi2PendingStatus) return no_such_status(c, kind);
    *value = "";
    return fmi2OK;
}
