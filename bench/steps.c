/* Communication steps of the FMU's co-simulation against SUNDIALS, restarted at each, at the same
 * error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmark.h"
#include "sundials.h"
#include "measurements.h"

/* The error required of SUNDIALS where the FMU is exact. */
static const double NEAR_ENOUGH = 1e-9;

static const double TIGHT = 1e-13; /* tolerance of the reference */

typedef double Trajectory[POINTS][ROOM]; /* states at the end of each step */

typedef struct {
    const Case *subject;
    int moving;
    Drive drive;
    double t_start, x_start[ROOM];
    int modes[ROOM];
    fmi2Component component;
    fmi2FMUstate start; /* of the component */
    double sum;         /* of all forces */
} Run;

typedef struct {
    Run *run;
    Sundials *solver;
} SundialsRun;

static void fmu_one_step(const Run *run, int i) {
    const int first = i * run->subject->model->n_inputs;
    fmu_step(run->subject, run->component, run->t_start + i * STEP, run->drive.u + first,
             run->moving ? run->drive.u_rate + first : NULL);
}

/* Both solvers do the same in a step: set inputs, advance states, compute the force. */
static void run_fmu(void *self) {
    Run *run = self;
    const Case *s = run->subject;
    expect_ok(s->fmu.set_fmu_state(run->component, run->start), "fmi2SetFMUstate");
    for (int i = 0; i < POINTS; i++) {
        double force;
        fmu_one_step(run, i);
        s->fmu.get_real(run->component, &s->force, 1, &force);
        run->sum += force;
    }
}

static int sundials_one_step(const Run *run, Sundials *solver, int i, double *x, double *force) {
    const BareModel *model = run->subject->model;
    const double *u = run->drive.u + i * model->n_inputs,
                 *u_rate = run->drive.u_rate + i * model->n_inputs;
    double end[ROOM], dx[ROOM], y[ROOM];
    if (!sundials_step(solver, u, u_rate, run->modes, STEP, x)) return 0;
    for (int j = 0; j < model->n_inputs; j++) end[j] = u[j] + STEP * u_rate[j];
    model->evaluate(run->subject->p, end, x, run->modes, dx, y);
    *force = y[run->subject->force_place];
    return 1;
}

static void run_sundials(void *self) {
    const SundialsRun *c = self;
    double x[ROOM], force;
    memcpy(x, c->run->x_start, sizeof x);
    for (int i = 0; i < POINTS; i++) {
        sundials_one_step(c->run, c->solver, i, x, &force);
        c->run->sum += force;
    }
}

static void fmu_trajectory(Run *run, Trajectory x) {
    const Case *s = run->subject;
    expect_ok(s->fmu.set_fmu_state(run->component, run->start), "fmi2SetFMUstate");
    for (int i = 0; i < POINTS; i++) {
        fmu_one_step(run, i);
        expect_ok(s->fmu.get_real(run->component, s->states, (size_t)s->model->n_states, x[i]),
                  "fmi2GetReal");
    }
}

static int sundials_trajectory(const Run *run, Sundials *solver, Trajectory x) {
    double state[ROOM], force;
    memcpy(state, run->x_start, sizeof state);
    for (int i = 0; i < POINTS; i++) {
        if (!sundials_one_step(run, solver, i, state, &force)) return 0;
        memcpy(x[i], state, sizeof state);
    }
    return 1;
}

/* Largest error of the trajectory, relative to the nominal or, where larger, the true value. */
static double error_of(const BareModel *model, Trajectory x, Trajectory reference) {
    double worst = 0;
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < model->n_states; j++)
            worst = fmax(worst, fabs(x[i][j] - reference[i][j]) /
                                    fmax(model->state_nominals[j], fabs(reference[i][j])));
    return worst;
}

/* Whether no mode changes along the trajectory, at the starts of its steps. */
static int is_without_events(const Run *run, Trajectory x) {
    const BareModel *model = run->subject->model;
    for (int i = 1; i < POINTS; i++) {
        double state[ROOM];
        int modes[ROOM];
        memcpy(state, x[i - 1], sizeof state);
        memcpy(modes, run->modes, sizeof modes);
        model->settle(run->subject->p, run->drive.u + i * model->n_inputs, state, modes);
        if (memcmp(modes, run->modes, sizeof(int) * (size_t)model->n_modes) != 0) return 0;
    }
    return 1;
}

/* Finds the loosest tolerance of SUNDIALS, in quarters of a decade, whose error is no larger than
 * wanted; NULL if there is none. */
static Sundials *tuned_sundials(const Run *run, Method method, double wanted, Trajectory reference,
                                double *error) {
    static Trajectory x;
    for (double exponent = 1; exponent < 13; exponent += 0.25) {
        Sundials *solver =
            sundials_new(run->subject->model, run->subject->p, method, pow(10, -exponent));
        if (sundials_trajectory(run, solver, x)) {
            *error = error_of(run->subject->model, x, reference);
            if (*error <= wanted) return solver;
        }
        sundials_free(solver);
    }
    return NULL;
}

static Run *new_run(const Case *subject, const Motion *motion, int moving) {
    const BareModel *model = subject->model;
    double x[ROOM];
    Run *run = new_array(1, sizeof *run);
    run->subject = subject;
    run->moving = moving;
    run->component = warmed_up(subject, motion, &run->t_start);
    expect_ok(subject->fmu.get_fmu_state(run->component, &run->start), "fmi2GetFMUstate");
    expect_ok(subject->fmu.get_real(run->component, subject->states, (size_t)model->n_states,
                                    run->x_start),
              "fmi2GetReal");
    run->drive = new_drive(model, motion, run->t_start, moving);
    model->start(subject->p, run->drive.u, x, run->modes);
    model->settle(subject->p, run->drive.u, run->x_start, run->modes);
    return run;
}

void add_steps(const Case *subject, const Motion *motion) {
    static Trajectory reference, x;
    static const char *const inputs[] = {"held", "moving"};
    static const char *const methods[METHODS] = {"CVODE BDF", "CVODE Adams", "ARKODE DIRK"};
    if (subject->model->n_states == 0) return;
    for (int moving = 0; moving < 2; moving++) {
        Run *run = new_run(subject, motion, moving);
        Sundials *tight = sundials_new(subject->model, subject->p, CVODE_BDF, TIGHT);
        const int found =
            sundials_trajectory(run, tight, reference) && is_without_events(run, reference);
        sundials_free(tight);
        if (!found) continue;
        fmu_trajectory(run, x);
        const double own = error_of(subject->model, x, reference);
        Benchmark fmu = {subject->label, motion->name, "fmu", "", run_fmu, run, POINTS};
        snprintf(fmu.remark, sizeof fmu.remark, "%s\t%.1e", inputs[moving], own);
        add_benchmark(fmu);
        for (Method method = 0; method < METHODS; method++) {
            double error;
            SundialsRun *sundials = new_array(1, sizeof *sundials);
            sundials->run = run;
            sundials->solver =
                tuned_sundials(run, method, fmax(own, NEAR_ENOUGH), reference, &error);
            if (!sundials->solver) continue;
            Benchmark benchmark = {subject->label, motion->name, methods[method], "",
                                   run_sundials,   sundials,     POINTS};
            snprintf(benchmark.remark, sizeof benchmark.remark, "%s\t%.1e", inputs[moving], error);
            add_benchmark(benchmark);
        }
    }
}
