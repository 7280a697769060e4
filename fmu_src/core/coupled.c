/* Co-simulation with the body in the loop, as history from the FMI functions: whether it is on, and
 * what it gives. */
#include <string.h>

/* Whether the loop over the body is to be closed inside. */
static int couples(const Memory *k) {
#if HAS_COUPLING || HAS_APPROACH
    return parameter_values(&k->reals.p)[COUPLED_MASS] > 0;
#else
    (void)k;
    return 0;
#endif
}

/* Remembers that the importer gives the load. */
static void note_load(Memory *k, Reference input) {
#if HAS_COUPLING
    if (COUPLED_LOAD >= 0 && (int)input == COUPLED_LOAD) k->kept.load_set = 1;
#else
    (void)k;
    (void)input;
#endif
}

/* Says once that a run goes on without the load that stick has to hold. */
static void warn_of_missing_load(Instance *c) {
#if HAS_COUPLING
    if (COUPLED_LOAD >= 0 && !c->memory.kept.load_set)
        warn(c, WARNED_LOAD,
             "%s has never been set: stick does not know the load that it has to hold, and the "
             "body creeps or "
             "jitters.",
             real_names[FIRST_INPUT + COUPLED_LOAD]);
#else
    (void)c;
#endif
}

/* Whether a step has been made in that way, which gives the force until the next one. */
static int is_coupled(const Memory *k) {
#if HAS_COUPLING
    return k->kept.co_simulates && k->coupling.h > 0 && couples(k);
#elif HAS_APPROACH
    return k->kept.co_simulates && k->stepping.pressing.longest > 0 && couples(k);
#else
    (void)k;
    return 0;
#endif
}

/* Moves inputs to where the body is ahead in the normal direction. */
static void press_ahead(const Memory *k, Inputs *u) {
#if HAS_APPROACH
    press(u, k->stepping.pressing.way, k->stepping.pressing.rate);
#else
    (void)k;
    (void)u;
#endif
}

/* The inputs of now. After a step with the body they are those ahead in the normal direction and,
 * as long as the host does not say otherwise, the velocity is the one expected at the end of the
 * step: they are then put into the room. */
static const Inputs *present_inputs(const Memory *k, Inputs *room) {
    if (!is_coupled(k)) return &k->reals.u;
    *room = k->reals.u;
    press_ahead(k, room);
#if HAS_COUPLING
    Inputs before = k->coupling.u;
    if (memcmp(velocity_of(room), velocity_of(&before), N_AXES * sizeof(double)) == 0)
        memcpy(velocity_of(room), k->coupling.w, N_AXES * sizeof(double));
#endif
    return room;
}

#if HAS_COUPLING
/* Puts the mean force of the last step in place of that of the law at its end, where the inputs are
 * u, and all that depends on it. */
static void put_mean_force(const Coupling *s, const Parameters *p, const Inputs *u, Outputs *y) {
    double *value = (double *)y, *F = value + COUPLED_FORCE;
    const double *given = s->force[0];
    const double before = N_AXES == 1 ? F[0] : norm_of(F),
                 now = N_AXES == 1 ? given[0] : norm_of(given);
    double power = 0; /* at the velocity that is expected on the average */
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

/* Without the body no load is observed, not even before the step that forgets the body. */
static void forget_load(Memory *k) {
#if HAS_COUPLING
    memset(&k->reals.observed, 0, sizeof k->reals.observed);
#else
    (void)k;
#endif
}

/* Puts the force that a step with the body has given in place of that of the law. */
static void give_coupled(Memory *k, const Inputs *u) {
#if HAS_COUPLING
    const Coupling *history = &k->coupling;
    put_mean_force(history, &k->reals.p, u, &k->reals.y);
    for (int i = 0; i < N_AXES; i++)
        k->reals.observed.load[i] = history->load[i] + given_load(&history->u, i);
#else
    (void)k;
    (void)u;
#endif
}
