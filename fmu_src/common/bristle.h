/* Elastic bristles with damping, as the LuGre family uses them. */
#ifndef BRISTLE_BRISTLE_H
#define BRISTLE_BRISTLE_H

#include <math.h>

/* Rate of a bristle that saturates where sigma0 z = g: v - sigma0 |v|/g z (Rill 2023, eq 13).
 * As printed it grows without bound when the normal force, and with it g, vanishes in sliding, and every solver stalls
 * there. So g is kept above a millionth of sigma1 |v|, where eq 18 would keep it above the whole of it. */
static double lugre_rate(double sigma0, double sigma1, double g, double v, double z) {
    return v - sigma0 * z * fabs(v) / fmax(g, 1e-6 * sigma1 * fabs(v));
}

/* Rate of a bristle that nothing holds: -sigma0/sigma1 z (Rill 2023, eq 6). */
static double relaxation_rate(double sigma0, double sigma1, double z) {
    return -sigma0 / sigma1 * z;
}

#endif
