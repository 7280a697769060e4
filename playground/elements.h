/* All friction elements of the module by name, each with its functions. Every element is compiled
 * as for a static library, with a prefix of its own; the build writes the list with the help of
 * these macros. */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "fmu.h"

typedef struct {
    const char *name;
    Functions call;
    fmi2DoStepTYPE *do_step;
} LinkedElement;

extern const LinkedElement linked_elements[]; /* ends with a name of NULL */

#define DECLARE_ELEMENT(model)                                                                     \
    fmi2GetVersionTYPE model##_fmi2GetVersion;                                                     \
    fmi2InstantiateTYPE model##_fmi2Instantiate;                                                   \
    fmi2FreeInstanceTYPE model##_fmi2FreeInstance;                                                 \
    fmi2SetupExperimentTYPE model##_fmi2SetupExperiment;                                           \
    fmi2EnterInitializationModeTYPE model##_fmi2EnterInitializationMode;                           \
    fmi2ExitInitializationModeTYPE model##_fmi2ExitInitializationMode;                             \
    fmi2TerminateTYPE model##_fmi2Terminate;                                                       \
    fmi2GetRealTYPE model##_fmi2GetReal;                                                           \
    fmi2GetIntegerTYPE model##_fmi2GetInteger;                                                     \
    fmi2SetRealTYPE model##_fmi2SetReal;                                                           \
    fmi2SetIntegerTYPE model##_fmi2SetInteger;                                                     \
    fmi2GetDirectionalDerivativeTYPE model##_fmi2GetDirectionalDerivative;                         \
    fmi2EnterEventModeTYPE model##_fmi2EnterEventMode;                                             \
    fmi2NewDiscreteStatesTYPE model##_fmi2NewDiscreteStates;                                       \
    fmi2EnterContinuousTimeModeTYPE model##_fmi2EnterContinuousTimeMode;                           \
    fmi2CompletedIntegratorStepTYPE model##_fmi2CompletedIntegratorStep;                           \
    fmi2SetTimeTYPE model##_fmi2SetTime;                                                           \
    fmi2SetContinuousStatesTYPE model##_fmi2SetContinuousStates;                                   \
    fmi2GetDerivativesTYPE model##_fmi2GetDerivatives;                                             \
    fmi2GetEventIndicatorsTYPE model##_fmi2GetEventIndicators;                                     \
    fmi2GetContinuousStatesTYPE model##_fmi2GetContinuousStates;                                   \
    fmi2GetNominalsOfContinuousStatesTYPE model##_fmi2GetNominalsOfContinuousStates;               \
    fmi2DoStepTYPE model##_fmi2DoStep;

#define LINKED_ELEMENT(model)                                                                      \
    {#model,                                                                                       \
     {.get_version = model##_fmi2GetVersion,                                                       \
      .instantiate = model##_fmi2Instantiate,                                                      \
      .free_instance = model##_fmi2FreeInstance,                                                   \
      .setup_experiment = model##_fmi2SetupExperiment,                                             \
      .enter_initialization_mode = model##_fmi2EnterInitializationMode,                            \
      .exit_initialization_mode = model##_fmi2ExitInitializationMode,                              \
      .terminate = model##_fmi2Terminate,                                                          \
      .get_real = model##_fmi2GetReal,                                                             \
      .get_integer = model##_fmi2GetInteger,                                                       \
      .set_real = model##_fmi2SetReal,                                                             \
      .set_integer = model##_fmi2SetInteger,                                                       \
      .get_directional_derivative = model##_fmi2GetDirectionalDerivative,                          \
      .enter_event_mode = model##_fmi2EnterEventMode,                                              \
      .new_discrete_states = model##_fmi2NewDiscreteStates,                                        \
      .enter_continuous_time_mode = model##_fmi2EnterContinuousTimeMode,                           \
      .completed_integrator_step = model##_fmi2CompletedIntegratorStep,                            \
      .set_time = model##_fmi2SetTime,                                                             \
      .set_continuous_states = model##_fmi2SetContinuousStates,                                    \
      .get_derivatives = model##_fmi2GetDerivatives,                                               \
      .get_event_indicators = model##_fmi2GetEventIndicators,                                      \
      .get_continuous_states = model##_fmi2GetContinuousStates,                                    \
      .get_nominals = model##_fmi2GetNominalsOfContinuousStates},                                  \
     model##_fmi2DoStep},

#endif
