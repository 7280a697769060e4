/* An FMU for model exchange, whose library the caller has loaded: one Fmu per file, any number of
 * Instances of it. */
#ifndef FMU_H
#define FMU_H

#include "fmi2FunctionTypes.h"

#include "description.h"

/* The functions of the standard that a host of model exchange calls, F(member, name, more) for
 * each. */
#define FUNCTIONS_OF_A_HOST(F, more)                                                               \
    F(instantiate, Instantiate, more)                                                              \
    F(free_instance, FreeInstance, more)                                                           \
    F(setup_experiment, SetupExperiment, more)                                                     \
    F(enter_initialization_mode, EnterInitializationMode, more)                                    \
    F(exit_initialization_mode, ExitInitializationMode, more)                                      \
    F(terminate, Terminate, more)                                                                  \
    F(get_real, GetReal, more)                                                                     \
    F(get_integer, GetInteger, more)                                                               \
    F(set_real, SetReal, more)                                                                     \
    F(set_integer, SetInteger, more)                                                               \
    F(get_directional_derivative, GetDirectionalDerivative, more)                                  \
    F(enter_event_mode, EnterEventMode, more)                                                      \
    F(new_discrete_states, NewDiscreteStates, more)                                                \
    F(enter_continuous_time_mode, EnterContinuousTimeMode, more)                                   \
    F(completed_integrator_step, CompletedIntegratorStep, more)                                    \
    F(set_time, SetTime, more)                                                                     \
    F(set_continuous_states, SetContinuousStates, more)                                            \
    F(get_derivatives, GetDerivatives, more)                                                       \
    F(get_event_indicators, GetEventIndicators, more)                                              \
    F(get_continuous_states, GetContinuousStates, more)                                            \
    F(get_nominals, GetNominalsOfContinuousStates, more)

typedef struct {
#define MEMBER(member, name, more) fmi2##name##TYPE *member;
    FUNCTIONS_OF_A_HOST(MEMBER, )
#undef MEMBER
} Functions;

typedef struct {
    char *path, *name; /* name: of the file, without folder and suffix */
    char *folder;      /* where its resources are */
    Description description;
    Functions call;
    bool warns; /* its warnings are asked for, and shown */
    int n_states;
    fmi2ValueReference *states, *rates; /* in the order of the vector of continuous states */
} Fmu;

typedef struct {
    const Fmu *fmu;
    fmi2Component component;
    fmi2CallbackFunctions callbacks;
    Message complaint; /* the last one that the FMU logged */
} Instance;

/* Fills in the states and their rates from the description. */
void fmu_find_states(Fmu *fmu);

/* The variable of a state, for its name. */
const Variable *fmu_state(const Fmu *fmu, int index);

/* Instance in the state "instantiated". */
bool instance_open(Instance *instance, const Fmu *fmu, Message *message);
void instance_close(Instance *instance);

/* Sets one parameter; items of an enumeration are counted from 1. */
bool instance_set(Instance *instance, const Variable *parameter, double value, Message *message);

/* True if the call went well; otherwise the sentence is the FMU's own complaint where there is
 * one. */
bool instance_good(Instance *instance, fmi2Status status, const char *function, Message *message);

#endif
