/* Error control by the force: a model says how far a state may be off for an error of about what the contact carries, and the tolerance is taken
 * of that. */
#ifndef BRISTLE_RESOLUTION_H
#define BRISTLE_RESOLUTION_H

#include <math.h>

/* Of a deflection that carries the limit at `full`; beyond it, where the normal force has fallen, nothing more is felt. */
static double resolved_deflection(double full, double z) {
    return fmax(full, fabs(z));
}

#endif
