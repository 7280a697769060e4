/* The evaluation cycle of model exchange against the bare model. */
#include <stdlib.h>
#include <string.h>

#include "benchmark.h"
#include "measurements.h"

struct Cycle {
    const Case *subject;
    fmi2Component component;
    int modes[ROOM];
    int n_points;
    double times[POINTS];
    double *inputs, *states; /* of all points, packed */
    double sum;              /* of all forces, so that no evaluation is optimized away */
};

static const double *inputs_of(const Cycle *cycle, int i) {
    return cycle->inputs + i * cycle->subject->model->n_inputs;
}

static const double *states_of(const Cycle *cycle, int i) {
    return cycle->states + i * cycle->subject->model->n_states;
}

static double fmu_point(const Cycle *cycle, int i) {
    const Case *s = cycle->subject;
    const size_t n_states = (size_t)s->model->n_states;
    double rates[ROOM], force;
    s->fmu.set_time(cycle->component, cycle->times[i]);
    s->fmu.set_real(cycle->component, s->inputs, (size_t)s->model->n_inputs, inputs_of(cycle, i));
    if (n_states > 0) {
        s->fmu.set_continuous_states(cycle->component, states_of(cycle, i), n_states);
        s->fmu.get_derivatives(cycle->component, rates, n_states);
    }
    expect_ok(s->fmu.get_real(cycle->component, &s->force, 1, &force), "fmi2GetReal");
    return force;
}

static double bare_point(const Cycle *cycle, int i) {
    const Case *s = cycle->subject;
    double rates[ROOM], outputs[ROOM];
    s->model->evaluate(s->p, inputs_of(cycle, i), states_of(cycle, i), cycle->modes, rates,
                       outputs);
    return outputs[s->force_place];
}

void run_fmu_cycle(void *self) {
    Cycle *cycle = self;
    for (int i = 0; i < cycle->n_points; i++) cycle->sum += fmu_point(cycle, i);
}

static void run_bare_cycle(void *self) {
    Cycle *cycle = self;
    for (int i = 0; i < cycle->n_points; i++) cycle->sum += bare_point(cycle, i);
}

/* Records points of a co-simulation of the motion, those with the modes of the first one. */
static void record_points(Cycle *cycle, const Motion *motion) {
    const Case *s = cycle->subject;
    const size_t n_inputs = (size_t)s->model->n_inputs, n_states = (size_t)s->model->n_states;
    double t;
    fmi2Component c = warmed_up(s, motion, &t);
    const Drive drive = new_drive(s->model, motion, t, 1);
    cycle->inputs = new_array(POINTS * n_inputs, sizeof *cycle->inputs);
    cycle->states = new_array(POINTS * n_states, sizeof *cycle->states);
    for (size_t i = 0; i < POINTS; i++) {
        const size_t place = (size_t)cycle->n_points;
        double *u = cycle->inputs + place * n_inputs, *x = cycle->states + place * n_states;
        int modes[ROOM];
        memcpy(u, drive.u + i * n_inputs, n_inputs * sizeof *u);
        if (n_states > 0) expect_ok(s->fmu.get_real(c, s->states, n_states, x), "fmi2GetReal");
        if (place == 0) {
            double start[ROOM];
            s->model->start(s->p, u, start, cycle->modes);
            s->model->settle(s->p, u, x, cycle->modes);
        }
        memcpy(modes, cycle->modes, sizeof modes);
        s->model->settle(s->p, u, x, modes);
        cycle->times[place] = t;
        if (memcmp(modes, cycle->modes, sizeof(int) * (size_t)s->model->n_modes) == 0)
            cycle->n_points++;
        fmu_step(s, c, t, drive.u + i * n_inputs, drive.u_rate + i * n_inputs);
        t += STEP;
    }
    s->fmu.free_instance(c);
}

/* Sets the states of all points to the initial ones of the instance. */
static void copy_initial_states(Cycle *cycle, fmi2Component c) {
    const size_t n = (size_t)cycle->subject->model->n_states;
    cycle->states = new_array(POINTS * n, sizeof *cycle->states);
    for (size_t i = 0; i < POINTS; i++)
        expect_ok(cycle->subject->fmu.get_continuous_states(c, cycle->states + i * n, n),
                  "fmi2GetContinuousStates");
}

/* Starts a model exchange in continuous-time mode, with the modes of the first point. */
static fmi2Component start_exchange(Cycle *cycle) {
    const Case *s = cycle->subject;
    fmi2EventInfo info;
    fmi2Component c = fmu_start(&s->fmu, s->model, fmi2ModelExchange, s->parameters, s->p);
    expect_ok(s->fmu.set_real(c, s->inputs, (size_t)s->model->n_inputs, cycle->inputs),
              "fmi2SetReal");
    expect_ok(s->fmu.exit_initialization_mode(c), "fmi2ExitInitializationMode");
    if (s->model->n_states > 0 && !cycle->states)
        copy_initial_states(cycle, c);
    else if (s->model->n_states > 0)
        expect_ok(s->fmu.set_continuous_states(c, cycle->states, (size_t)s->model->n_states),
                  "fmi2SetContinuousStates");
    for (int i = 0; i == 0 || (info.newDiscreteStatesNeeded && i < POINTS); i++)
        expect_ok(s->fmu.new_discrete_states(c, &info), "fmi2NewDiscreteStates");
    expect_ok(s->fmu.enter_continuous_time_mode(c), "fmi2EnterContinuousTimeMode");
    return c;
}

static Cycle *empty_cycle(const Case *subject) {
    Cycle *cycle = new_array(1, sizeof *cycle);
    cycle->subject = subject;
    return cycle;
}

Cycle *new_cycle(const Case *subject, const Motion *motion) {
    Cycle *cycle = empty_cycle(subject);
    record_points(cycle, motion);
    cycle->component = start_exchange(cycle);
    return cycle;
}

void add_peer_cycle(const Case *subject, const Motion *motion) {
    Cycle *cycle = empty_cycle(subject);
    cycle->inputs = peer_inputs(subject, motion, 0);
    cycle->n_points = POINTS;
    for (int i = 0; i < POINTS; i++) cycle->times[i] = i * STEP;
    cycle->component = start_exchange(cycle);
    add_benchmark(
        (Benchmark){subject->label, motion->name, "cycle", "", run_fmu_cycle, cycle, POINTS});
}

void add_cycles(const Case *subject, const Motion *motion) {
    Cycle *cycle = new_cycle(subject, motion);
    for (int i = 0; i < cycle->n_points; i++)
        if (fmu_point(cycle, i) != bare_point(cycle, i))
            fail("%s, %s: the FMU and the bare model differ.", subject->label, motion->name);
    add_benchmark((Benchmark){subject->label, motion->name, "fmu", "", run_fmu_cycle, cycle,
                              cycle->n_points});
    add_benchmark((Benchmark){subject->label, motion->name, "bare", "", run_bare_cycle, cycle,
                              cycle->n_points});
}
