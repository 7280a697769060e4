/* The viscous part of friction: what grows with the speed of sliding, in contact only.
 *
 *     F_v = (nu N + sigma2) v
 *
 * nu N v is what presses: asperities that shear under the normal force. sigma2 v is a film between the surfaces, which does not feel
 * how hard they are pressed; it is the sigma2 v of the LuGre literature.
 */
#ifndef BRISTLE_VISCOUS_H
#define BRISTLE_VISCOUS_H

/* Force of the film over speed. */
static double film_damping(const Parameters *p) {
    return p->sigma2;
}

/* Force of the film at the speed v. */
static double film_force(const Parameters *p, double v) {
    return film_damping(p) * v;
}

/* Part of the friction coefficient at the speed v that grows with it. */
static double viscous_friction(const Parameters *p, double v) {
    return p->nu * v;
}

/* Force over speed under the normal force N. */
static double viscous_damping(const Parameters *p, double N) {
    return p->nu * N + film_damping(p);
}

/* The whole viscous part at the speed v under the normal force N, with the sign of v. */
static double viscous_force(const Parameters *p, double N, double v) {
    return viscous_damping(p, N) * v;
}

#endif
