/* Many instances in one process, alone or as a chain of blocks, and two threads: each instance has
 * its own memory and nothing is shared, so the cost of a step ought not to depend on how many there
 * are. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "benchmark.h"
#include "measurements.h"

enum {
    STEPS = 100000, /* in a run, of all instances together */
    SETTLED = 10,   /* steps of each before: 1 mm of slip, several deflections of a bristle */
    BOTH = 1000     /* instances of two threads */
};

static const double BELT = 0.1, MASS = 1, STIFFNESS = 1e3; /* of a chain [m/s, kg, N/m] */

typedef struct {
    double x, v;
} Block;

typedef struct {
    const Case *subject;
    fmi2Component *components;
    const double *inputs;
    int n, made;   /* instances, steps of each */
    Block *blocks; /* in a row on a belt, with springs between them, or NULL */
} Instances;

/* Advances a block by a step of Euler's method; the first is fixed to a wall, the last one free. */
static void move(const Instances *instances, int i, double force) {
    Block *b = &instances->blocks[i];
    const double behind = i > 0 ? b[-1].x : 0, ahead = i + 1 < instances->n ? b[1].x : b->x;
    b->v += STEP / MASS * (STIFFNESS * (behind + ahead - 2 * b->x) - force);
    b->x += STEP * b->v;
}

/* Steps all instances in turn until there are so many steps. No two neighbours are at the same
 * point of the motion, so each sweep covers all of it. */
static void sweep(Instances *instances, int steps) {
    const Case *s = instances->subject;
    for (int left = steps; left > 0; left -= instances->n, instances->made++)
        for (int i = 0; i < instances->n; i++) {
            const int point = (instances->made + i) % POINTS;
            double force, u[2];
            for (int j = 0; j < s->model->n_inputs; j++)
                u[j] = instances->inputs[point * s->model->n_inputs + j];
            if (instances->blocks) u[0] = instances->blocks[i].v - BELT;
            fmu_step(s, instances->components[i], instances->made * STEP, u, NULL);
            s->fmu.get_real(instances->components[i], &s->force, 1, &force);
            if (instances->blocks) move(instances, i, force);
        }
}

static void run_all(void *instances) {
    sweep(instances, STEPS);
}

static void *run_half(void *instances) {
    sweep(instances, STEPS / 2);
    return NULL;
}

static void run_both(void *self) {
    Instances *halves = self;
    pthread_t other;
    if (pthread_create(&other, NULL, run_half, &halves[1])) fail("There is no second thread.");
    run_half(&halves[0]);
    pthread_join(other, NULL);
}

static Instances new_instances(const Case *subject, const double *inputs, int n, int chained) {
    Instances instances = {subject, new_array((size_t)n, sizeof(fmi2Component)), inputs, n, 0,
                           NULL};
    if (chained) instances.blocks = new_array((size_t)n, sizeof(Block));
    for (int i = 0; i < n; i++) {
        instances.components[i] = fmu_start(&subject->fmu, subject->model, fmi2CoSimulation,
                                            subject->parameters, subject->p);
        expect_ok(subject->fmu.exit_initialization_mode(instances.components[i]),
                  "fmi2ExitInitializationMode");
    }
    return instances;
}

static void enter(const Case *subject, int n, int threads, int chained) {
    const Allocations before = allocations;
    const double *inputs = peer_inputs(subject, &motions[1], 0);
    Instances *halves = new_array(2, sizeof *halves);
    char *side = new_array(16, 1);
    for (int i = 0; i < threads; i++) {
        halves[i] = new_instances(subject, inputs, n / threads, chained);
        sweep(&halves[i], SETTLED * halves[i].n);
    }
    snprintf(side, 16, "%d", n);
    Benchmark benchmark = {
        subject->label, motions[1].name, side, "", threads > 1 ? run_both : run_all, halves, STEPS};
    snprintf(benchmark.remark, sizeof benchmark.remark,
             chained       ? "chain\t%zu"
             : threads > 1 ? "2\t%zu"
                           : "1\t%zu",
             (allocations.bytes - before.bytes) / (size_t)n);
    add_benchmark(benchmark);
}

void add_scale(const Case *subject) {
    for (int n = 1; n <= STEPS; n *= 10) enter(subject, n, 1, 0);
    enter(subject, BOTH, 2, 0);
    for (int n = 1; n <= STEPS && subject->model->n_inputs == 2; n *= 10) enter(subject, n, 1, 1);
}
