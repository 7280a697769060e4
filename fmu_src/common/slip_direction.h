/* The direction of a slip that is named by its mode. */
#ifndef BRISTLE_SLIP_DIRECTION_H
#define BRISTLE_SLIP_DIRECTION_H

/* 1 or -1; 0 in any other mode. */
static int slip_direction(int mode) {
    return mode == MODE_SLIPFORWARD ? 1 : mode == MODE_SLIPBACKWARD ? -1 : 0;
}

/* Direction of a slip that has not been left behind: a host that decides events with old inputs may
 * leave a mode that the motion contradicts, and a slip must not push a body along. Against its
 * direction a slip turns at the speed `band`, which it does not reach with true inputs. */
static int true_direction(int mode, double v, double band) {
    const int direction = slip_direction(mode);
    return direction * v < -band ? -direction : direction;
}

static int slip_towards(double direction) {
    return direction > 0 ? MODE_SLIPFORWARD : MODE_SLIPBACKWARD;
}

#endif
