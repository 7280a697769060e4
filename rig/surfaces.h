/* Sets the parameters of the FMUs at the contacts of a system: parameter sets of resources/, those
 * that the system names, and single values. */
#ifndef SURFACES_H
#define SURFACES_H

#include "assembly.h"

/* The set of that name, or NULL. */
const ParameterSet *find_set(const char *name);

/* Sets the parameters of the FMU at a contact to the values of a set, where it has and allows
 * them. */
bool set_surface(Assembly *assembly, int contact, const ParameterSet *set, Message *message);

/* The same at each contact: first the set that the system names, then the chosen one (NULL:
 * none). */
bool set_surfaces(Assembly *assembly, const ParameterSet *chosen, Message *message);

/* Sets NAME at all contacts, CONTACT.NAME at one; `known` becomes true if any of them has it. */
bool give_setting(Assembly *assembly, const Value *setting, bool *known, Message *message);

#endif
