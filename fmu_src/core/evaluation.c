/* When the model is evaluated: once, after something has changed, and when somebody asks. */

/* States and modes under the inputs of now. Between co-simulation steps the event that new
 * inputs make is not taken before the step, because they may still be set anew; but what is read
 * shows it. */
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

/* Says once where the law leaves what a contact does, at a point that the run has come to. */
COLD static void judge_law(Instance *c) {
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

/* The same for those who want to hear of it: it takes evaluations of its own. */
static void pass_advice(Instance *c) {
    if (HAS_ADVICE && is_news(c, WARNED_LAW)) judge_law(c);
}

/* Derivatives and outputs lie side by side. */
static int results_are_finite(const Reals *reals) {
    const double *outputs = output_values(&reals->y);
    return all_finite(outputs - N_STATES, N_STATES + N_OUTPUTS);
}

/* Derivatives and outputs of a point; whether all of them are finite. */
FLATTENED static int evaluate_all(Reals *reals, const Inputs *u, const States *x, const Modes *m) {
    evaluate(&reals->p, u, x, m, &reals->dx, &reals->y);
    return results_are_finite(reals);
}

#if LINEAR_STATES
/* The same with the slopes of the derivatives along their states, which do not see each other: one
 * direction gives all. Slopes of outputs nobody asks for. */
FLATTENED static int evaluate_with_slopes(Reals *reals, const Inputs *u, const States *x,
                                          const Modes *m, States *slopes) {
    const States seed = all_directions();
    Outputs y_slopes;
    evaluate_state_slopes(&reals->p, u, x, &seed, m, &reals->dx, slopes, &reals->y, &y_slopes);
    return results_are_finite(reals);
}
#endif

/* With the slopes of linear states, where they are asked for: a step that starts here then knows
 * them. */
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

/* What is known beside the memory is that no more. */
static void forget_slopes(Instance *c) {
#if LINEAR_STATES
    c->slopes_known = 0;
#else
    (void)c;
#endif
}

/* Derivatives and outputs of now, evaluated anew; with slopes only where no step with the body has
 * been made. */
static Status renew(Instance *c, int with_slopes) {
    Memory *k = &c->memory;
    const Status status = check_point(c);
    if (status != STATUS_OK) return status;
    if (k->kept.phase == CONTINUOUS_TIME_MODE) warn_of_missing_load(c);
    follow_start(k);
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
        give_coupled(k, u);
        finite = results_are_finite(&k->reals);
    }
    if (!finite)
        return refuse_result(
            c, "the friction law overflows: inputs, states or parameters are too large");
    k->state.stale = 0;
    return STATUS_OK;
}

/* Derivatives and outputs of now. Whoever asks for them under new inputs between two co-simulation
 * steps will step from there. */
static Status bring_up_to_date(Instance *c) {
    if (!c->memory.state.stale) return STATUS_OK;
    return renew(c, c->memory.kept.phase & STEPPING && !couples(&c->memory));
}
