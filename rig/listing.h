/* What `rig list` prints. */
#ifndef LISTING_H
#define LISTING_H

#include "system.h"

void list_systems(void);
void describe_system(const System *system);
void list_as_json(const System *only); /* NULL: all */

#endif
