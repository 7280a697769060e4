/* Benchmarks that run in turn, so that a disturbance of the machine affects all of them alike. */
#ifndef BENCH_BENCHMARK_H
#define BENCH_BENCHMARK_H

typedef struct {
    const char *label, *motion, *side; /* how its line in the output begins */
    char remark[80];                   /* how it ends */
    void (*run)(void *self);
    void *self;
    int repetitions; /* of what is measured in one run */
} Benchmark;

void add_benchmark(Benchmark benchmark);

/* Runs all benchmarks in turn, so many rounds, and prints for each, with tabs between: label,
 * motion, side, repetitions in a run, time of one repetition in nanoseconds, remark. The time comes
 * twice: the least by the wall clock, good for runs that are much shorter than a time slice of the
 * system, and the median on the processor, good for long ones. */
void run_benchmarks(int rounds);

#endif
