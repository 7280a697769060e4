/* Heat: the power that an element takes from the moving bodies and does not store. */
#ifndef BRISTLE_HEAT_H
#define BRISTLE_HEAT_H

/* To be called once the power P is known; stored_power is the rate of the energy that the element
 * stores. */
static void heat_output(double stored_power, Outputs *y) {
    y->Q = y->P - stored_power;
}

#endif
