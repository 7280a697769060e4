/* States and modes: initial values, changes at events, and logging of them. */

/* Logs each mode that has changed. */
COLD static void log_mode_changes(const Instance *c, double time, const Modes *before,
                                  const Modes *after) {
    for (int i = 0; i < N_MODES; i++) {
        const int a = mode_values(before)[i], b = mode_values(after)[i], first = mode_first_item[i];
        if (a != b)
            log_message(c, STATUS_OK, LOG_EVENTS, "At time %.12g %s goes from %s to %s.", time,
                        mode_names[i], mode_items[first + a - 1], mode_items[first + b - 1]);
    }
}

/* Returns the initial values of the states, which are the last parameters. */
static States start_values(const Parameters *p) {
    States x = no_states;
    memcpy(&x, parameter_values(p) + N_PARAMETERS - N_STATES, N_STATES * sizeof(double));
    return x;
}

/* Sets initial states and modes, from the current parameters and inputs. */
static void initialize_states(Memory *k) {
    k->reals.x = start_values(&k->reals.p);
    for (int i = 0; i < N_MODES; i++) mode_places(&k->state.modes)[i] = 0;
#if HAS_INITIALIZE
    initialize(&k->reals.p, &k->reals.u, &k->reals.x);
#endif
    settle_modes(&k->reals.p, &k->reals.u, &k->reals.x, &k->state.modes);
    k->state.stale = 1;
}

/* Updates the initial states and modes before the start, after a change of parameters or inputs. */
static void update_start(Memory *k) {
    if (k->kept.phase & BEFORE_START && k->state.stale) initialize_states(k);
}

/* Clears the history of the inputs until the run has started. */
static void reset_input_history(Memory *k) {
    if (!k->state.started) k->state.u_last = k->reals.u;
}

/* Whether a co-simulation step may begin with an event: where a parameter has changed, where inputs
 * jump by more than rounding, or where an indicator has another sign than at the end of the last
 * step. Otherwise no mode ends, although next_modes would end one within the hysteresis of its
 * limit, for hosts that stop just before a crossing: a slow approach spends milliseconds there. */
static int begins_with_event(const Memory *k, const Inputs *u) {
    if (N_MODES == 0) return 0;
    if (HAS_CONSTRAIN || k->kept.unchecked || !k->state.started) return 1;
    int unchanged = 1;
    for (int i = 0; i < N_INPUTS; i++) {
        const double last = input_values(&k->state.u_last)[i], now = input_values(u)[i];
        if (fabs(now - last) > 1e-12 * fabs(last)) return 1;
        if (now != last) unchanged = 0;
    }
    if (unchanged) return 0;
    Probe before = {0, {0}}, after = {0, {0}};
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

/* Updates the nominal values of the states in model exchange: the resolution of the law at the
 * current inputs and for unloaded states, since states change without an event. They change only if
 * one of them changes by more than a factor of two; returns 1 in that case. */
static int update_nominals(Memory *k) {
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
