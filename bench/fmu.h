/* An FMU's library and instances of it, with every allocation callback counted. */
#ifndef BENCH_FMU_H
#define BENCH_FMU_H

#include <stddef.h>

#include "fmi2FunctionTypes.h"

#include "bare.h"

typedef struct {
    fmi2InstantiateTYPE *instantiate;
    fmi2FreeInstanceTYPE *free_instance;
    fmi2SetupExperimentTYPE *setup_experiment;
    fmi2EnterInitializationModeTYPE *enter_initialization_mode;
    fmi2ExitInitializationModeTYPE *exit_initialization_mode;
    fmi2NewDiscreteStatesTYPE *new_discrete_states;
    fmi2EnterContinuousTimeModeTYPE *enter_continuous_time_mode;
    fmi2SetTimeTYPE *set_time;
    fmi2SetRealTYPE *set_real;
    fmi2GetRealTYPE *get_real;
    fmi2SetContinuousStatesTYPE *set_continuous_states;
    fmi2GetContinuousStatesTYPE *get_continuous_states;
    fmi2GetDerivativesTYPE *get_derivatives;
    fmi2SetRealInputDerivativesTYPE *set_real_input_derivatives;
    fmi2DoStepTYPE *do_step;
    fmi2GetFMUstateTYPE *get_fmu_state;
    fmi2SetFMUstateTYPE *set_fmu_state;
    fmi2FreeFMUstateTYPE *free_fmu_state;
    const char *resources; /* address of its resources; ours need none */
} Fmu;

/* Through the callbacks of all instances, since the program began. */
typedef struct {
    long calls;
    size_t bytes;
} Allocations;

extern Allocations allocations;

extern int show_messages; /* of the FMUs; 1 at the beginning */

/* What is needed of a library; of both together, also its stored states and input derivatives. */
enum { MODEL_EXCHANGE = 1, CO_SIMULATION = 2 };

/* Functions that are not needed and not there are NULL. */
Fmu fmu_load(const char *library, int needs);

/* Instance of either kind in initialization mode, with the given parameters. */
fmi2Component fmu_start(const Fmu *fmu, const BareModel *model, fmi2Type kind,
                        const fmi2ValueReference *references, const double *p);

/* Ends the program with the name of the call if it has not gone well. */
void expect_ok(fmi2Status status, const char *call);

/* Ends the program with a sentence. */
void fail(const char *format, ...);

#endif
