/* What the host needs to know from modelDescription.xml. */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include <stddef.h>

#include "message.h"

typedef enum { OTHER_TYPE, REAL, INTEGER, ENUMERATION } Type;
typedef enum { OTHER_CAUSALITY, PARAMETER, INPUT, OUTPUT } Causality;

typedef struct {
    char *name, *unit;
    unsigned reference;
    Type type;
    Causality causality;
    int derivative_of;       /* index of the state whose rate this is, counted from 1; 0 for none */
    double minimum, maximum; /* infinite where none is declared */
} Variable;

typedef struct {
    /* identifier: of the model exchange part; NULL without one */
    char *guid, *identifier;
    int n_indicators;
    bool has_slopes;            /* directional derivatives */
    bool needs_completed_steps; /* needs a call after every step of the integrator */
    int n_variables;
    Variable *variables;
    int n_rates;
    /* indices of the variables that ModelStructure lists as derivatives, counted from 1 */
    int *rates;
} Description;

const Variable *description_find(const Description *description, const char *name);

#endif
