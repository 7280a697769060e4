/* The outputs every friction element in space has. */
#ifndef BRISTLE_SPATIAL_H
#define BRISTLE_SPATIAL_H

#include "common/vector.h"

/* Outputs of a contact under the normal force N that transmits the friction force F while the
 * surfaces slide with v_S. */
static void friction_outputs(double N, Vector F, Vector v, Vector v_S, Outputs *y) {
    put(F, y->F);
    y->F_abs = length(F);
    y->mu = N > 0 ? y->F_abs / N : 0;
    put(v_S, y->v_S);
    y->v_S_abs = length(v_S);
    y->P = dot(F, v);
}

#endif
