/* Lazy evaluation: the model is evaluated once after a change, when results are requested. */

/* States and modes under the present inputs. Between co-simulation steps an event caused by new
 * inputs is handled at the next step, because inputs may be set again; but outputs that are read
 * show it. */
typedef struct {
    States x;
    Modes modes;
} Present;

NOINLINE static Present present(const Memory *k) {
    Present now = {k->reals.x, k->state.modes};
    if (N_MODES > 0 && k->kept.phase & STEPPING) {
        Inputs room;
        const Inputs *u = present_inputs(k, &room);
        if (is_coupled(k) || begins_with_event(k, u))
            settle_modes(&k->reals.p, u, &now.x, &now.modes);
    }
    return now;
}

/* Warns once where the law leaves what a contact does, at a point that the run has reached. */
COLD static void check_law(Instance *c) {
#if HAS_ADVICE
    const Memory *k = &c->memory;
    const Present now = present(k);
    Inputs room;
    const char *text = advice(&k->reals.p, present_inputs(k, &room), &now.x, &now.modes);
    if (text) warn(c, WARNED_LAW, "%s", text);
#else
    (void)c;
#endif
}

/* The same if the warning would be logged: it needs evaluations of its own. */
static void log_advice(Instance *c) {
    if (HAS_ADVICE && is_new_warning(c, WARNED_LAW)) check_law(c);
}

/* Checks derivatives and outputs, which are adjacent. */
static int results_are_finite(const Reals *reals) {
    const double *outputs = output_values(&reals->y);
    return all_finite(outputs - N_STATES, N_STATES + N_OUTPUTS);
}

/* Evaluates derivatives and outputs; returns whether all of them are finite. */
FLATTENED static int evaluate_all(Reals *reals, const Inputs *u, const States *x, const Modes *m) {
    evaluate(&reals->p, u, x, m, &reals->dx, &reals->y);
    return results_are_finite(reals);
}

#if LINEAR_STATES
/* The same with the slope of each derivative along its own state. Linear states are independent of
 * each other, so one direction gives all slopes. Those of the outputs are not used. */
FLATTENED static int evaluate_with_slopes(Reals *reals, const Inputs *u, const States *x,
                                          const Modes *m, States *slopes) {
    const States seed = all_directions();
    Outputs y_slopes;
    evaluate_state_slopes(&reals->p, u, x, &seed, m, &reals->dx, slopes, &reals->y, &y_slopes);
    return results_are_finite(reals);
}
#endif

/* The same on the instance; if wanted, with the slopes of linear states, for a step that starts
 * here. */
static int evaluate_now(Instance *c, const Inputs *u, const States *x, const Modes *m,
                        int with_slopes) {
#if LINEAR_STATES
    c->slopes_known = with_slopes;
    if (with_slopes) return evaluate_with_slopes(&c->memory.reals, u, x, m, &c->slopes);
#else
    (void)with_slopes;
#endif
    return evaluate_all(&c->memory.reals, u, x, m);
}

/* Discards the slopes, because the memory is that of another point. */
static void forget_slopes(Instance *c) {
#if LINEAR_STATES
    c->slopes_known = 0;
#else
    (void)c;
#endif
}

/* Evaluates derivatives and outputs again; with slopes only where no step with the body has been
 * made. */
static Status reevaluate(Instance *c, int with_slopes) {
    Memory *k = &c->memory;
    const Status status = check_point(c);
    if (status != STATUS_OK) return status;
    if (k->kept.phase == CONTINUOUS_TIME_MODE) warn_of_missing_load(c);
    update_start(k);
    const int coupled = is_coupled(k);
    const States *x = &k->reals.x;
    const Modes *m = &k->state.modes;
    Inputs room;
    const Inputs *u = coupled ? present_inputs(k, &room) : &k->reals.u;
    Present now;
    if (N_MODES > 0 && k->kept.phase & STEPPING) {
        now = present(k);
        x = &now.x;
        m = &now.modes;
    }
    int finite = evaluate_now(c, u, x, m, with_slopes);
    if (coupled) { /* the force of the step acts */
        output_mean_force(k, u);
        finite = results_are_finite(&k->reals);
    } else {
        forget_load(k);
    }
    if (!finite)
        return refuse_result(
            c, "the friction law overflows: inputs, states or parameters are too large");
    k->state.stale = 0;
    return STATUS_OK;
}

/* Evaluates derivatives and outputs if they are stale. A host that reads them under new inputs
 * between two co-simulation steps will step from there, so slopes are evaluated too. */
static Status bring_up_to_date(Instance *c) {
    if (!c->memory.state.stale) return STATUS_OK;
    return reevaluate(c, c->memory.kept.phase & STEPPING && !couples(&c->memory));
}
