#include "motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With the parameters of the papers the first stays below the static limit, the second is full
 * sliding. */
const Motion motions[N_MOTIONS] = {
    {"stick", 0, 5e-4, 20},
    {"slip", 0.1, 0.02, 20},
    {"reversal", 0, 0.1, 2},
};

static double wave(double frequency, double t) {
    return sin(6.283185307179586 * frequency * t);
}

double normal_force_at(double t) {
    return 9.81 * (1 + 0.1 * wave(3, t));
}

double velocity_at(const Motion *motion, double t) {
    return motion->mean + motion->amplitude * wave(motion->frequency, t);
}

void inputs_at(const BareModel *model, const Motion *motion, double t, double *u) {
    int moves = 0;
    for (int i = 0; i < model->n_inputs; i++) {
        const char *name = model->real_name(model->n_parameters + i);
        u[i] = model->input_starts[i];
        if (strcmp(name, "normalForce") == 0) u[i] = normal_force_at(t);
        if (strstr(name, "elocity") && !moves) {
            u[i] = velocity_at(motion, t);
            moves = 1; /* of a vector the first component */
        }
    }
}

static void rates_to_next(const BareModel *model, const Motion *motion, double t, const double *u,
                          double *u_rate) {
    inputs_at(model, motion, t + STEP, u_rate);
    for (int i = 0; i < model->n_inputs; i++) u_rate[i] = (u_rate[i] - u[i]) / STEP;
}

Drive new_drive(const BareModel *model, const Motion *motion, double t, int moving) {
    const size_t n = (size_t)model->n_inputs;
    const Drive drive = {new_array(POINTS * n, sizeof(double)),
                         new_array(POINTS * n, sizeof(double))};
    for (size_t i = 0; i < POINTS; i++) {
        inputs_at(model, motion, t + (double)i * STEP, drive.u + i * n);
        if (moving)
            rates_to_next(model, motion, t + (double)i * STEP, drive.u + i * n,
                          drive.u_rate + i * n);
    }
    return drive;
}

void fmu_step(const Case *subject, fmi2Component c, double t, const double *u,
              const double *u_rate) {
    const size_t n = (size_t)subject->model->n_inputs;
    expect_ok(subject->fmu.set_real(c, subject->inputs, n, u), "fmi2SetReal");
    if (u_rate)
        expect_ok(subject->fmu.set_real_input_derivatives(c, subject->inputs, n,
                                                          subject->first_order, u_rate),
                  "fmi2SetRealInputDerivatives");
    expect_ok(subject->fmu.do_step(c, t, STEP, fmi2True), "fmi2DoStep");
}

fmi2Component warmed_up(const Case *subject, const Motion *motion, double *time_reached) {
    fmi2Component c =
        fmu_start(&subject->fmu, subject->model, fmi2CoSimulation, subject->parameters, subject->p);
    double u[ROOM], u_rate[ROOM];
    inputs_at(subject->model, motion, 0, u);
    expect_ok(subject->fmu.set_real(c, subject->inputs, (size_t)subject->model->n_inputs, u),
              "fmi2SetReal");
    expect_ok(subject->fmu.exit_initialization_mode(c), "fmi2ExitInitializationMode");
    for (int i = 0; i < WARM_UP; i++) {
        inputs_at(subject->model, motion, i * STEP, u);
        rates_to_next(subject->model, motion, i * STEP, u, u_rate);
        fmu_step(subject, c, i * STEP, u, u_rate);
    }
    *time_reached = WARM_UP * STEP;
    return c;
}
