/* Import of an FMU for model exchange: one Fmu per file, any number of Instances of it. */
#ifndef FMU_H
#define FMU_H

#include "fmi2FunctionTypes.h"

#include "description.h"

/* The functions of the standard that a host of model exchange calls. */
typedef struct {
    fmi2GetVersionTYPE *get_version;
    fmi2InstantiateTYPE *instantiate;
    fmi2FreeInstanceTYPE *free_instance;
    fmi2SetupExperimentTYPE *setup_experiment;
    fmi2EnterInitializationModeTYPE *enter_initialization_mode;
    fmi2ExitInitializationModeTYPE *exit_initialization_mode;
    fmi2TerminateTYPE *terminate;
    fmi2GetRealTYPE *get_real;
    fmi2GetIntegerTYPE *get_integer;
    fmi2SetRealTYPE *set_real;
    fmi2SetIntegerTYPE *set_integer;
    fmi2GetDirectionalDerivativeTYPE *get_directional_derivative;
    fmi2EnterEventModeTYPE *enter_event_mode;
    fmi2NewDiscreteStatesTYPE *new_discrete_states;
    fmi2EnterContinuousTimeModeTYPE *enter_continuous_time_mode;
    fmi2CompletedIntegratorStepTYPE *completed_integrator_step;
    fmi2SetTimeTYPE *set_time;
    fmi2SetContinuousStatesTYPE *set_continuous_states;
    fmi2GetDerivativesTYPE *get_derivatives;
    fmi2GetEventIndicatorsTYPE *get_event_indicators;
    fmi2GetContinuousStatesTYPE *get_continuous_states;
    fmi2GetNominalsOfContinuousStatesTYPE *get_nominals;
} Functions;

typedef struct {
    char *path, *name; /* name: of the file, without folder and suffix */
    char *folder;      /* where the binary and the resources are unpacked; removed by fmu_close */
    Description description;
    void *library;
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

bool fmu_open(Fmu *fmu, const char *path, Message *message);
void fmu_close(Fmu *fmu);

/* Fills in the states and their rates from the description. */
void fmu_find_states(Fmu *fmu);

/* The variable of a state, for its name. */
const Variable *fmu_state(const Fmu *fmu, int index);

/* Instance in the state "instantiated". */
bool instance_open(Instance *instance, const Fmu *fmu, Message *message);
void instance_close(Instance *instance);

/* Sets one parameter from text: a number or the name of an enumeration's item. */
bool instance_set(Instance *instance, const Variable *parameter, const char *value,
                  Message *message);

/* True if the call went well; otherwise the sentence is the FMU's own complaint where there is
 * one. */
bool instance_good(Instance *instance, fmi2Status status, const char *function, Message *message);

#endif
