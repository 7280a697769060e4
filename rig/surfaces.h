/* What is set of a system and its contacts: the parameter sets of resources/, those among them that
 * a system takes, and single values. */
#ifndef SURFACES_H
#define SURFACES_H

#include "coupling.h"

/* The set of that name, or NULL. */
const ParameterSet *find_set(const char *name);

/* Gives the FMU at a contact the values of a set, as far as it has and allows them. */
bool set_surface(Coupling *coupling, int contact, const ParameterSet *set, Message *message);

/* Gives the FMU at each contact the values of the set that the system names, then those of the
 * chosen one (NULL: none). */
bool set_surfaces(Coupling *coupling, const ParameterSet *chosen, Message *message);

/* Gives NAME to all contacts, CONTACT.NAME to one; says in `known` whether any of them has it. */
bool give_setting(Coupling *coupling, const Value *setting, bool *known, Message *message);

#endif
