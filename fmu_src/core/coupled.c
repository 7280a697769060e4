/* Co-simulation with the body in the loop, between the FMI functions and the solver: whether it is
 * on, and its outputs. */
#include <string.h>

/* Whether the element is to close the loop over the body. */
static int couples(const Memory *k) {
#if HAS_COUPLING || HAS_APPROACH
    return parameter_values(&k->reals.p)[COUPLED_MASS] > 0;
#else
    (void)k;
    return 0;
#endif
}

/* Records that the importer has set the load. */
static void mark_load_set(Memory *k, Reference input) {
#if HAS_COUPLING
    if (COUPLED_LOAD >= 0 && (int)input == COUPLED_LOAD) k->kept.load_set = 1;
#else
    (void)k;
    (void)input;
#endif
}

/* Warns once that the load that stick has to hold was never set. */
static void warn_of_missing_load(Instance *c) {
#if HAS_COUPLING
    if (COUPLED_LOAD >= 0 && !c->memory.kept.load_set)
        warn(c, WARNED_LOAD,
             "%s has never been set: stick does not know the load that it has to hold, and the "
             "body creeps or jitters.",
             real_names[FIRST_INPUT + COUPLED_LOAD]);
#else
    (void)c;
#endif
}

/* Whether a step has been made with the body, whose force is returned until the next one. */
static int is_coupled(const Memory *k) {
#if HAS_COUPLING
    return k->kept.co_simulates && k->shadow.h > 0 && couples(k);
#elif HAS_APPROACH
    return k->kept.co_simulates && k->stepping.prediction.longest > 0 && couples(k);
#else
    (void)k;
    return 0;
#endif
}

/* Moves inputs to the predicted position in the normal direction. */
static void apply_prediction(const Memory *k, Inputs *u) {
#if HAS_APPROACH
    move_contact(u, k->stepping.prediction.displacement, k->stepping.prediction.rate);
#else
    (void)k;
    (void)u;
#endif
}

/* The present inputs. After a step with the body they are those predicted in the normal direction
 * and, until the host sets another one, with the velocity predicted at the end of the step: they
 * are then stored in `room`. */
static const Inputs *present_inputs(const Memory *k, Inputs *room) {
    if (!is_coupled(k)) return &k->reals.u;
    *room = k->reals.u;
    apply_prediction(k, room);
#if HAS_COUPLING
    Inputs before = k->shadow.u;
    if (memcmp(velocity_of(room), velocity_of(&before), N_AXES * sizeof(double)) == 0)
        memcpy(velocity_of(room), k->shadow.w, N_AXES * sizeof(double));
#endif
    return room;
}

#if HAS_COUPLING
/* Replaces the force of the law at the end of the last step, where the inputs are u, by the mean
 * force of the step, in all outputs that depend on it. */
static void replace_force(const Shadow *s, const Parameters *p, const Inputs *u, Outputs *y) {
    double *value = (double *)y, *F = value + COUPLED_FORCE;
    const double *given = s->force[0];
    const double before = N_AXES == 1 ? F[0] : norm_of(F),
                 now = N_AXES == 1 ? given[0] : norm_of(given);
    double power = 0; /* at the mean predicted velocity */
    for (int i = 0; i < N_AXES; i++) {
        const double load = s->load[i] + given_load(&s->u, i);
        const double v = input_values(&s->u)[COUPLED_VELOCITY + i] +
                         0.5 * s->h * (load - given[i]) / parameter_values(p)[COUPLED_MASS];
        power += given[i] * v - F[i] * input_values(u)[COUPLED_VELOCITY + i];
    }
    for (size_t i = 0; i < sizeof proportional / sizeof *proportional; i++)
        if (before != 0) value[proportional[i]] *= now / before;
    for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) value[powers[i]] += power;
    for (int i = 0; i < N_AXES; i++) {
        if (OPPOSED_FORCE >= 0) value[OPPOSED_FORCE + i] += F[i] - given[i];
        F[i] = given[i];
    }
}
#endif

/* Clears the observed load, which does not exist without the body, not even before the next
 * step. */
static void forget_load(Memory *k) {
#if HAS_COUPLING
    memset(&k->reals.observed, 0, sizeof k->reals.observed);
#else
    (void)k;
#endif
}

/* Outputs the force of a step with the body instead of that of the law. */
static void output_mean_force(Memory *k, const Inputs *u) {
#if HAS_COUPLING
    const Shadow *shadow = &k->shadow;
    replace_force(shadow, &k->reals.p, u, &k->reals.y);
    for (int i = 0; i < N_AXES; i++)
        k->reals.observed.load[i] = shadow->load[i] + given_load(&shadow->u, i);
#else
    (void)k;
    (void)u;
#endif
}
