/* Checks that parameters satisfy their rules and that inputs make sense to the model. */
#include <stddef.h>

static int all_finite(const double *values, size_t count) {
    /* 0 times a finite value is 0, any other is NaN, which is not >= 0; two sums, which compilers
     * vectorize, start from -0, which changes no sum */
    double even = -0.0, odd = -0.0;
    for (size_t i = 0; i + 1 < count; i += 2) {
        even += 0 * values[i];
        odd += 0 * values[i + 1];
    }
    if (count % 2 == 1) even += 0 * values[count - 1];
    return even + odd >= 0;
}

static int satisfies(double value, int relation, double bound) {
    switch (relation) {
        case RULE_AT_LEAST: return value >= bound;
        case RULE_ABOVE: return value > bound;
        case RULE_AT_MOST: return value <= bound;
        default: return value < bound;
    }
}

/* Checks the rules of all parameters and reports the first that is broken. */
static Status check_rules(Instance *c, const Parameters *parameters) {
    static const char *const words[] = {"at least", "greater than", "at most", "less than"};
    const double *p = parameter_values(parameters);
    for (int i = 0; i < N_RULES; i++) {
        const Rule *rule = &rules[i];
        const double bound = rule->other < 0 ? rule->bound : p[rule->other];
        const double value = p[rule->parameter];
        if (satisfies(value, rule->relation, bound)) continue;
        if (rule->other < 0)
            return refuse(c, STATUS_ERROR, "%s = %.9g must be %s %.9g.",
                          real_names[rule->parameter], value, words[rule->relation], bound);
        return refuse(c, STATUS_ERROR, "%s = %.9g must be %s %s = %.9g.",
                      real_names[rule->parameter], value, words[rule->relation],
                      real_names[rule->other], bound);
    }
#if HAS_CHECK
    const char *broken = check(parameters);
    if (broken) return refuse(c, STATUS_ERROR, "%s", broken);
#endif
    return STATUS_OK;
}

/* Checks the rules if parameters have changed since the last check. */
static Status check_parameters(Instance *c) {
    if (!c->memory.kept.unchecked) return STATUS_OK;
    const Status status = check_rules(c, &c->memory.reals.p);
    if (status == STATUS_OK) c->memory.kept.unchecked = 0;
    return status;
}

/* Checks parameters where they take effect. In model exchange that is the next evaluation, in event
 * mode too: OpenModelica sets them there and reads the states at once. Before the start and between
 * co-simulation steps they may still be set one after the other, so they are not checked yet. */
static Status check_effect(Instance *c) {
    if (!c->memory.kept.unchecked) return STATUS_OK; /* nearly always */
    return c->memory.kept.phase & MODEL_EXCHANGE ? check_parameters(c) : STATUS_OK;
}

/* Refuses a result that is not finite; if a parameter breaks its rule, that is the reason given. */
COLD static Status refuse_result(Instance *c, const char *what) {
    const Status status = check_parameters(c);
    return status == STATUS_OK
               ? refuse(c, STATUS_DISCARD, "At time %g %s.", c->memory.state.time, what)
               : status;
}

/* Refuses parameters and inputs for which the model is not defined; the model states the reason. */
static Status check_point(Instance *c) {
    const Status status = check_effect(c);
    if (status != STATUS_OK) return status;
#if HAS_CHECK_INPUTS
    const Reals *reals = &c->memory.reals; /* which are not changed here */
    const char *objection = check_inputs(&reals->p, &reals->u);
    if (objection)
        return refuse(c, STATUS_DISCARD, "At time %g: %s", c->memory.state.time, objection);
#endif
    return STATUS_OK;
}
