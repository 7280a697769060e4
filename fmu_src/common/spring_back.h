/* Bristles that carry more than sliding takes, after a fall of the normal force or a jump of the speed, and spring back. */
#ifndef BRISTLE_SPRING_BACK_H
#define BRISTLE_SPRING_BACK_H

/* Force of spring and damper at the velocity v, where the bristle deflects at the given rate. A damper takes from a spring that comes back, against the
 * motion, no more than the spring gives: the tip slides along with the surfaces, and friction there cannot push the body along. */
static double without_push(double force, double rate, double v) {
    return v * rate < 0 && v * force < 0 ? 0 : force;
}

#endif
