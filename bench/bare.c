/* The last part of a unit like the FMU's own fmu.c, in place of the FMI layer: exports the model
 * itself. */
#include "bare.h"

__attribute__((visibility("default"))) const BareModel *bare_model(void);

static const char *bare_real_name(int reference) {
    return real_names[reference];
}

static void bare_settle(const double *p, const double *u, double *x, int *m) {
    settle_modes((const Parameters *)p, (const Inputs *)u, (States *)x, (Modes *)m);
}

static void bare_start(const double *p, const double *u, double *x, int *m) {
    for (int i = 0; i < N_STATES; i++) x[i] = p[N_PARAMETERS - N_STATES + i];
    for (int i = 0; i < N_MODES; i++) m[i] = 0;
    for (int i = 0; i < N_OPTIONS; i++) m[N_MODES + i] = own_defaults.options[i];
#if HAS_INITIALIZE
    initialize((const Parameters *)p, (const Inputs *)u, (States *)x);
#endif
    bare_settle(p, u, x, m);
}

static void bare_evaluate(const double *p, const double *u, const double *x, const int *m,
                          double *dx, double *y) {
    evaluate((const Parameters *)p, (const Inputs *)u, (const States *)x, (const Modes *)m,
             (States *)dx, (Outputs *)y);
}

static void bare_jacobian(const double *p, const double *u, const double *x, const int *m,
                          double *J) {
    for (int j = 0; j < N_STATES; j++) {
        States seed = no_states, dx;
        Outputs y, y_slope;
        ((double *)&seed)[j] = 1;
        evaluate_slopes((const Parameters *)p, &no_parameters, (const Inputs *)u, &no_inputs,
                        (const States *)x, &seed, (const Modes *)m, &dx,
                        (States *)(J + j * N_STATES), &y, &y_slope);
    }
}

const BareModel *bare_model(void) {
    static const BareModel model = {
        own_defaults.name,
        own_defaults.guid,
        N_PARAMETERS,
        N_INPUTS,
        N_STATES,
        N_OUTPUTS,
        N_MODES + N_OPTIONS,
        bare_real_name,
        own_defaults.parameters,
        own_defaults.inputs,
        state_nominals,
        bare_start,
        bare_settle,
        bare_evaluate,
        bare_jacobian,
    };
    return &model;
}
