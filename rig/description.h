/* What the host needs to know from modelDescription.xml, and the parameter sets (.ssv) that come
 * with it. */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include <stddef.h>

#include "message.h"

typedef enum { OTHER_TYPE, REAL, INTEGER, ENUMERATION } Type;
typedef enum { OTHER_CAUSALITY, PARAMETER, INPUT, OUTPUT } Causality;

typedef struct {
    char *name, *unit, *declared_type;
    unsigned reference;
    Type type;
    Causality causality;
    int derivative_of;       /* index of the state whose rate this is, counted from 1; 0 for none */
    double minimum, maximum; /* infinite where none is declared */
} Variable;

typedef struct {
    char *type, *name; /* type: of the enumeration it belongs to */
    int value;
} Item;

typedef struct {
    /* identifier: of the model exchange part; NULL without one */
    char *version, *guid, *identifier;
    int n_indicators;
    bool has_slopes;            /* directional derivatives */
    bool needs_completed_steps; /* needs a call after every step of the integrator */
    int n_variables;
    Variable *variables;
    int n_items;
    Item *items;
    int n_rates;
    /* indices of the variables that ModelStructure lists as derivatives, counted from 1 */
    int *rates;
} Description;

typedef struct {
    char *name, *value;
} Setting;

typedef struct {
    int count;
    Setting *items;
} Settings;

bool description_read(Description *description, const char *xml, size_t size, Message *message);
void description_free(Description *description);
const Variable *description_find(const Description *description, const char *name);

bool settings_read(Settings *settings, const char *ssv, size_t size, Message *message);
void settings_add(Settings *settings, const char *name, const char *value);
void settings_free(Settings *settings);

#endif
