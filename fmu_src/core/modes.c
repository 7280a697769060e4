/* States and modes: initial values, changes at events, and logging of them. */

/* Logs each mode that has changed since they settled at the start. */
COLD static void log_mode_changes(const Instance *c, double time, const Modes *before,
                                  const Modes *after) {
    for (int i = 0; i < N_MODES; i++) {
        const int a = mode_values(before)[i], b = mode_values(after)[i], first = mode_first_item[i];
        if (a != b)
            log_message(c, STATUS_OK, LOG_EVENTS, "At time %.12g %s goes from %s to %s.", time,
                        mode_names[i], mode_items[first + a - 1], mode_items[first + b - 1]);
    }
}

/* The states' own parameters, which come last. */
static States start_values(const Parameters *p) {
    States x = no_states;
    memcpy(&x, parameter_values(p) + N_PARAMETERS - N_STATES, N_STATES * sizeof(double));
    return x;
}

/* Initial states and modes, from the current parameters and inputs. */
static void start_over(Memory *k) {
    k->reals.x = start_values(&k->reals.p);
    for (int i = 0; i < N_MODES; i++) mode_places(&k->state.modes)[i] = 0;
#if HAS_INITIALIZE
    initialize(&k->reals.p, &k->reals.u, &k->reals.x);
#endif
    settle_modes(&k->reals.p, &k->reals.u, &k->reals.x, &k->state.modes);
    k->state.stale = 1;
}

/* Before the start, a changed parameter or input also changes the initial states and modes. */
static void follow_start(Memory *k) {
    if (k->kept.phase & BEFORE_START && k->state.stale) start_over(k);
}

/* Until the run has started, the inputs have no past. */
static void begin_run(Memory *k) {
    if (!k->state.started) k->state.u_last = k->reals.u;
}

/* Whether a co-simulation step may begin with an event: where a parameter is new, where inputs jump
 * by more than rounding, or where an indicator has another sign than at the end of the last step.
 * Else no mode ends, although next_modes, for hosts that stop just short of a crossing, would end
 * one within the hysteresis of its limit: a slow approach spends milliseconds there. */
static int begins_with_event(const Memory *k, const Inputs *u) {
    if (N_MODES == 0) return 0;
    if (HAS_CONSTRAIN || k->kept.unchecked || !k->state.started) return 1;
    int as_they_were = 1;
    for (int i = 0; i < N_INPUTS; i++) {
        const double last = input_values(&k->state.u_last)[i], now = input_values(u)[i];
        if (fabs(now - last) > 1e-12 * fabs(last)) return 1;
        if (now != last) as_they_were = 0;
    }
    if (as_they_were) return 0;
    Look before = {0, {0}}, after = {0, {0}};
    indicators(&k->reals.p, &k->state.u_last, &k->reals.x, &k->state.modes, before.g);
    indicators(&k->reals.p, u, &k->reals.x, &k->state.modes, after.g);
    return signs_differ(&before, &after, N_INDICATORS);
}

/* Projects the states onto what the law allows, given the change of the inputs since the last call;
 * returns 1 if they have changed. */
static int apply_constraints(Memory *k) {
    int changed = 0;
#if HAS_CONSTRAIN
    const States before = k->reals.x;
    constrain(&k->reals.p, &k->state.u_last, &k->reals.u, &k->reals.x);
    for (int i = 0; i < N_STATES; i++)
        if (state_values(&before)[i] != state_values(&k->reals.x)[i]) changed = 1;
#endif
    k->state.u_last = k->reals.u;
    return changed;
}

/* Nominal values of the states in model exchange: the resolution of the law at the current inputs
 * and for unloaded states, since states change without an event. They are kept until one of them
 * changes by more than a factor of two; returns 1 in that case. */
static int renew_nominals(Memory *k) {
    const Motion now = {&k->reals.p, &k->reals.u, &no_inputs, k->kept.tolerance, 1, NULL,
                        NULL,        0,           NULL};
    const States resolved = resolved_at(&now, 0, &no_states, &k->state.modes);
    int changed = 0;
    for (int i = 0; i < N_STATES; i++) {
        const double before = state_values(&k->kept.nominals)[i],
                     after = state_values(&resolved)[i];
        if (after > 2 * before || 2 * after < before) changed = 1;
    }
    if (changed) k->kept.nominals = resolved;
    return changed;
}
