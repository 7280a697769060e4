/* Measurements of one case. */
#ifndef BENCH_MEASUREMENTS_H
#define BENCH_MEASUREMENTS_H

#include "motion.h"

/* Adds the benchmarks "fmu" (evaluation cycle of model exchange) and "bare" (the model's C
 * function). */
void add_cycles(const Case *subject, const Motion *motion);

/* Adds the benchmarks "fmu" (fmi2DoStep) and the methods of SUNDIALS at the same error, for held
 * and for moving inputs. A motion with events is left out. Each remark is: inputs, error of the
 * states. */
void add_steps(const Case *subject, const Motion *motion);

/* Prints a line: label, then callbacks and bytes of an instance for model exchange, the same for
 * co-simulation, then what is allocated, locked and formatted in the evaluation cycle, and the same
 * in steps. */
void print_memory(const Case *subject);

/* A case of any FMU, without a model beside it: label|library|guid|address of its resources|number
 * of states|reference of the force|of the velocity|of the normal force|
 * reference=value of a parameter|...; no normal force is a hyphen. The needs are those of fmu.h. */
Case read_peer(char *text, int needs);

/* The inputs of a peer at POINTS points from a time on, packed. */
double *peer_inputs(const Case *peer, const Motion *motion, double t);

/* Add the evaluation cycle of model exchange, with the initial states, and fmi2DoStep under held
 * inputs, which continues from round to round; their remark is the root mean square of the force.
 */
void add_peer_cycle(const Case *peer, const Motion *motion);
void add_peer_steps(const Case *peer, const Motion *motion);

/* Adds fmi2DoStep of 1 to 100 000 instances in turn, of two threads with half of them each, and of
 * as many blocks in a chain, each on its instance. The side is the number of instances, the remark:
 * threads or chain, bytes of an instance. */
void add_scale(const Case *peer);

/* The parts of the above that print_memory shares. */
typedef struct Cycle Cycle;
Cycle *new_cycle(const Case *subject, const Motion *motion);
void run_fmu_cycle(void *cycle);

#endif
