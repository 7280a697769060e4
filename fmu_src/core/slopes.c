/* Directional derivatives: the exact slopes of the model, along any direction of its inputs, states
 * and parameters. */
#include <string.h>

/* Computes slopes of the initial states, which depend on parameters and inputs. */
static void start_slopes(const Memory *k, Reals *slopes) {
    slopes->x = start_values(&slopes->p);
#if HAS_INITIALIZE
    States x = start_values(&k->reals.p);
    initialize_slopes(&k->reals.p, &slopes->p, &k->reals.u, &slopes->u, &x, &slopes->x);
#else
    (void)k;
#endif
}

/* Computes the slopes of derivatives and outputs from those of parameters, inputs and states. */
static Status propagate_slopes(Instance *c, Reals *slopes) {
    Memory *k = &c->memory;
    States dx;
    Outputs y;
    const Status status = check_point(c);
    if (status != STATUS_OK) return status;
    const Present now = present(k);
    evaluate_slopes(&k->reals.p, &slopes->p, &k->reals.u, &slopes->u, &now.x, &slopes->x,
                    &now.modes, &dx, &slopes->dx, &y, &slopes->y);
    if (!all_finite(output_values(&slopes->y), N_OUTPUTS) ||
        !all_finite(state_values(&slopes->dx), N_STATES))
        return refuse_result(c, "a directional derivative is not finite");
    return STATUS_OK;
}

static Status directional_derivative(Instance *c, const Reference vUnknown_ref[], size_t nUnknown,
                                     const Reference vKnown_ref[], size_t nKnown,
                                     const double dvKnown[], double dvUnknown[],
                                     const char *function) {
    Status status =
        allow_arrays(c, ANY_PHASE & ~INSTANTIATED, vUnknown_ref, dvUnknown, nUnknown, function);
    if (status == STATUS_OK)
        status = allow_arrays(c, ANY_PHASE, vKnown_ref, dvKnown, nKnown, function);
    if (status != STATUS_OK) return status;
    Memory *k = &c->memory;
    const int starting = (k->kept.phase & BEFORE_START) != 0;
    Reals slopes;
    memset(&slopes, 0, sizeof slopes);
    for (size_t i = 0; i < nKnown; i++) {
        if (vKnown_ref[i] >= N_REALS) return unknown_reference(c, vKnown_ref[i], "Real");
        if (!is_parameter(vKnown_ref[i]) && !is_input(vKnown_ref[i]) &&
            !(is_state(vKnown_ref[i]) && !starting))
            return refuse(c, STATUS_ERROR,
                          "%s is not known here: there is no derivative with respect to it.",
                          real_names[vKnown_ref[i]]);
        *real_place(&slopes, vKnown_ref[i]) += dvKnown[i];
    }
    if (starting) {
        update_start(k);
        start_slopes(k, &slopes);
    }
    if ((status = propagate_slopes(c, &slopes)) != STATUS_OK) return status;
    for (size_t i = 0; i < nUnknown; i++) {
        if (vUnknown_ref[i] >= N_REALS) return unknown_reference(c, vUnknown_ref[i], "Real");
        if (!is_unknown_quantity(vUnknown_ref[i]) && !(is_state(vUnknown_ref[i]) && starting))
            return refuse(c, STATUS_ERROR, "%s is not an unknown here: it has no derivative.",
                          real_names[vUnknown_ref[i]]);
        dvUnknown[i] = *real_place(&slopes, vUnknown_ref[i]);
    }
    return STATUS_OK;
}
