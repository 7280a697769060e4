/* The parameter sets of resources/, and those among them that a system takes for its contacts. */
#ifndef SURFACES_H
#define SURFACES_H

#include "coupling.h"

/* The set of that name, or NULL. */
const ParameterSet *find_set(const char *name);

/* Gives the FMU at a contact the values of a set, as far as it has and allows them. */
bool set_surface(Coupling *coupling, int contact, const ParameterSet *set, Message *message);

/* Gives the FMU at each contact the values of the set that the system names, then those of the chosen one (NULL: none). */
bool set_surfaces(Coupling *coupling, const ParameterSet *chosen, Message *message);

#endif
