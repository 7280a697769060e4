/* The viscous part of friction (viscous.h) that differs by the direction of sliding. */
#ifndef BRISTLE_DIRECTED_VISCOUS_H
#define BRISTLE_DIRECTED_VISCOUS_H

#include "common/viscous.h"

/* A coefficient of the viscous part towards a side, the sign of `towards`: kappa_v times as much in
 * the negative direction. */
static double viscous_towards(const Parameters *p, double coefficient, double towards) {
    return towards < 0 ? p->kappa_v * coefficient : coefficient;
}

#endif
