/* The viscous part of friction: what grows with the speed of sliding, in contact only.
 *
 *     F_v = (nu N + sigma2) v
 *
 * nu N v comes from asperities that shear under the normal force. sigma2 v is a film between the
 * surfaces, which does not depend on the normal force; it is the sigma2 v of the LuGre literature.
 * On a line it may differ by direction (directed_viscous.h) and, in most models, be a power of the
 * speed (viscous_force.h).
 */
#ifndef BRISTLE_VISCOUS_H
#define BRISTLE_VISCOUS_H

/* Force of the film over speed. */
static double film_damping(const Parameters *p) {
    return p->sigma2;
}

/* Part of the friction coefficient that grows with the speed v. */
static double viscous_friction(const Parameters *p, double v) {
    return p->nu * v;
}

/* Force over speed under the normal force N. */
static double viscous_damping(const Parameters *p, double N) {
    return p->nu * N + film_damping(p);
}

#endif
