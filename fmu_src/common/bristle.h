/* Elastic bristles with damping, as the LuGre family uses them. */
#ifndef BRISTLE_BRISTLE_H
#define BRISTLE_BRISTLE_H

#include <math.h>

#include "common/slowing.h"

/* Rate of a bristle that saturates where sigma0 z = g: v - sigma0 |v|/g z (Rill 2023, eq 13),
 * slowed down where g is nearly zero. */
static double lugre_rate(double sigma0, double sigma1, double g, double v, double z) {
    return saturating_rate(g, sigma1, v, sigma0 * z);
}

/* Rate of a free bristle: -sigma0/sigma1 z (Rill 2023, eq 6). */
static double relaxation_rate(double sigma0, double sigma1, double z) {
    return -sigma0 / sigma1 * z;
}

#endif
