/* Bristles that carry more than the force of sliding, after a fall of the normal force or a jump of
 * the speed, and spring back.
 *
 * With r = sigma0 z/g along the motion, c = sigma1 |v|/g and the share s of sliding (1 in LuGre), F
 * = g (r + c (1 - s r)), and the heat is F v - sigma0 z dz/dt = g |v| (s r^2 + c (1 - s r)). That
 * can be negative only where s r > 1: where the bristle springs back. There s r^2 > r, so the heat
 * is more than F |v|, and negative only if F pushes. Without the push it is what the spring
 * releases. As printed, there are deflections at which the damper creates energy for c > 4.
 */
#ifndef BRISTLE_SPRING_BACK_H
#define BRISTLE_SPRING_BACK_H

/* Force of spring and damper at the velocity v, where the bristle deflects at the given rate. While
 * the spring comes back against the motion, the damper absorbs no more than the spring releases:
 * the tip slides with the surfaces, and friction there cannot push the body along. */
static double without_push(double force, double rate, double v) {
    return v * rate < 0 && v * force < 0 ? 0 : force;
}

/* The same where the surfaces move against a bristle that follows slowly (slowing.h): a spring that
 * pushes releases no more than the energy it loses, at the rate `stored`. At the rate of the law it
 * never does. */
static double without_gain(double force, double stored, double rate, double v) {
    return v * rate > 0 && v * force < 0 && v * force < stored ? stored / v : force;
}

#endif
