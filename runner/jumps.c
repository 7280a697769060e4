/* How sensitivities jump at events.
 *
 *     dt/dp = -(dg/dx s + dg/dp)/(dg/dt)
 *     s+ = dr/dp + dr/dx (s- + f- dt/dp) + dr/du u' dt/dp - f+ dt/dp
 *
 * The event comes where its indicator g crosses zero; x+ = r(p, u, x-), and x+ = x- where nothing
 * is reset
 * (saltation; Leine and Nijmeijer, Dynamics and Bifurcations of Non-Smooth Mechanical Systems,
 * 7.3). An event that a jump of the inputs makes comes at their time, whatever the parameters are:
 * dt/dp = 0.
 *
 * Co-simulation does not show its events. So a second instance, of model exchange, is kept in event
 * mode beside it, with the same modes: its indicators show that an event has passed, and where, and
 * what the event does. FMI has no slopes of indicators and events; they are cheap and smooth within
 * a mode, so that differences of them are as good. */

/* to which an event is located, as a part of the interval between two samples */
static const double EVENT_TIME = 1e-8;

typedef struct {
    size_t indicators, modes, states, inputs;
    fmi2Component observer;     /* the second instance */
    fmi2FMUstate before;        /* of it, at an event, before the modes change */
    fmi2FMUstate left;          /* of the run, before an event that is located */
    int *mode, *mode_now;       /* of the run: since the last event, and now */
    int *mode_run, *mode_tried; /* of the observer */
    double *sign;               /* of the indicators since the last event: 1 or -1 */
    double *g, *g_plus, *g_minus;
    double *u, *u_now; /* inputs: at the point that is looked at, and moved from it */
    double *x, *x_now, *f, *f_after, *x_after, *x_plus, *x_minus, *x_last, *f_last,
        *direction;      /* states, their rates, a direction */
    double *dg;          /* rates of the indicators */
    const double *rates; /* of the inputs */
} Events;

static int watches(const Record *record) {
    return record->states.count > 0 && record->event_modes.count > 0;
}

static int make_room_for_events(Events *own, const Record *record, const double *rates) {
    const size_t g = record->n_indicators, m = record->event_modes.count, n = record->states.count,
                 k = record->signals.count;
    own->rates = rates;
    own->indicators = g;
    own->modes = m;
    own->states = n;
    own->inputs = k;
    double **const places[] = {
        &own->sign,   &own->g,       &own->g_plus, &own->g_minus, &own->dg,       &own->u,
        &own->u_now,  &own->x,       &own->x_now,  &own->f,       &own->f_after,  &own->x_after,
        &own->x_plus, &own->x_minus, &own->x_last, &own->f_last,  &own->direction};
    const size_t sizes[] = {g, g, g, g, g, k, k, n, n, n, n, n, n, n, n, n, n};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!(*places[i] = calloc(sizes[i] + 1, sizeof(double)))) return 1;
    own->mode = calloc(m + 1, sizeof *own->mode);
    own->mode_now = calloc(m + 1, sizeof *own->mode_now);
    own->mode_run = calloc(m + 1, sizeof *own->mode_run);
    own->mode_tried = calloc(m + 1, sizeof *own->mode_tried);
    return !own->mode || !own->mode_now || !own->mode_run || !own->mode_tried;
}

static void give_room_for_events_back(Events *own, const Record *record, fmi2Component component) {
    double *const places[] = {own->sign,    own->g,        own->g_plus, own->g_minus, own->dg,
                              own->u,       own->u_now,    own->x,      own->x_now,   own->f,
                              own->f_after, own->x_after,  own->x_plus, own->x_minus, own->x_last,
                              own->f_last,  own->direction};
    const Fmu *fmu = record->fmu;
    if (own->left) fmu->free_state(component, &own->left);
    if (own->before) fmu->free_state(own->observer, &own->before);
    if (own->observer) fmu->free_instance(own->observer);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) free(places[i]);
    free(own->mode);
    free(own->mode_now);
    free(own->mode_run);
    free(own->mode_tried);
}

/* ---- looking ---- */

static int read_modes(const Record *record, fmi2Component component, int *values) {
    return fails(record->fmu->get_integer(component, record->event_modes.references,
                                          record->event_modes.count, values));
}

static int set_observer(const Record *record, const Events *own, const double *u, const double *x) {
    const Fmu *fmu = record->fmu;
    return fails(fmu->set_real(own->observer, record->signals.references, own->inputs, u)) ||
           fails(fmu->set_continuous_states(own->observer, x, own->states));
}

static int settle_observer(const Record *record, const Events *own) {
    fmi2EventInfo info;
    return fails(record->fmu->new_discrete_states(own->observer, &info));
}

static int get_indicators(const Record *record, const Events *own, double *g) {
    return fails(record->fmu->get_indicators(own->observer, g, own->indicators));
}

/* The inputs so long after a sample. */
static void inputs_after(const Record *record, const Events *own, size_t sample, double offset,
                         double *u) {
    const double *from = signals_at(record, sample);
    for (size_t i = 0; i < own->inputs; i++)
        u[i] = from[i] + (record->linear ? own->rates[i] * offset : 0);
}

static int crossed(const Events *own, const double *g) {
    for (size_t i = 0; i < own->indicators; i++)
        if (g[i] * own->sign[i] < 0) return 1;
    return 0;
}

/* Inputs and states of the run at its present point, in the observer; the indicators there. */
static int look(const Record *record, fmi2Component component, Events *own, size_t sample,
                double offset) {
    inputs_after(record, own, sample, offset, own->u);
    return fails(
               record->fmu->get_real(component, record->states.references, own->states, own->x)) ||
           set_observer(record, own, own->u, own->x) || get_indicators(record, own, own->g);
}

static void take_signs(Events *own) {
    for (size_t i = 0; i < own->indicators; i++) own->sign[i] = own->g[i] > 0 ? 1 : -1;
}

/* Begins to watch from here. */
static int remember(const Record *record, fmi2Component component, Events *own, size_t sample,
                    double offset) {
    if (look(record, component, own, sample, offset) || read_modes(record, component, own->mode))
        return 1;
    take_signs(own);
    return 0;
}

static int start_watching(Record *record, const fmi2CallbackFunctions *callbacks, Events *own) {
    const Fmu *fmu = record->fmu;
    own->observer = fmu->instantiate("events", fmi2ModelExchange, record->guid, "", callbacks,
                                     fmi2False, fmi2False);
    return !own->observer || start(record, own->observer, 0) ||
           fails(fmu->exit_initialization(own->observer)) || settle_observer(record, own);
}

static int same_modes(const Events *own, const int *a, const int *b) {
    return memcmp(a, b, own->modes * sizeof *a) == 0;
}

/* Whether an event has passed since the run was last remembered. */
static int event_passed(const Record *record, fmi2Component component, Events *own, size_t sample,
                        double offset, int *passed) {
    if (look(record, component, own, sample, offset) ||
        read_modes(record, component, own->mode_now))
        return 1;
    *passed = crossed(own, own->g) || !same_modes(own, own->mode, own->mode_now);
    return 0;
}

/* ---- locating ---- */

/* The point that a motion with the rates of now reaches after some time, in the observer. */
static int look_along(const Record *record, Events *own, double time, double *g) {
    for (size_t i = 0; i < own->inputs; i++)
        own->u_now[i] = own->u[i] + (record->linear ? own->rates[i] * time : 0);
    for (size_t i = 0; i < own->states; i++) own->x_now[i] = own->x[i] + own->f[i] * time;
    return set_observer(record, own, own->u_now, own->x_now) || get_indicators(record, own, g);
}

/* The time within which the present motion, which has been looked at, makes an event; `most` if it
 * makes none. */
static int foreseen(const Record *record, Events *own, double most, double resolution,
                    double *time) {
    double left = 0, right = most;
    *time = most;
    if (fails(record->fmu->get_derivatives(own->observer, own->f, own->states)) ||
        look_along(record, own, most, own->g_plus))
        return 1;
    if (!crossed(own, own->g_plus)) return 0;
    while (right - left > 0.1 * resolution) {
        const double middle = 0.5 * (left + right);
        if (middle <= left || middle >= right) break;
        if (look_along(record, own, middle, own->g_plus)) return 1;
        if (crossed(own, own->g_plus))
            right = middle;
        else
            left = middle;
    }
    *time = right;
    return 0;
}

/* A step from `done` after a sample that leads over an event after `reach` at the latest: narrows
 * the time before it down to `before`. The run stands anywhere in between afterwards. */
static int locate(const Record *record, fmi2Component component, Events *own, fmi2FMUstate begin,
                  size_t sample, double done, double reach, double resolution, double *before) {
    enum { FORESEEN_AT_MOST = 8 };
    const Fmu *fmu = record->fmu;
    double left = 0, right = reach;
    int passed;
    if (fails(fmu->set_state(component, begin)) || fails(fmu->get_state(component, &own->left)))
        return 1;
    for (int n = 0; right - left > resolution; n++) {
        double to = 0.5 * (left + right), time;
        if (n < 2 * FORESEEN_AT_MOST) {
            if (fails(fmu->set_state(component, own->left)) ||
                look(record, component, own, sample, done + left) ||
                foreseen(record, own, right - left, resolution, &time))
                return 1;
            const double near_side = left + time - 0.4 * resolution,
                         far_side = left + time + 0.4 * resolution;
            if (time < right - left && near_side > left && n % 2 == 0)
                to = near_side;
            else if (time < right - left && far_side < right)
                to = far_side;
        }
        if (to <= left || to >= right) break;
        if (fails(fmu->set_state(component, own->left)) ||
            fails(fmu->do_step(component, record->times[sample] + done + left, to - left,
                               fmi2False)) ||
            event_passed(record, component, own, sample, done + to, &passed))
            return 1;
        if (passed) {
            right = to;
        } else {
            left = to;
            if (fails(fmu->get_state(component, &own->left))) return 1;
        }
    }
    *before = left;
    return 0;
}

/* ---- jumping ---- */

/* The observer at the point own->u, own->x, before the event. */
static int set_before(const Record *record, const Events *own) {
    return fails(record->fmu->set_state(own->observer, own->before)) ||
           set_observer(record, own, own->u, own->x);
}

/* The observer at the point own->u, own->x before an event, moved along a direction with a known;
 * afterwards either the indicators there or the states that the event leaves. 1: refused, because a
 * known has come to its limit, or because it is another event. */
static int moved(const Record *record, Events *own, size_t known, double value, double amount,
                 double shift, const double *direction, int over_the_event, double *result) {
    const Fmu *fmu = record->fmu;
    const double there = value + amount;
    for (size_t i = 0; i < own->inputs; i++)
        own->u_now[i] = own->u[i] + (record->linear ? own->rates[i] * shift * amount : 0);
    for (size_t i = 0; i < own->states; i++) own->x_now[i] = own->x[i] + amount * direction[i];
    if (fails(fmu->set_state(own->observer, own->before)) ||
        (record->lasting[known] &&
         fails(fmu->set_real(own->observer, &record->knowns.references[known], 1, &there))) ||
        set_observer(record, own, own->u_now, own->x_now))
        return 1;
    if (!over_the_event) return get_indicators(record, own, result);
    return settle_observer(record, own) || read_modes(record, own->observer, own->mode_tried) ||
           !same_modes(own, own->mode_tried, own->mode_now) ||
           fails(fmu->get_continuous_states(own->observer, result, own->states));
}

/* The slope of what `moved` gives, by a central difference, or by one to one side where a known has
 * come to its limit; `plus` has the result. */
static int slope_along(Record *record, Events *own, size_t known, double value, double shift,
                       const double *direction, int over_the_event, double *plus, double *minus,
                       const double *here) {
    const size_t count = over_the_event ? own->states : own->indicators;
    const double step = record->known_steps[known];
    const int had_message = record->message[0] != '\0';
    const int no_plus =
        moved(record, own, known, value, step, shift, direction, over_the_event, plus);
    const int no_minus =
        moved(record, own, known, value, -step, shift, direction, over_the_event, minus);
    if (!had_message) record->message[0] = '\0'; /* what was refused was only tried */
    if (no_plus && no_minus) return 1;
    for (size_t i = 0; i < count; i++) {
        const double from = no_minus ? here[i] : minus[i], to = no_plus ? here[i] : plus[i];
        plus[i] = (to - from) / ((no_plus || no_minus ? 1 : 2) * step);
    }
    return 0;
}

/* Rates of the indicators at own->u, own->x in a motion with the rates own->f. The difference is
 * taken over so short a time that no indicator changes by more than a part of its range: some stand
 * for a speed that is tiny. */
static int indicator_rates(const Record *record, Events *own, double length) {
    for (double time = 1e-4 * length;; time *= 0.1) {
        double largest = 0;
        if (look_along(record, own, time, own->g_plus) ||
            look_along(record, own, -time, own->g_minus))
            return 1;
        for (size_t i = 0; i < own->indicators; i++) {
            own->dg[i] = (own->g_plus[i] - own->g_minus[i]) / (2 * time);
            largest = fmax(largest, fabs(own->g_plus[i] - own->g_minus[i]));
        }
        if (largest < 0.1 || time < EVENT_TIME * length) return 0;
    }
}

/* The indicator that comes, or came, to zero next to now; own->indicators if none moves. */
static size_t nearest_indicator(const Events *own) {
    size_t found = own->indicators;
    double shortest = INFINITY;
    for (size_t i = 0; i < own->indicators; i++) {
        const double time = own->dg[i] != 0 ? fabs(own->g[i] / own->dg[i]) : INFINITY;
        if (time < shortest) {
            shortest = time;
            found = i;
        }
    }
    return found;
}

/* The sensitivities over the event that the observer makes from own->before at own->u, own->x,
 * where the states have the rates own->f and own->g are the indicators. `moving`: it comes where an
 * indicator crosses zero, and not at a given time. */
static int jump(Record *record, Events *own, double *s, int moving, double length) {
    const Fmu *fmu = record->fmu;
    size_t indicator = own->indicators;
    int reset = 0;
    if (settle_observer(record, own) || read_modes(record, own->observer, own->mode_now) ||
        fails(fmu->get_continuous_states(own->observer, own->x_after, own->states)) ||
        fails(fmu->get_derivatives(own->observer, own->f_after, own->states)))
        return 1;
    for (size_t i = 0; i < own->states; i++) reset = reset || own->x_after[i] != own->x[i];
    if (moving) {
        if (fails(fmu->set_state(own->observer, own->before)) ||
            indicator_rates(record, own, length))
            return 1;
        indicator = nearest_indicator(own);
    }
    for (size_t j = 0; j < record->knowns.count; j++) {
        double *sj = s + j * own->states, value, shift = 0;
        if (fails(fmu->set_state(own->observer, own->before)) ||
            fails(fmu->get_real(own->observer, &record->knowns.references[j], 1, &value)))
            return 1;
        if (indicator < own->indicators) {
            if (slope_along(record, own, j, value, 0, sj, 0, own->g_plus, own->g_minus, own->g))
                return 1;
            shift = -own->g_plus[indicator] / own->dg[indicator];
        }
        for (size_t i = 0; i < own->states; i++) own->direction[i] = sj[i] + own->f[i] * shift;
        if (reset) {
            if (slope_along(record, own, j, value, shift, own->direction, 1, own->x_plus,
                            own->x_minus, own->x_after))
                return 1;
            memcpy(own->direction, own->x_plus, own->states * sizeof *own->direction);
        }
        for (size_t i = 0; i < own->states; i++)
            sj[i] = own->direction[i] - own->f_after[i] * shift;
    }
    return set_before(record, own) || settle_observer(record, own);
}

/* The event that new inputs make at a sample. */
static int jump_at_sample(Record *record, fmi2Component component, Events *own, double *s,
                          size_t sample) {
    if (look(record, component, own, sample, 0) ||
        fails(record->fmu->get_state(own->observer, &own->before)) || jump(record, own, s, 0, 0) ||
        fails(record->fmu->do_step(component, record->times[sample], 0,
                                   fmi2False))) /* lets the run have it, too */
        return 1;
    return remember(record, component, own, sample, 0);
}

/* From own->x_last, with the rates own->f_last, on to the first point at which the observer has an
 * event, not sooner than after `time`; the observer is at this point, before the event, and `ahead`
 * says how far it is. */
static int next_event(Record *record, Events *own, size_t sample, double offset, double time,
                      double *ahead) {
    enum { DOUBLINGS = 16 };
    *ahead = time;
    for (int n = 0; n < DOUBLINGS; n++, *ahead *= 2) {
        inputs_after(record, own, sample, offset + *ahead, own->u);
        for (size_t i = 0; i < own->states; i++)
            own->x[i] = own->x_last[i] + own->f_last[i] * *ahead;
        if (set_before(record, own) || get_indicators(record, own, own->g) ||
            fails(record->fmu->get_derivatives(own->observer, own->f, own->states)) ||
            settle_observer(record, own) || read_modes(record, own->observer, own->mode_now))
            return 1;
        if (crossed(own, own->g) || !same_modes(own, own->mode, own->mode_now))
            return set_before(record, own);
    }
    return give_up(record, "An event cannot be followed.");
}

/* Takes the run over an event that lies within a short time ahead, and the sensitivities with it.
 * There may be several at once: surfaces that touch stick, and slip in the same moment. */
static int cross(Record *record, fmi2Component component, Events *own, double *s, size_t sample,
                 double done, double time, double length, int *passed) {
    enum { AT_ONCE = 8 };
    const Fmu *fmu = record->fmu;
    double offset = done, ahead;
    if (look(record, component, own, sample, done) ||
        fails(fmu->get_derivatives(own->observer, own->f_last, own->states)) ||
        fails(fmu->get_state(own->observer, &own->before)))
        return 1;
    memcpy(own->x_last, own->x, own->states * sizeof *own->x);
    /* a step of no length lets the run have the event, which until then is only shown */
    if (fails(fmu->do_step(component, record->times[sample] + done, time, fmi2False)) ||
        event_passed(record, component, own, sample, done + time, passed) ||
        fails(fmu->do_step(component, record->times[sample] + done + time, 0, fmi2False)))
        return 1;
    if (!*passed) return 0;
    memcpy(own->mode_run, own->mode_now, own->modes * sizeof *own->mode);
    for (int n = 0;; n++, offset += ahead) {
        if (n == AT_ONCE) return give_up(record, "An event cannot be followed.");
        if (next_event(record, own, sample, offset, time, &ahead) ||
            jump(record, own, s, 1, length))
            return 1;
        if (same_modes(own, own->mode_now, own->mode_run)) break;
        memcpy(own->x_last, own->x_after, own->states * sizeof *own->x);
        memcpy(own->f_last, own->f_after, own->states * sizeof *own->f);
        memcpy(own->mode, own->mode_now, own->modes * sizeof *own->mode);
        if (get_indicators(record, own, own->g) ||
            fails(fmu->get_state(own->observer, &own->before)))
            return 1;
        take_signs(own);
    }
    return remember(record, component, own, sample, done + time);
}
