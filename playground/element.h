/* The friction element of this instance of the module, and the loads beside it, as the rig's
 * coupling sees FMUs. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include "fmu.h"

/* Chooses one of the linked elements: first the loads, last the friction element. Then the page
 * describes its variables one by one (for a rate with the index of its state among them, counted
 * from 1), and at last the rest. Texts are copied. */
bool element_choose(const char *name);
void element_describe(const Variable *variable);
void element_complete(const char *guid, int n_indicators);

/* The friction element, and what a contact takes beside it by the pattern of its system; NULL where
 * that has not been chosen. */
const Fmu *element(void);
const Fmu *element_beside(const char *pattern);

#endif
