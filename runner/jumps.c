/* How sensitivities jump at events.
 *
 *     dt/dp = -(dg/dx s + dg/dp)/(dg/dt)
 *     s+ = dr/dp + dr/dx (s- + f- dt/dp) + dr/du u' dt/dp - f+ dt/dp
 *
 * The event occurs where its indicator g crosses zero; x+ = r(p, u, x-), and x+ = x- where nothing
 * is reset (saltation; Leine and Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical
 * Systems, 7.3). An event caused by a jump of the inputs occurs at its time, whatever the
 * parameters are: dt/dp = 0. FMI has no slopes of indicators and events; they are cheap and smooth
 * within a mode, so that finite differences of them are as good. */

/* An event, and a direction in which it is shifted for a finite difference: along time, or along a
 * known. */
typedef struct {
    double t, t_last;                /* of the event, and of the last point before it, */
    States x, x_last, f;             /* states there, rates before it */
    States direction;                /* change of the states per unit of the shift */
    double speed;                    /* change of the time per unit */
    const fmi2ValueReference *known; /* that changes by one per unit, from this value; NULL: none */
    double value;
    int finds_states;     /* 1: the states after the event are evaluated; 0: the indicators */
    int modes[MODE_ROOM]; /* after it */
} Event;

static int read_modes(const Motion *motion, int *values) {
    const Variables *modes = &motion->run->event_modes;
    return modes->count > 0 && fails(motion->run->fmu->get_integer(
                                   motion->component, modes->references, modes->count, values));
}

static int settle(Motion *motion) {
    fmi2EventInfo info;
    States now = no_states;
    const size_t n = motion->run->states.count;
    if (fails(motion->run->fmu->new_discrete_states(motion->component, &info)) ||
        fails(motion->run->fmu->get_nominals(motion->component, now.value, n)))
        return 1;
    for (size_t i = 0; i < n; i++)
        motion->resolved.value[i] = fmax(motion->resolved.value[i], now.value[i]);
    return 0;
}

static int read_after_event(Motion *motion, States *x, int *modes) {
    return settle(motion) || read_modes(motion, modes) ||
           fails(motion->run->fmu->get_continuous_states(motion->component, x->value,
                                                         (size_t)N_STATES));
}

/* Evaluates the indicators, or the states after the event, at a point shifted by so many units. 1:
 * refused, because a known is beyond its limit, or because it is another event. */
static int evaluate_beside(Motion *motion, const Event *event, double amount, double *result) {
    const Fmu *fmu = motion->run->fmu;
    const double value = event->value + amount;
    States x = event->finds_states ? event->x : event->x_last;
    int modes[MODE_ROOM];
    for (int i = 0; i < N_STATES; i++) x.value[i] += amount * event->direction.value[i];
    if (fails(fmu->set_state(motion->component, motion->before)) ||
        (event->known && fails(fmu->set_real(motion->component, event->known, 1, &value))) ||
        set_point(motion, (event->finds_states ? event->t : event->t_last) + amount * event->speed,
                  &x))
        return 1;
    if (!event->finds_states)
        return fails(fmu->get_indicators(motion->component, result, (size_t)N_INDICATORS));
    if (read_after_event(motion, &x, modes) ||
        memcmp(modes, event->modes, motion->run->event_modes.count * sizeof *modes) != 0)
        return 1;
    memcpy(result, x.value, sizeof x);
    return 0;
}

/* Finds the slopes of these by a difference to the side that is not refused; returns the largest
 * change, or a negative number where both sides are refused. */
static double difference_slopes(Motion *motion, const Event *event, double step, double *slopes) {
    double here[INDICATOR_ROOM], beside[INDICATOR_ROOM], largest = 0;
    if (evaluate_beside(motion, event, step, beside)) {
        step = -step;
        if (evaluate_beside(motion, event, step, beside)) return -1;
    }
    if (evaluate_beside(motion, event, 0, here)) return -1;
    for (int i = 0; i < (event->finds_states ? N_STATES : N_INDICATORS); i++) {
        largest = fmax(largest, fabs(beside[i] - here[i]));
        slopes[i] = (beside[i] - here[i]) / step;
    }
    return largest;
}

/* Finds the indicator whose zero is nearest in time, and its rate; N_INDICATORS if none changes.
 * The difference spans so short a time that no indicator changes by more than a part of its range:
 * some are scaled by a tiny speed. */
static int nearest_indicator(Motion *motion, Event *event, double *rate) {
    double g[INDICATOR_ROOM], rates[INDICATOR_ROOM], shortest = INFINITY,
                                                     time = 1e-4 * motion->length;
    int found = N_INDICATORS;
    event->direction = event->f;
    event->speed = 1;
    while (difference_slopes(motion, event, time, rates) >= 0.1 && time > 1e-8 * motion->length)
        time *= 0.1;
    if (evaluate_beside(motion, event, 0, g)) return found;
    for (int i = 0; i < N_INDICATORS; i++)
        if (rates[i] != 0 && fabs(g[i] / rates[i]) < shortest) {
            shortest = fabs(g[i] / rates[i]);
            *rate = rates[i];
            found = i;
        }
    return found;
}

/* Advances the states x and the sensitivities s across the event of the FMU at the time t. `last`
 * is the point before it, to which s belongs, of an event where an indicator crosses zero; NULL for
 * an event at a given time. At a fold of a law rates and sensitivities grow without bound, so both
 * are evaluated at that one point. */
static int cross_event(Motion *motion, double s[][STATE_ROOM], const Point *last, double t,
                       States *x) {
    const SampledRun *run = motion->run;
    const Fmu *fmu = run->fmu;
    Event event = {.t = t, .x = *x};
    if (last) {
        event.t_last = last->t;
        event.x_last = last->x;
        event.f = last->f;
    }
    States f_after;
    int reset = 0, indicator = N_INDICATORS;
    double rate = 0;
    if (set_point(motion, t, x) || fails(fmu->get_state(motion->component, &motion->before)) ||
        read_after_event(motion, x, event.modes) ||
        fails(fmu->get_derivatives(motion->component, f_after.value, (size_t)N_STATES)))
        return 1;
    for (int i = 0; i < N_STATES; i++) reset = reset || x->value[i] != event.x.value[i];
    if (!last && !reset) return 0;
    if (last) indicator = nearest_indicator(motion, &event, &rate);
    for (size_t j = 0; N_STATES > 0 && j < run->knowns.count; j++) {
        double *sj = s[j], shift = 0;
        event.known = NULL;
        if (run->lasting[j]) {
            event.known = &run->knowns.references[j];
            if (fails(fmu->set_state(motion->component, motion->before)) ||
                fails(fmu->get_real(motion->component, event.known, 1, &event.value)))
                return 1;
        }
        memcpy(event.direction.value, sj, run->states.count * sizeof *sj);
        event.finds_states = 0;
        event.speed = 0;
        if (indicator < N_INDICATORS) {
            double slopes[INDICATOR_ROOM];
            if (difference_slopes(motion, &event, run->known_steps[j], slopes) < 0) return 1;
            shift = -slopes[indicator] / rate;
        }
        for (int i = 0; i < N_STATES; i++) event.direction.value[i] += event.f.value[i] * shift;
        event.finds_states = 1;
        event.speed = shift;
        double after[INDICATOR_ROOM];
        memcpy(after, event.direction.value, sizeof event.direction);
        if (reset && difference_slopes(motion, &event, run->known_steps[j], after) < 0) return 1;
        for (int i = 0; i < N_STATES; i++) sj[i] = after[i] - f_after.value[i] * shift;
    }
    return fails(fmu->set_state(motion->component, motion->before)) || settle(motion);
}
