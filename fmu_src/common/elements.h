/* Four springs in parallel, each with its own slider, which carries a share of the friction
 * force. */
#ifndef BRISTLE_ELEMENTS_H
#define BRISTLE_ELEMENTS_H

#include "common/limited.h"

enum { ELEMENTS = 4 };

static double sum(const double *values) {
    return values[0] + values[1] + values[2] + values[3];
}

/* Share of an element in the total; the parameters are divided by their sum. */
static double element_share(const Parameters *p, int i) {
    return p->share[i] / sum(p->share);
}

#endif
