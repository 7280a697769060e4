/* Co-simulation: the element advances its own states by each communication step. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void set_rate(Memory *k, Reference reference, double value) {
    const Reference input = reference - FIRST_INPUT;
    input_places(&k->kept.u_rate)[input] = value;
    k->state.new_rates |= 1 << input;
    mark_load_set(k, input);
}

/* Whether all orders of derivatives, one for each input, are 1. */
static int are_first(const int *order) {
    for (int i = 0; i < N_INPUTS; i++)
        if (order[i] != 1) return 0;
    return 1;
}

/* Sets rates of any inputs, after checking all of them. */
NOINLINE static Status set_rates(Instance *c, const Reference vr[], size_t nvr, const int order[],
                                 const double value[]) {
    for (size_t i = 0; i < nvr; i++) {
        if (!is_input(vr[i]))
            return refuse(c, STATUS_ERROR, "There is no input with value reference %u.", vr[i]);
        if (order[i] != 1)
            return refuse(c, STATUS_ERROR, "Inputs take their first derivative, not order %d.",
                          order[i]);
        if (!isfinite(value[i]))
            return refuse(c, STATUS_DISCARD, "The derivative of %s must be finite, not %g.",
                          real_names[vr[i]], value[i]);
    }
    for (size_t i = 0; i < nvr; i++) set_rate(&c->memory, vr[i], value[i]);
    return STATUS_OK;
}

static INLINED Status set_input_rates(Instance *c, const Reference vr[], size_t nvr,
                                      const int order[], const double value[],
                                      const char *function) {
    Status status = allow_kind(c, KIND_STEPPING, BEFORE_START | STEP_COMPLETE, function);
    if (status == STATUS_OK) status = allow_arrays(c, ANY_PHASE, vr, value, nvr, function);
    if (status == STATUS_OK && nvr > 0) status = need(c, order, function);
    if (status != STATUS_OK) return status;
    if (!are_all_inputs(vr, nvr) || !are_first(order) || !all_finite(value, N_INPUTS))
        return set_rates(c, vr, nvr, order, value);
    for (Reference i = 0; i < N_INPUTS; i++) set_rate(&c->memory, FIRST_INPUT + i, value[i]);
    return STATUS_OK;
}

/* Gets time derivatives of the outputs at the end of the last step. */
static Status get_output_rates(Instance *c, const Reference vr[], size_t nvr, const int order[],
                               double value[], const char *function) {
    Status status = allow_kind(c, KIND_STEPPING, STEPPING | TERMINATED, function);
    if (status == STATUS_OK) status = allow_arrays(c, ANY_PHASE, vr, value, nvr, function);
    if (status == STATUS_OK && nvr > 0) status = need(c, order, function);
    if (status == STATUS_OK) status = bring_up_to_date(c);
    if (status != STATUS_OK) return status;
    Reals slopes;
    memset(&slopes, 0, sizeof slopes);
    slopes.x = c->memory.reals.dx;
    slopes.u = c->memory.kept.u_rate;
    /* a mean force has no slope */
    if (!is_coupled(&c->memory) && (status = propagate_slopes(c, &slopes)) != STATUS_OK)
        return status;
    for (size_t i = 0; i < nvr; i++) {
        if (vr[i] < FIRST_OUTPUT || vr[i] >= N_REALS)
            return refuse(c, STATUS_ERROR, "There is no Real output with value reference %u.",
                          vr[i]);
        if (order[i] != 1)
            return refuse(c, STATUS_ERROR, "Outputs give their first derivative, not order %d.",
                          order[i]);
        value[i] = *real_place(&slopes, vr[i]);
    }
    return STATUS_OK;
}

/* Checks the start of a step. A master may round its communication points, but must not skip a part
 * of the run, neither at once nor little by little. */
static Status check_step(Instance *c, double point, double length) {
    const double gap = point - c->memory.state.time, left_out = c->memory.stepping.left_out + gap;
    if (length >= 0 && length <= DBL_MAX && fabs(gap) <= DBL_MAX &&
        fabs(gap) <= 1e-9 * length + 1e-12 * fabs(point))
        return STATUS_OK; /* nearly always */
    if (!isfinite(point) || !isfinite(length) || length < 0)
        return refuse(c, STATUS_ERROR, "A step from %g s of length %g s cannot be made.", point,
                      length);
    if (fabs(gap) > 0.05 * length + 1e-12 * fabs(point))
        return refuse(c, STATUS_ERROR,
                      "The step starts at %.9g s, but the last one ended at %.9g s.", point,
                      c->memory.state.time);
    if (fabs(left_out) > 0.1 * length)
        return refuse(c, STATUS_ERROR,
                      "The step starts at %.9g s; with it the steps leave out %.3g s of the run.",
                      point, left_out);
    log_tolerated(c, TOLERATED_GAP, "A step does not start where the last one ended: %s.",
                  "the gap is not simulated");
    return STATUS_OK;
}

/* The point at which a step starts, which is known where nothing has changed since the last
 * evaluation. */
static Point start_of_step(const Instance *c, const Motion *motion, int event) {
    const Memory *k = &c->memory;
    if (N_STATES == 0) {
        const Point point = {0, k->reals.x, k->state.modes, no_states, {{0}}};
        return point;
    }
#if LINEAR_STATES
    if (!event && !k->state.stale && c->slopes_known) {
        Point point = {0, k->reals.x, k->state.modes, k->reals.dx, {{0}}};
        for (int i = 0; i < N_STATES; i++) point.J[i][i] = state_values(&c->slopes)[i];
        return point;
    }
#endif
    (void)event;
    return point_at(motion, 0, &k->reals.x, &k->state.modes);
}

static int advance_alone(Instance *c, const Motion *motion, double length, int event) {
    Memory *k = &c->memory;
    if (event && settle_at(motion, 0, &k->reals.x, &k->state.modes)) return SOLVER_DONE;
    Point from = start_of_step(c, motion, event);
    return advance_from(motion, &from, length, &k->reals.x, &k->state.modes,
                        &k->stepping.solver_step);
}

/* Advances law and body, where the loop over it is closed or has been until now. */
NOINLINE static int advance_coupled(Instance *c, const Motion *motion, double length) {
    Memory *k = &c->memory;
    Motion ahead = *motion;
    Inputs u = *motion->u_start;
    ahead.u_start = &u;
    /* nothing has moved, and the last force still acts */
    if (couples(k) && length == 0) return SOLVER_DONE;
#if HAS_APPROACH
    if (couples(k))
        predict_contact(motion->p, motion->u_start, parameter_values(motion->p)[COUPLED_MASS],
                        length, &k->stepping.prediction);
    else
        memset(&k->stepping.prediction, 0, sizeof k->stepping.prediction);
    apply_prediction(k, &u);
#endif
#if HAS_COUPLING
    if (couples(k))
        return advance_with_shadow(&ahead, length, &k->shadow, &k->reals.x, &k->state.modes);
    /* it has been switched off */
    memset(&k->shadow, 0, sizeof k->shadow);
#endif
    return advance_alone(c, &ahead, length, 1);
}

/* Names the input that overflows by its rate. */
COLD static Status refuse_motion(Instance *c, const Inputs *end, double length) {
    int i = 0;
    while (isfinite(input_values(end)[i])) i++;
    return refuse(c, STATUS_DISCARD, "%s is not finite at the end of a step of %g s.",
                  real_names[FIRST_INPUT + i], length);
}

/* Logs the events that the solver reports, in the time of the run. */
typedef struct {
    const Instance *instance;
    double begin;
} StepLog;

static int log_modes(void *log, double t, const Modes *before, const Modes *after) {
    const StepLog *step = (const StepLog *)log;
    log_mode_changes(step->instance, step->begin + t, before, after);
    return 0;
}

/* The event at which a step ends: one that advances the time of the run, or one at its start. */
typedef struct {
    StepLog log;
    double length; /* of the step until there */
    int met;
} Stop;

static int stop_at_event(void *log, double t, const Modes *before, const Modes *after) {
    Stop *stop = (Stop *)log;
    if (t > 0 && !(stop->log.begin + t > stop->log.begin)) return 0;
    stop->length = t;
    stop->met = 1;
    if (is_logged(stop->log.instance, LOG_EVENTS)) log_modes(log, t, before, after);
    return 1;
}

/* Logs the events of a step by repeating it, which it does bit for bit. */
COLD static void log_events(const Instance *c, Motion motion, double point, double length,
                            const Memory *before, int event) {
    StepLog log = {c, point};
    States x = before->reals.x;
    Modes m = before->state.modes;
    double step = before->stepping.solver_step;
#if HAS_COUPLING
    if (couples(&c->memory)) { /* only the common solution counts */
        log_mode_changes(c, point + length, &m, &c->memory.state.modes);
        return;
    }
#endif
    motion.on_event = log_modes;
    motion.log = &log;
    if (event) settle_at(&motion, 0, &x, &m);
    Point from = point_at(&motion, 0, &x, &m);
    advance_from(&motion, &from, length, &x, &m, &step);
}

/* Copies what a step may change, except derivatives and outputs, which follow from it; the observed
 * body and the shadow only where they are used. */
static void copy_state(Memory *to, const Memory *from, int with_coupling) {
    to->reals.u = from->reals.u;
    to->reals.x = from->reals.x;
    to->state = from->state;
    to->stepping = from->stepping;
#if HAS_COUPLING
    if (!with_coupling) return;
    to->reals.observed = from->reals.observed;
    to->shadow = from->shadow;
#else
    (void)with_coupling;
#endif
}

/* Restores everything after a step that has failed. */
COLD static void roll_back(Instance *c, const Memory *before, int with_coupling) {
    copy_state(&c->memory, before, with_coupling);
    forget_slopes(c);
    if (!c->memory.state.stale) reevaluate(c, 0);
}

/* Whether a step may change the shadow. */
static int may_couple(const Memory *k) {
#if HAS_COUPLING
    return couples(k) || k->shadow.h > 0;
#else
    return couples(k);
#endif
}

/* Shortens the last step in the histories of chatter and rebound. */
static void shorten_last_step(Memory *k, double length) {
#if HAS_COUPLING
    k->stepping.chatter.length = length;
#endif
#if HAS_APPROACH
    k->stepping.rebound.length = length;
#endif
    (void)k;
    (void)length;
}

/* Makes a step; if it fails, everything is as before. */
static Status make_step(Instance *c, double point, double length) {
    Memory *k = &c->memory;
    Memory before; /* only what a step may change is set */
    const int with_coupling = may_couple(k), event = begins_with_event(k, &k->reals.u);
    copy_state(&before, k, with_coupling);
    const int held = are_held(&k->kept.u_rate);
    Motion motion = {
        &k->reals.p, &before.reals.u, &k->kept.u_rate, k->kept.tolerance, held, NULL, NULL, length,
        NULL};
    Inputs end = inputs_at(&motion, length);
    if (!motion.held && !all_finite(input_values(&end), N_INPUTS))
        return refuse_motion(c, &end, length);
    const int unchecked = k->kept.unchecked;
    k->kept.unchecked = 0; /* the parameters have been checked */
    reset_input_history(k);
    if (!couples(k)) warn_of_missing_load(c); /* else it is observed */
    warn_of_chattering(c, length);
    warn_of_rebound(c, length);
    log_advice(c);
    Stop stop = {{c, point}, length, 0};
    if (c->stops_early && !with_coupling) {
        motion.on_event = stop_at_event;
        motion.log = &stop;
    }
    const int outcome = with_coupling ? advance_coupled(c, &motion, length)
                                      : advance_alone(c, &motion, length, event);
    if (c->uses_events) {
        c->event = stop.met || memcmp(&before.state.modes, &k->state.modes, sizeof(Modes)) != 0;
        if (stop.met) {
            length = stop.length;
            end = inputs_at(&motion, length);
            shorten_last_step(k, length);
        }
    }
    k->reals.u = end;
    apply_constraints(k);
    k->stepping.left_out += point - k->state.time;
    k->state.time = point + length;
    k->state.new_rates = 0;
    k->state.started = 1;
    /* without slopes where inputs are held: most hosts set others before the next step */
    const int with_slopes = !motion.held && !with_coupling;
    const Status status =
        outcome == SOLVER_NOT_FINITE ? STATUS_DISCARD : reevaluate(c, with_slopes);
    record_force(k);
    if (status != STATUS_OK) {
        roll_back(c, &before, with_coupling);
        k->kept.unchecked = unchecked;
    } else {
        log_advice(c);
    }
    if (status == STATUS_OK && N_MODES > 0 && !stop.met && is_logged(c, LOG_EVENTS))
        log_events(c, motion, point, length, &before, event);
    if (outcome == SOLVER_SKIPPED && status == STATUS_OK)
        warn(c, WARNED_SWING,
             "A step needs more substeps than maximumSubsteps allows, as where the element "
             "oscillates: its remainder is solved coarsely, or parts of it are skipped. %s.",
             "Make steps shorter, or allow more");
    if (outcome == SOLVER_NOT_FINITE)
        return refuse(c, STATUS_DISCARD,
                      "From %.9g s a step of %g s leads to states that are not finite.", point,
                      length);
    return status;
}

static Status enter_step_mode(Instance *c, const char *function) {
    Status status = allow_kind(c, KIND_STEPPING, EVENT_MODE, function);
    if (status == STATUS_OK) status = check_parameters(c);
    if (status == STATUS_OK) c->memory.kept.phase = STEP_COMPLETE;
    return status;
}

static Status do_step(Instance *c, double point, double length, const char *function) {
    Status status = allow_kind(c, KIND_STEPPING, STEP_COMPLETE, function);
    if (status == STATUS_OK) status = check_step(c, point, length);
    if (status == STATUS_OK && c->memory.kept.unchecked)
        status = check_rules(c, &c->memory.reals.p);
    if (status == STATUS_OK) status = check_point(c);
    if (status == STATUS_OK) status = make_step(c, point, length);
    if (c) c->last_step = status;
    return status;
}
