/* Contacts in the normal direction: detects that the host's step is too long for the contact.
 *
 * A host that holds the normal force N over a step of length h changes the kinetic energy of its
 * bodies by -N h (r[n] + r[n+1])/2, r the rate of the penetration, whatever else acts on them. From
 * touch-down to lift-off a contact returns no more energy than it has absorbed. Where it does, with
 * the force of the step or with that of the step before, and the bodies separate faster than they
 * approached, the step is the cause. */
#include <math.h>
#include <string.h>

static const double REBOUND_GAIN = 0.1; /* of the work of an impact */

#if HAS_APPROACH
/* Whether an impact, with the force at once (0) or a step late (1), has returned too much energy;
 * one that is weak beside those before does not count. */
static int gains(const Rebound *w, int late) {
    return w->given[late] > REBOUND_GAIN * fmax(w->exchanged[late], w->most);
}
#endif

static void warn_of_rebound(Instance *c, double length) {
#if HAS_APPROACH
    Memory *k = &c->memory;
    Rebound *w = &k->stepping.rebound;
    const double rate = approach(&k->reals.p, &k->reals.u), acted[2] = {w->normal, w->force};
    const double displacement = 0.5 * w->length * (w->rate + rate);
    for (int late = 0; late < 2; late++) {
        w->given[late] -= acted[late] * displacement;
        w->exchanged[late] += acted[late] * fabs(displacement);
    }
    /* they are separated, and not because a damper cancels the spring */
    if (w->normal == 0 && w->force == 0 &&
        normal_force_ahead(&k->reals.p, k->reals.u, 0, -rate) == 0) {
        if ((gains(w, 0) || gains(w, 1)) && -rate > w->approach_rate)
            warn(c, WARNED_REBOUND,
                 "The contact has returned more energy than it absorbed, because the steps are too "
                 "long for its stiffness and damping: set %s to the mass that it moves, or less, "
                 "or make them shorter.",
                 real_names[COUPLED_MASS]);
        w->approach_rate = rate;
        w->most = fmax(w->most, w->exchanged[0]);
        memset(w->given, 0, sizeof w->given);
        memset(w->exchanged, 0, sizeof w->exchanged);
    }
    w->force = w->normal;
    w->rate = rate;
    w->length = length;
    if (!all_finite((const double *)w, sizeof *w / sizeof(double))) memset(w, 0, sizeof *w);
#else
    (void)c;
    (void)length;
#endif
}
