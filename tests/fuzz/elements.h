/* FMUs that are linked into one program, each under its own prefix: their names, GUIDs and
 * functions. */
#ifndef BRISTLE_ELEMENTS_H
#define BRISTLE_ELEMENTS_H

#include "fmi2FunctionTypes.h"

#define FMI_FUNCTIONS(X)                                                                           \
    X(fmi2GetTypesPlatform)                                                                        \
    X(fmi2GetVersion)                                                                              \
    X(fmi2SetDebugLogging)                                                                         \
    X(fmi2Instantiate)                                                                             \
    X(fmi2FreeInstance)                                                                            \
    X(fmi2SetupExperiment)                                                                         \
    X(fmi2EnterInitializationMode)                                                                 \
    X(fmi2ExitInitializationMode)                                                                  \
    X(fmi2Terminate)                                                                               \
    X(fmi2Reset)                                                                                   \
    X(fmi2GetReal)                                                                                 \
    X(fmi2GetInteger)                                                                              \
    X(fmi2GetBoolean)                                                                              \
    X(fmi2GetString)                                                                               \
    X(fmi2SetReal)                                                                                 \
    X(fmi2SetInteger)                                                                              \
    X(fmi2SetBoolean)                                                                              \
    X(fmi2SetString)                                                                               \
    X(fmi2GetFMUstate)                                                                             \
    X(fmi2SetFMUstate)                                                                             \
    X(fmi2FreeFMUstate)                                                                            \
    X(fmi2SerializedFMUstateSize)                                                                  \
    X(fmi2SerializeFMUstate)                                                                       \
    X(fmi2DeSerializeFMUstate)                                                                     \
    X(fmi2GetDirectionalDerivative)                                                                \
    X(fmi2EnterEventMode)                                                                          \
    X(fmi2NewDiscreteStates)                                                                       \
    X(fmi2EnterContinuousTimeMode)                                                                 \
    X(fmi2CompletedIntegratorStep)                                                                 \
    X(fmi2SetTime)                                                                                 \
    X(fmi2SetContinuousStates)                                                                     \
    X(fmi2GetDerivatives)                                                                          \
    X(fmi2GetEventIndicators)                                                                      \
    X(fmi2GetContinuousStates)                                                                     \
    X(fmi2GetNominalsOfContinuousStates)                                                           \
    X(fmi2SetRealInputDerivatives)                                                                 \
    X(fmi2GetRealOutputDerivatives)                                                                \
    X(fmi2DoStep)                                                                                  \
    X(fmi2CancelStep)                                                                              \
    X(fmi2GetStatus)                                                                               \
    X(fmi2GetRealStatus)                                                                           \
    X(fmi2GetIntegerStatus)                                                                        \
    X(fmi2GetBooleanStatus)                                                                        \
    X(fmi2GetStringStatus)

typedef struct {
    const char *name, *guid;
    unsigned reals, integers, states, indicators; /* how many there are */
    unsigned first_input, inputs;                 /* value references */
    unsigned substeps; /* value reference of the Integer that caps the work of a step */
#define FMI_MEMBER(function) function##TYPE *function;
    FMI_FUNCTIONS(FMI_MEMBER)
#undef FMI_MEMBER
} Element;

/* fuzzing.py writes the table. */
extern const Element elements[];
extern const unsigned element_count;

#endif
