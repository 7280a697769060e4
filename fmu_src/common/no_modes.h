/* An element without discrete modes: an event changes nothing. */
#ifndef BRISTLE_NO_MODES_H
#define BRISTLE_NO_MODES_H

static int next_modes(const Parameters *p, const Inputs *u, States *x, Modes *m) {
    (void)p;
    (void)u;
    (void)x;
    (void)m;
    return 0;
}

#endif
