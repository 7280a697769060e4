/* Contestants that take turns, so that a disturbance of the machine meets all of them alike. */
#ifndef BENCH_CONTEST_H
#define BENCH_CONTEST_H

typedef struct {
    const char *label, *motion, *side; /* how its line in the output begins */
    char remark[80];                   /* how it ends */
    void (*run)(void *self);
    void *self;
    int repetitions; /* of the measured thing in one run */
} Contestant;

void join(Contestant contestant);

/* Runs all contestants in turn, so many rounds, and prints for each, with tabs between: label,
 * motion, side, repetitions in a run, time of one repetition in nanoseconds, remark. The time comes
 * twice: the least by the wall clock, good for runs that are much shorter than a time slice of the
 * system, and the median on the processor, good for long ones. */
void hold_contest(int rounds);

#endif
