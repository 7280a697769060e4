/* The same cycle and step for FMUs of any origin, which are known by their interface alone. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "benchmark.h"
#include "measurements.h"

typedef struct {
    const Case *subject;
    fmi2Component component;
    double *inputs, forces[POINTS];
    int made; /* steps */
} Run;

static char *field(char **place, const char *what) {
    char *found = strtok_r(NULL, "|", place);
    if (!found) fail("A peer lacks its %s.", what);
    return found;
}

static fmi2ValueReference reference(const char *text) {
    return (fmi2ValueReference)strtoul(text, NULL, 10);
}

Case read_peer(char *text, int needs) {
    Case peer;
    char *place = NULL;
    BareModel *model = new_array(1, sizeof *model);
    memset(&peer, 0, sizeof peer);
    peer.model = model;
    peer.label = model->name = strtok_r(text, "|", &place);
    peer.fmu = fmu_load(field(&place, "library"), needs);
    model->guid = field(&place, "guid");
    peer.fmu.resources = field(&place, "resources");
    model->n_states = atoi(field(&place, "states"));
    if (model->n_states > ROOM) fail("%s has too many states: see ROOM in bare.h.", peer.label);
    peer.force = reference(field(&place, "force"));
    peer.inputs[model->n_inputs++] = reference(field(&place, "velocity"));
    const char *normal = field(&place, "normal force");
    if (*normal != '-') peer.inputs[model->n_inputs++] = reference(normal);
    for (char *next; (next = strtok_r(NULL, "|", &place)) && model->n_parameters < ROOM;) {
        peer.parameters[model->n_parameters] = reference(next);
        peer.p[model->n_parameters++] = strtod(strchr(next, '=') + 1, NULL);
    }
    return peer;
}

double *peer_inputs(const Case *peer, const Motion *motion, double t) {
    const int n = peer->model->n_inputs;
    double *inputs = new_array((size_t)(POINTS * n), sizeof *inputs);
    for (int i = 0; i < POINTS; i++) {
        inputs[i * n] = velocity_at(motion, t + i * STEP);
        if (n > 1) inputs[i * n + 1] = normal_force_at(t + i * STEP);
    }
    return inputs;
}

static void run_steps(void *self) {
    Run *run = self;
    const Case *s = run->subject;
    for (int i = 0; i < POINTS; i++) {
        fmu_step(s, run->component, run->made++ * STEP, run->inputs + i * s->model->n_inputs, NULL);
        expect_ok(s->fmu.get_real(run->component, &s->force, 1, &run->forces[i]), "fmi2GetReal");
    }
}

void add_peer_steps(const Case *peer, const Motion *motion) {
    double squares = 0;
    Run *run = new_array(1, sizeof *run);
    run->subject = peer;
    run->component =
        fmu_start(&peer->fmu, peer->model, fmi2CoSimulation, peer->parameters, peer->p);
    expect_ok(peer->fmu.exit_initialization_mode(run->component), "fmi2ExitInitializationMode");
    while (run->made < WARM_UP) {
        free(run->inputs);
        run->inputs = peer_inputs(peer, motion, run->made * STEP);
        run_steps(run);
    }
    for (int i = 0; i < POINTS; i++) squares += run->forces[i] * run->forces[i];
    Benchmark benchmark = {peer->label, motion->name, "step", "", run_steps, run, POINTS};
    snprintf(benchmark.remark, sizeof benchmark.remark, "held\t%.6g", sqrt(squares / POINTS));
    add_benchmark(benchmark);
}
