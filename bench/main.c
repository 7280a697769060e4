/* Measures FMUs:
 *
 *     bench cycles ROUNDS CASE...       evaluation cycle of model exchange and the bare model
 *     bench steps ROUNDS CASE...        communication steps and SUNDIALS
 *     bench memory CASE...              bytes and allocations
 *     bench cycle ROUNDS PEER...        evaluation cycle of any FMU
 *     bench step ROUNDS PEER...         communication steps of any FMU
 *     bench scale ROUNDS PEER...        steps of many instances, and in two threads
 *
 * A case is label|library of the FMU|library of the bare model|parameter=value|... measurements.h
 * says what a peer is. Lines with tabs come out; benchmark.h and measurements.h describe them.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "benchmark.h"
#include "measurements.h"

static int find_real(const BareModel *model, const char *name, int first, int count) {
    for (int i = first; i < first + count; i++)
        if (strcmp(model->real_name(i), name) == 0) return i;
    return -1;
}

static const BareModel *load_bare(const char *path) {
    const BareModel *(*bare_model)(void);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("%s", dlerror());
    *(void **)&bare_model = dlsym(library, "bare_model");
    if (!bare_model) fail("%s", dlerror());
    return bare_model();
}

static void set_parameter(Case *subject, char *assignment) {
    char *value = strchr(assignment, '=');
    if (!value) fail("\"%s\" is not name=value.", assignment);
    *value++ = '\0';
    const int place = find_real(subject->model, assignment, 0, subject->model->n_parameters);
    if (place < 0) fail("%s has no parameter %s.", subject->model->name, assignment);
    subject->p[place] = strtod(value, NULL);
}

static Case read_case(char *text) {
    Case subject;
    char *place = NULL;
    memset(&subject, 0, sizeof subject);
    subject.label = strtok_r(text, "|", &place);
    const char *fmu = strtok_r(NULL, "|", &place), *bare = strtok_r(NULL, "|", &place);
    if (!bare) fail("\"%s\" is not label|library of the FMU|library of the bare model.", text);
    subject.fmu = fmu_load(fmu, MODEL_EXCHANGE | CO_SIMULATION);
    const BareModel *m = subject.model = load_bare(bare);
    const int first_output = m->n_parameters + m->n_inputs + 2 * m->n_states;
    if (m->n_parameters > ROOM || m->n_inputs > ROOM || m->n_states > ROOM || m->n_outputs > ROOM ||
        m->n_modes > ROOM)
        fail("%s is too large: see ROOM in bare.h.", m->name);
    memcpy(subject.p, m->parameter_starts, sizeof *subject.p * (size_t)m->n_parameters);
    for (char *next = strtok_r(NULL, "|", &place); next; next = strtok_r(NULL, "|", &place))
        set_parameter(&subject, next);
    for (int i = 0; i < m->n_parameters; i++) subject.parameters[i] = (fmi2ValueReference)i;
    for (int i = 0; i < m->n_inputs; i++) {
        subject.inputs[i] = (fmi2ValueReference)(m->n_parameters + i);
        subject.first_order[i] = 1;
    }
    for (int i = 0; i < m->n_states; i++)
        subject.states[i] = (fmi2ValueReference)(m->n_parameters + m->n_inputs + i);
    const int force = find_real(m, "frictionForce", first_output, m->n_outputs);
    /* a vector or a torque comes first */
    subject.force_place = force < 0 ? 0 : force - first_output;
    subject.force = (fmi2ValueReference)(first_output + subject.force_place);
    return subject;
}

/* The measurements, and what each does with a case. */
static const struct {
    const char *name;
    int n_motions, peers; /* what is needed of a peer; 0 for cases */
    void (*enter)(const Case *subject, const Motion *motion);
    void (*once)(const Case *subject);
} measurements[] = {
    {"cycles", N_STEADY, 0, add_cycles, NULL},
    {"steps", N_MOTIONS, 0, add_steps, NULL},
    {"memory", 0, 0, NULL, print_memory},
    {"scale", 0, CO_SIMULATION, NULL, add_scale},
    {"cycle", N_STEADY, MODEL_EXCHANGE, add_peer_cycle, NULL},
    {"step", N_MOTIONS, CO_SIMULATION, add_peer_steps, NULL},
};

int main(int count, char **arguments) {
    const size_t n_measurements = sizeof measurements / sizeof *measurements;
    size_t what = 0;
    while (what < n_measurements &&
           strcmp(count > 1 ? arguments[1] : "", measurements[what].name) != 0)
        what++;
    const int is_timed = what < n_measurements && measurements[what].once != print_memory;
    const int first = is_timed ? 3 : 2;
    if (what == n_measurements || count <= first)
        fail("call it as: bench cycles, steps, cycle, step or scale ROUNDS CASE... or bench memory "
             "CASE...");
    const int rounds = is_timed ? atoi(arguments[2]) : 0;
    if (is_timed && rounds < 1) fail("\"%s\" is no number of rounds.", arguments[2]);

    const int n_cases = count - first;
    Case *cases = new_array((size_t)n_cases, sizeof *cases);
    for (int i = 0; i < n_cases; i++) {
        cases[i] = measurements[what].peers
                       ? read_peer(arguments[first + i], measurements[what].peers)
                       : read_case(arguments[first + i]);
        if (measurements[what].once) measurements[what].once(&cases[i]);
        for (int j = 0; j < measurements[what].n_motions; j++)
            measurements[what].enter(&cases[i], &motions[j]);
    }
    if (is_timed) run_benchmarks(rounds);
    return 0;
}
