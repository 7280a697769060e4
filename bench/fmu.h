/* An FMU's library and instances of it, with every allocation callback counted. */
#ifndef BENCH_FMU_H
#define BENCH_FMU_H

#include <stddef.h>

#include "fmi2FunctionTypes.h"

#include "bare.h"

/* The kinds that a library needs; with both, also stored states and input derivatives. */
enum { MODEL_EXCHANGE = 1, CO_SIMULATION = 2, BOTH_KINDS = 3 };

/* The functions of the standard that are called: F(member, name, the kinds that need it). */
#define FUNCTIONS(F)                                                                               \
    F(instantiate, Instantiate, 0)                                                                 \
    F(free_instance, FreeInstance, 0)                                                              \
    F(setup_experiment, SetupExperiment, 0)                                                        \
    F(enter_initialization_mode, EnterInitializationMode, 0)                                       \
    F(exit_initialization_mode, ExitInitializationMode, 0)                                         \
    F(set_real, SetReal, 0)                                                                        \
    F(get_real, GetReal, 0)                                                                        \
    F(new_discrete_states, NewDiscreteStates, MODEL_EXCHANGE)                                      \
    F(enter_continuous_time_mode, EnterContinuousTimeMode, MODEL_EXCHANGE)                         \
    F(set_time, SetTime, MODEL_EXCHANGE)                                                           \
    F(set_continuous_states, SetContinuousStates, MODEL_EXCHANGE)                                  \
    F(get_continuous_states, GetContinuousStates, MODEL_EXCHANGE)                                  \
    F(get_derivatives, GetDerivatives, MODEL_EXCHANGE)                                             \
    F(do_step, DoStep, CO_SIMULATION)                                                              \
    F(set_real_input_derivatives, SetRealInputDerivatives, BOTH_KINDS)                             \
    F(get_fmu_state, GetFMUstate, BOTH_KINDS)                                                      \
    F(set_fmu_state, SetFMUstate, BOTH_KINDS)                                                      \
    F(free_fmu_state, FreeFMUstate, BOTH_KINDS)

typedef struct {
#define MEMBER(member, name, kinds) fmi2##name##TYPE *member;
    FUNCTIONS(MEMBER)
#undef MEMBER
    const char *resources; /* address of its resources; ours need none */
} Fmu;

/* Through the callbacks of all instances, since the program began. */
typedef struct {
    long calls;
    size_t bytes;
} Allocations;

extern Allocations allocations;

extern int show_messages; /* of the FMUs; 1 at the beginning */

/* Loads a library. Missing functions that are not needed are NULL. */
Fmu fmu_load(const char *library, int needs);

/* Instance of either kind in initialization mode, with the given parameters. */
fmi2Component fmu_start(const Fmu *fmu, const BareModel *model, fmi2Type kind,
                        const fmi2ValueReference *references, const double *p);

/* Ends the program with the name of the call unless the status is OK. */
void expect_ok(fmi2Status status, const char *call);

/* Ends the program with a sentence. */
void fail(const char *format, ...);

#endif
