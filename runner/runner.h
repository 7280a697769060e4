/* Runs an FMU over a whole record in one call: times and inputs in, outputs back, nothing but C
 * between the samples.
 *
 * The caller has loaded the FMU's library and hands over its functions, so there is nothing here
 * that depends on the platform. Runs share nothing: any number of them may take place at the same
 * time in different threads. */
#ifndef BRISTLE_RUNNER_H
#define BRISTLE_RUNNER_H

#include <stddef.h>

#include "fmi2FunctionTypes.h"

#include "export.h"

enum { RUNNER_VERSION = 5, MESSAGE_BYTES = 512 };

/* The functions of an FMU that are called. */
typedef struct {
    fmi2InstantiateTYPE *instantiate;
    fmi2FreeInstanceTYPE *free_instance;
    fmi2SetupExperimentTYPE *setup_experiment;
    fmi2EnterInitializationModeTYPE *enter_initialization;
    fmi2ExitInitializationModeTYPE *exit_initialization;
    fmi2ResetTYPE *reset;
    fmi2SetRealTYPE *set_real;
    fmi2GetRealTYPE *get_real;
    fmi2SetIntegerTYPE *set_integer;
    fmi2GetIntegerTYPE *get_integer;
    fmi2SetRealInputDerivativesTYPE *set_input_derivatives;
    fmi2DoStepTYPE *do_step;
    fmi2GetDirectionalDerivativeTYPE *directional_derivative;
    fmi2GetFMUstateTYPE *get_state;
    fmi2SetFMUstateTYPE *set_state;
    fmi2FreeFMUstateTYPE *free_state;
    fmi2NewDiscreteStatesTYPE *new_discrete_states;
    fmi2SetContinuousStatesTYPE *set_continuous_states;
    fmi2GetContinuousStatesTYPE *get_continuous_states;
    fmi2GetDerivativesTYPE *get_derivatives;
    fmi2GetEventIndicatorsTYPE *get_indicators;
    fmi2GetNominalsOfContinuousStatesTYPE *get_nominals;
} Fmu;

/* Variables by their value references. */
typedef struct {
    size_t count;
    const fmi2ValueReference *references;
} Variables;

typedef struct {
    const Fmu *fmu;
    const char *guid;
    double tolerance; /* 0: the FMU's own */
    /* processor time of this process after which a simulation is given up; 0: never */
    double seconds;
    /* inputs move linearly from sample to sample; otherwise each is held until the next */
    int linear;
    Variables reals; /* set once, before the start */
    const double *real_values;
    Variables integers;
    const int *integer_values;
    size_t n_samples;
    const double *times;
    Variables signals;           /* set at every sample */
    const double *signal_values; /* sample by sample */
    Variables outputs;
    double *output_values; /* sample by sample */
    Variables modes;
    int *mode_values;          /* sample by sample */
    Variables states;          /* sensitivities: of the FMU, */
    Variables derivatives;     /* and their rates, */
    Variables event_modes;     /* and all its modes; where there are states and modes, also: */
    size_t n_indicators;       /* its event indicators, */
    const double *known_steps; /* steps of the knowns for finite differences of these, */
    const int *lasting;        /* and 1 for each known that acts beyond the start */
    Variables knowns; /* evaluate, sensitivities: slopes of the outputs with respect to these */
    double *slopes;   /* sample by sample, in it known by known */
    size_t done;      /* samples whose results are there */
    char message[MESSAGE_BYTES]; /* why there are no more */
} SampledRun;

RUNNER_EXPORT int runner_version(void);

/* Co-simulation from the first to the last time. The results at a sample are those under the inputs
 * of that sample. 0: success. */
RUNNER_EXPORT int runner_simulate(SampledRun *run);

/* The same, with the slopes of the outputs at each sample with respect to parameters. 0:
 * success. */
RUNNER_EXPORT int runner_sensitivities(SampledRun *run);

/* The initial outputs at each sample by itself; signals may be parameters too. 0: success. */
RUNNER_EXPORT int runner_evaluate(SampledRun *run);

#endif
