/* All friction elements of the module by name, each with its functions. Every element is compiled
 * as for a static library, with a prefix of its own; the build writes the list with these
 * macros. */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include "fmu.h"

typedef struct {
    const char *name;
    Functions call;
    fmi2DoStepTYPE *do_step;
} LinkedElement;

extern const LinkedElement linked_elements[]; /* ends with a name of NULL */

#define DECLARE_FUNCTION(member, name, model) fmi2##name##TYPE model##_fmi2##name;
#define DECLARE_ELEMENT(model)                                                                     \
    FUNCTIONS_OF_A_HOST(DECLARE_FUNCTION, model) fmi2DoStepTYPE model##_fmi2DoStep;

#define LINKED_FUNCTION(member, name, model) .member = model##_fmi2##name,
#define LINKED_ELEMENT(model)                                                                      \
    {#model, {FUNCTIONS_OF_A_HOST(LINKED_FUNCTION, model)}, model##_fmi2DoStep},

#endif
