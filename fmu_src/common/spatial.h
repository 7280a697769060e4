/* The outputs every friction element in space has. */
#ifndef BRISTLE_SPATIAL_H
#define BRISTLE_SPATIAL_H

#include "common/vector.h"

/* Outputs of a contact with the friction mu, a vector of force over normal force, while the surfaces slide with v_S. */
static void friction_outputs(double N, Vector mu, Vector v, Vector v_S, Outputs *y) {
    put(scaled(N, mu), y->F);
    y->mu = length(mu);
    y->F_abs = y->mu * N;
    put(v_S, y->v_S);
    y->v_S_abs = length(v_S);
    y->P = N * dot(mu, v);
}

#endif
