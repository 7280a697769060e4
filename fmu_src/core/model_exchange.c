/* Model exchange: the importer's solver determines time and states, the element returns
 * derivatives, indicators and modes. */
#include <float.h>
#include <math.h>
#include <string.h>

COLD static Status refuse_count(Instance *c, size_t count, size_t expected, const char *what,
                                const char *function) {
    return refuse(c, STATUS_ERROR, "%s was called for %u %s, there are %u.", function,
                  (unsigned)count, what, (unsigned)expected);
}

static inline Status allow_vector(Instance *c, int phases, const void *values, size_t count,
                                  size_t expected, const char *what, const char *function) {
    const Status status = allow_kind(c, KIND_EXCHANGE, phases, function);
    if (status != STATUS_OK) return status;
    if (count != expected) return refuse_count(c, count, expected, what, function);
    return count == 0 ? STATUS_OK : need(c, values, function);
}

/* Event mode belongs to model exchange, and to co-simulation where the host has asked for it. */
static Status allow_events(Instance *c, int phases, const char *function) {
    if (c && c->uses_events) return allow(c, phases, function);
    return allow_kind(c, KIND_EXCHANGE, phases, function);
}

static Status enter_event_mode(Instance *c, const char *function) {
    const Status status = allow_events(c, RUNNING, function);
    if (status != STATUS_OK) return status;
    c->memory.kept.phase = EVENT_MODE;
    return STATUS_OK;
}

/* Whether a detected crossing is ahead by no more than rounding. Late in a run the time has few
 * digits left: an importer that stops one rounding error before a crossing would find no change
 * there, continue and meet the same crossing again, forever. So the mode is then the one beyond the
 * crossing, and so are the indicators until its time is reached. */
static int is_just_before_crossing(const Memory *k) {
    return k->kept.t_crossing > k->state.time &&
           k->kept.t_crossing - k->state.time <= 16 * DBL_EPSILON * fabs(k->kept.t_crossing);
}

/* Returns the inputs for indicators and modes. A host that goes back from the time for which it has
 * set the inputs, to locate an event, and does not set them again would find every event at the
 * beginning of its step, with the inputs of the end. Between the two they are interpolated
 * linearly, from the last point at which indicators were read or an event was handled. */
static Inputs interpolated_inputs(const Memory *k) {
    Inputs u = k->reals.u;
    if (!(k->kept.t_base <= k->state.time && k->state.time < k->kept.t_set)) return u;
    const double part = (k->state.time - k->kept.t_base) / (k->kept.t_set - k->kept.t_base);
    for (int i = 0; i < N_INPUTS; i++) {
        const double from = input_values(&k->kept.u_base)[i], to = input_values(&k->reals.u)[i];
        input_places(&u)[i] = (1 - part) * from + part * to;
    }
    return u;
}

static void current_indicators(const Memory *k, const Inputs *u, double *values) {
    const int passed = k->kept.crossing == CROSSING_PASSED && is_just_before_crossing(k);
    indicators(&k->reals.p, passed ? &k->kept.u_crossing : u,
               passed ? &k->kept.x_crossing : &k->reals.x, &k->state.modes, values);
}

static int signs_of(const double *values) {
    int signs = 0;
    for (int i = 0; i < N_INDICATORS; i++) signs |= (values[i] > 0) << i;
    return signs;
}

/* Stores a point at which an indicator has a different sign than on entry to continuous-time
 * mode. */
static void store_crossing(Memory *k, const Inputs *u, const double *values) {
    if (k->kept.phase != CONTINUOUS_TIME_MODE || signs_of(values) == k->kept.signs) return;
    k->kept.crossing = CROSSING_DETECTED;
    k->kept.t_crossing = k->state.time;
    k->kept.u_crossing = *u;
    k->kept.x_crossing = k->reals.x;
}

/* Settles the modes at the current point, or at the crossing just ahead; returns 1 if a state was
 * reset. */
static int settle_event(Memory *k) {
    if (k->kept.crossing == CROSSING_NONE || !is_just_before_crossing(k)) {
        const Inputs u = interpolated_inputs(k);
        k->kept.crossing = CROSSING_NONE;
        return settle_modes(&k->reals.p, &u, &k->reals.x, &k->state.modes);
    }
    States x = k->kept.x_crossing;
    k->kept.crossing = CROSSING_PASSED;
    if (!settle_modes(&k->reals.p, &k->kept.u_crossing, &x, &k->state.modes)) return 0;
    for (int i = 0; i < N_STATES; i++) {
        const double after = state_values(&x)[i];
        if (after != state_values(&k->kept.x_crossing)[i]) state_places(&k->reals.x)[i] = after;
    }
    k->kept.x_crossing = x;
    return 1;
}

/* Whether an event has changed nominal values and states. */
typedef struct {
    int nominals, states;
} Changes;

/* Handles an event. The modes settle in one call, because some importers do not iterate. */
static Status handle_event(Instance *c, Changes *changes, const char *function) {
    Status status = allow_events(c, EVENT_MODE, function);
    if (status == STATUS_OK) status = need(c, changes, function);
    if (status == STATUS_OK) status = check_parameters(c);
    if (status != STATUS_OK) return status;
    Memory *k = &c->memory;
    const Modes before = k->state.modes;
    const int event = !k->kept.co_simulates || begins_with_event(k, &k->reals.u);
    reset_input_history(k);
    const int constrained = apply_constraints(k);
    changes->states = (event && settle_event(k)) || constrained;
    if (is_logged(c, LOG_EVENTS)) log_mode_changes(c, k->state.time, &before, &k->state.modes);
    k->state.stale = 1;
    changes->nominals = update_nominals(k);
    log_advice(c);
    return STATUS_OK;
}

static Status enter_continuous_time(Instance *c, const char *function) {
    Status status = allow_kind(c, KIND_EXCHANGE, EVENT_MODE, function);
    if (status == STATUS_OK) status = check_parameters(c);
    if (status != STATUS_OK) return status;
    double values[INDICATOR_ROOM];
    const Inputs u = interpolated_inputs(&c->memory);
    current_indicators(&c->memory, &u, values);
    c->memory.kept.signs = signs_of(values);
    c->memory.kept.t_sampled = c->memory.state.time;
    c->memory.kept.u_sampled = u;
    c->memory.kept.phase = CONTINUOUS_TIME_MODE;
    c->memory.state.started = 1;
    return STATUS_OK;
}

/* Changes nothing: importers call it at trial points and go back in time afterwards. */
static INLINED Status complete_step(Instance *c, const void *answers, const char *function) {
    Status status = allow_kind(c, KIND_EXCHANGE, MODEL_EXCHANGE, function);
    if (status == STATUS_OK) status = need(c, answers, function);
    if (status == STATUS_OK) log_advice(c);
    return status;
}

static INLINED Status set_time(Instance *c, double time, const char *function) {
    const Status status = allow_kind(c, KIND_EXCHANGE, MODEL_EXCHANGE, function);
    if (status != STATUS_OK) return status;
    if (!all_finite(&time, 1))
        return refuse(c, STATUS_DISCARD, "The time must be finite, not %g.", time);
    c->memory.state.time = time;
    return STATUS_OK;
}

static INLINED Status set_states(Instance *c, const double x[], size_t nx, const char *function) {
    const Status status = allow_vector(c, MODEL_EXCHANGE, x, nx, N_STATES, "states", function);
    if (status != STATUS_OK || nx == 0) return status;
    if (!all_finite(x, N_STATES))
        return refuse(c, STATUS_DISCARD, "At time %g a continuous state is not finite.",
                      c->memory.state.time);
    memcpy(&c->memory.reals.x, x, N_STATES * sizeof *x);
    c->memory.kept.states_given = 1;
    c->memory.state.stale = 1;
    if (c->memory.kept.phase == EVENT_MODE)
        log_tolerated(c, TOLERATED_STATES_IN_EVENT_MODE,
                      "The states were set %s; the new values are used.", phase_name(EVENT_MODE));
    return STATUS_OK;
}

static Status get_states(Instance *c, double x[], size_t nx, const char *function) {
    Status status = allow_vector(c, ANY_PHASE, x, nx, N_STATES, "states", function);
    if (status == STATUS_OK) status = check_effect(c);
    if (status != STATUS_OK || nx == 0) return status;
    update_start(&c->memory);
    memcpy(x, &c->memory.reals.x, N_STATES * sizeof *x);
    return STATUS_OK;
}

static Status get_nominals(Instance *c, double nominals[], size_t nx, const char *function) {
    const Status status = allow_vector(c, ANY_PHASE, nominals, nx, N_STATES, "states", function);
    if (status != STATUS_OK || nx == 0) return status;
    const int given = !(c->memory.kept.phase & BEFORE_START);
    memcpy(nominals, given ? state_values(&c->memory.kept.nominals) : state_nominals,
           N_STATES * sizeof *nominals);
    return STATUS_OK;
}

static INLINED Status get_derivatives(Instance *c, double derivatives[], size_t nx,
                                      const char *function) {
    Status status = allow_vector(c, ANY_PHASE, derivatives, nx, N_STATES, "derivatives", function);
    if (status == STATUS_OK) status = bring_up_to_date(c);
    if (status != STATUS_OK || nx == 0) return status;
    memcpy(derivatives, &c->memory.reals.dx, N_STATES * sizeof *derivatives);
    return STATUS_OK;
}

/* Reads the indicators, and their inputs. */
static Status read_indicators(Instance *c, Inputs *u, double values[]) {
    const Status status = check_effect(c);
    if (status != STATUS_OK) return status;
    update_start(&c->memory);
    *u = interpolated_inputs(&c->memory);
    current_indicators(&c->memory, u, values);
    return all_finite(values, N_INDICATORS) ? STATUS_OK
                                            : refuse_result(c, "an event indicator overflows");
}

static INLINED Status get_indicators(Instance *c, double values[], size_t ni,
                                     const char *function) {
    Status status =
        allow_vector(c, ANY_PHASE, values, ni, N_INDICATORS, "event indicators", function);
    if (status != STATUS_OK) return status;
    if (ni == 0) return check_effect(c);
    Memory *k = &c->memory;
    Inputs u;
    status = read_indicators(c, &u, values);
    if (status != STATUS_OK) return status;
    store_crossing(k, &u, values);
    k->kept.t_sampled = k->state.time;
    k->kept.u_sampled = u;
    return STATUS_OK;
}
