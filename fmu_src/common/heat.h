/* Heat: the power that an element absorbs from the moving bodies and does not store. */
#ifndef BRISTLE_HEAT_H
#define BRISTLE_HEAT_H

/* Sets the heat, after the power P has been set; stored_power is the rate of the stored energy. */
static void heat_output(double stored_power, Outputs *y) {
    y->Q = y->P - stored_power;
}

#endif
