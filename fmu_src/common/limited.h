/* A value between a limit and its opposite. */
#ifndef BRISTLE_LIMITED_H
#define BRISTLE_LIMITED_H

#include <math.h>

static double limited(double value, double limit) {
    return fmax(-limit, fmin(value, limit));
}

#endif
