/* Many instances in one process, alone or as a chain of blocks, and two threads: each instance has
 * its own memory and nothing is shared, so the cost of a step ought not to depend on how many there
 * are. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "contest.h"
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
} Crowd;

/* Takes a block over a step, by Euler's method; the first is held by a wall, the last by nobody. */
static void move(const Crowd *crowd, int i, double force) {
    Block *b = &crowd->blocks[i];
    const double behind = i > 0 ? b[-1].x : 0, ahead = i + 1 < crowd->n ? b[1].x : b->x;
    b->v += STEP / MASS * (STIFFNESS * (behind + ahead - 2 * b->x) - force);
    b->x += STEP * b->v;
}

/* Steps every instance once, and again until there are as many steps as asked for. No two
 * neighbours are at the same point of the motion, so each sweep has all of it. */
static void sweep(Crowd *crowd, int steps) {
    const Case *s = crowd->subject;
    for (int left = steps; left > 0; left -= crowd->n, crowd->made++)
        for (int i = 0; i < crowd->n; i++) {
            const int point = (crowd->made + i) % POINTS;
            double force, u[2];
            for (int j = 0; j < s->model->n_inputs; j++)
                u[j] = crowd->inputs[point * s->model->n_inputs + j];
            if (crowd->blocks) u[0] = crowd->blocks[i].v - BELT;
            fmu_step(s, crowd->components[i], crowd->made * STEP, u, NULL);
            s->fmu.get_real(crowd->components[i], &s->force, 1, &force);
            if (crowd->blocks) move(crowd, i, force);
        }
}

static void run_crowd(void *crowd) {
    sweep(crowd, STEPS);
}

static void *run_half(void *crowd) {
    sweep(crowd, STEPS / 2);
    return NULL;
}

static void run_both(void *self) {
    Crowd *crowds = self;
    pthread_t other;
    if (pthread_create(&other, NULL, run_half, &crowds[1])) fail("There is no second thread.");
    run_half(&crowds[0]);
    pthread_join(other, NULL);
}

static Crowd new_crowd(const Case *subject, const double *inputs, int n, int chained) {
    Crowd crowd = {subject, new_array((size_t)n, sizeof(fmi2Component)), inputs, n, 0, NULL};
    if (chained) crowd.blocks = new_array((size_t)n, sizeof(Block));
    for (int i = 0; i < n; i++) {
        crowd.components[i] = fmu_start(&subject->fmu, subject->model, fmi2CoSimulation,
                                        subject->parameters, subject->p);
        expect_ok(subject->fmu.exit_initialization_mode(crowd.components[i]),
                  "fmi2ExitInitializationMode");
    }
    return crowd;
}

static void enter(const Case *subject, int n, int threads, int chained) {
    const Allocations before = allocations;
    const double *inputs = peer_inputs(subject, &motions[1], 0);
    Crowd *crowds = new_array(2, sizeof *crowds);
    char *side = new_array(16, 1);
    for (int i = 0; i < threads; i++) {
        crowds[i] = new_crowd(subject, inputs, n / threads, chained);
        sweep(&crowds[i], SETTLED * crowds[i].n);
    }
    snprintf(side, 16, "%d", n);
    Contestant contestant = {
        subject->label, motions[1].name, side, "", threads > 1 ? run_both : run_crowd, crowds,
        STEPS};
    snprintf(contestant.remark, sizeof contestant.remark,
             chained       ? "chain\t%zu"
             : threads > 1 ? "2\t%zu"
                           : "1\t%zu",
             (allocations.bytes - before.bytes) / (size_t)n);
    join(contestant);
}

void join_scale(const Case *subject) {
    for (int n = 1; n <= STEPS; n *= 10) enter(subject, n, 1, 0);
    enter(subject, BOTH, 2, 0);
    for (int n = 1; n <= STEPS && subject->model->n_inputs == 2; n *= 10) enter(subject, n, 1, 1);
}
