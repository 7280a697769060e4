/* What can be measured of one case. */
#ifndef BENCH_MEASUREMENTS_H
#define BENCH_MEASUREMENTS_H

#include "motion.h"

/* Enters "fmu" (evaluation cycle of model exchange) and "bare" (the model's C function) into the
 * contest. */
void join_cycles(const Case *subject, const Motion *motion);

/* Enters "fmu" (fmi2DoStep) and the methods of SUNDIALS at the same error into the contest, for
 * held and for moving inputs. A motion with events is left out. Each remark is: inputs, error of
 * the states. */
void join_steps(const Case *subject, const Motion *motion);

/* Prints a line: label, then callbacks and bytes of an instance for model exchange, the same for
 * co-simulation, then what is allocated, locked and formatted in the evaluation cycle, and the same
 * in steps. */
void print_memory(const Case *subject);

/* The parts of the above that print_memory shares. */
typedef struct Cycle Cycle;
Cycle *new_cycle(const Case *subject, const Motion *motion);
void run_fmu_cycle(void *cycle);

#endif
