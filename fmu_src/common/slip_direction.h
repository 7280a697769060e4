/* The direction of a slip that is named by its mode. */
#ifndef BRISTLE_SLIP_DIRECTION_H
#define BRISTLE_SLIP_DIRECTION_H

/* 1 or -1; 0 in any other mode. */
static int slip_direction(int mode) {
    return mode == MODE_SLIPFORWARD ? 1 : mode == MODE_SLIPBACKWARD ? -1 : 0;
}

static int slip_towards(double direction) {
    return direction > 0 ? MODE_SLIPFORWARD : MODE_SLIPBACKWARD;
}

#endif
