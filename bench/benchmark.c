#define _POSIX_C_SOURCE 200809L
#include "benchmark.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "motion.h"

enum { BENCHMARKS_AT_MOST = 2000 };

static Benchmark benchmarks[BENCHMARKS_AT_MOST];
static int n_benchmarks;

void add_benchmark(Benchmark benchmark) {
    if (n_benchmarks == BENCHMARKS_AT_MOST) fail("There are too many cases.");
    benchmarks[n_benchmarks++] = benchmark;
}

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The name by which callgrind counts. */
__attribute__((noinline)) void measured(const Benchmark *benchmark) {
    benchmark->run(benchmark->self);
    __asm__ volatile("" ::: "memory");
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void run_benchmarks(int rounds) {
    const size_t count = (size_t)rounds * (size_t)n_benchmarks;
    double *wall = new_array(count, sizeof *wall), *processor = new_array(count, sizeof *processor);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < n_benchmarks; i++) {
            const double processor_start = now(CLOCK_THREAD_CPUTIME_ID),
                         wall_start = now(CLOCK_MONOTONIC);
            measured(&benchmarks[i]);
            wall[i * rounds + round] = now(CLOCK_MONOTONIC) - wall_start;
            processor[i * rounds + round] = now(CLOCK_THREAD_CPUTIME_ID) - processor_start;
        }
    }
    for (int i = 0; i < n_benchmarks; i++) {
        const Benchmark *c = &benchmarks[i];
        double *own_wall = wall + i * rounds, *own_processor = processor + i * rounds;
        qsort(own_wall, (size_t)rounds, sizeof *own_wall, compare);
        qsort(own_processor, (size_t)rounds, sizeof *own_processor, compare);
        printf("%s\t%s\t%s\t%d\t%.2f\t%.2f\t%s\n", c->label, c->motion, c->side, c->repetitions,
               own_wall[0] / c->repetitions, own_processor[rounds / 2] / c->repetitions, c->remark);
    }
    free(wall);
    free(processor);
}
