/* When the model is evaluated: once, after something has changed, and when somebody asks. */

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

/* With the slopes of linear states, where they are asked for: a step that starts here then knows them. */
static void evaluate_now(Instance *c, const Inputs *u, const Present *now, int with_slopes) {
    Memory *k = &c->memory;
#if LINEAR_STATES
    c->slopes_known = with_slopes;
    if (with_slopes) {
        const States seed = all_directions();
        evaluate_along(&k->reals.p, u, &now->x, &seed, &now->modes, &k->reals.dx, &c->slopes, &k->reals.y);
        return;
    }
#else
    (void)with_slopes;
#endif
    evaluate(&k->reals.p, u, &now->x, &now->modes, &k->reals.dx, &k->reals.y);
}

/* What is known beside the memory is that no more. */
static void forget_slopes(Instance *c) {
#if LINEAR_STATES
    c->slopes_known = 0;
#else
    (void)c;
#endif
}

/* Derivatives and outputs of now, evaluated anew. */
static fmi2Status renew(Instance *c, int with_slopes) {
    Memory *k = &c->memory;
    const fmi2Status status = check_point(c);
    if (status != fmi2OK) return status;
    if (k->phase == CONTINUOUS) notice_load(c);
    follow_start(k);
    const Present now = present(k);
    Inputs room;
    const Inputs *u = present_inputs(k, &room);
    evaluate_now(c, u, &now, with_slopes);
    give_coupled(k, u);
    if (!all_finite((const double *)&k->reals.y, N_OUTPUTS) || !all_finite((const double *)&k->reals.dx, N_STATES))
        return refuse_result(c, "the friction law overflows: inputs, states or parameters are too large");
    k->stale = 0;
    return fmi2OK;
}

/* Derivatives and outputs of now. Whoever asks for them under new inputs between two co-simulation steps will step from there. */
static fmi2Status bring_up_to_date(Instance *c) {
    if (!c->memory.stale) return fmi2OK;
    return renew(c, c->memory.phase == STEPPING && !couples(&c->memory));
}
