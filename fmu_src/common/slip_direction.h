/* The direction of a slip that is named by its mode. */
#ifndef BRISTLE_SLIP_DIRECTION_H
#define BRISTLE_SLIP_DIRECTION_H

/* 1 or -1; 0 in any other mode. */
static int slip_direction(int mode) {
    return mode == MODE_SLIPFORWARD ? 1 : mode == MODE_SLIPBACKWARD ? -1 : 0;
}

/* Direction in which a slip acts. A host that handles events with outdated inputs may keep a mode
 * that contradicts the motion, and friction must not push a body along: the direction is reversed
 * where the body moves against it faster than `band`, which does not happen with present inputs. */
static int true_direction(int mode, double v, double band) {
    const int direction = slip_direction(mode);
    return direction * v < -band ? -direction : direction;
}

static int slip_towards(double direction) {
    return direction > 0 ? MODE_SLIPFORWARD : MODE_SLIPBACKWARD;
}

#endif
