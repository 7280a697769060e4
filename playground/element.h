/* The friction element of this instance of the module, as the rig's assembly sees an FMU. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include "fmu.h"

/* Chooses one of the linked elements: first the loads, last the friction element. Then the page
 * describes its variables one by one (for a rate with the index of its state among them, counted
 * from 1), and at last all others. Texts are copied. */
bool element_choose(const char *name);
void element_describe(const Variable *variable);
void element_complete(const char *guid, int n_indicators);

/* Whether instances that are made from now on are stepped (co-simulation) or evaluated (model
 * exchange). */
void element_is_stepped(bool is_stepped);
fmi2Status element_step(fmi2Component component, double t, double step);

const Fmu *element(void);

/* Returns the FMU of a contact by the pattern of its system: a load of that name, else the
 * element. */
const Fmu *element_beside(const char *pattern);

#endif
