/* Co-simulation without couplingMass: detects that the host's step is too long for the law, from
 * the velocities that the host sets and the forces that it gets.
 *
 * A host that holds the force over its step obeys m (a[n] - a[n-1]) = -(F[n] - F[n-1]), a[n] =
 * (v[n+1] - v[n])/h, for a load that hardly changes in a step; one step late, with F[n-1] -
 * F[n-2]. So changes of a and of F are proportional, with either timing: their correlation is -1,
 * while a velocity that does not respond to the force reaches -0.87 (white noise through a linear
 * law), or -1 in one motion alone, a harmonic one of six steps in which the law is linear. Where
 * they are proportional, a turn of the acceleration counts if
 *   - it throws the body back as hard as it came: |a| as large as any before. Below the limit of
 *     stability each turn is weaker than the last, and an oscillation that the steps resolve turns
 *     through small accelerations; or
 *   - the force acts late: a spring that does feeds an oscillation.
 * Both only where the force changes by a good part of what the contact holds, twice: one turn alone
 * is an arrest. */
#include <float.h>
#include <math.h>
#include <string.h>

#if HAS_COUPLING
/* A window of some seven steps: long enough that noise does not look proportional, and so short
 * that, with the next number, a load which jumps is forgotten after 45 steps: a motion that dies
 * out until then is no chatter, and a body thrown back once in 20 is found within 80. */
static const double CHATTER_DECAY = 0.86;
/* Correlation, 1 under a steady load; with 0.99 there are sines and noise that reach it, with this
 * none of 1568 prescribed motions. */
static const double CHATTER_PROPORTIONAL = 0.999;
/* Correlation under a steady load, to which a load of five steps per period comes as near as
 * 0.99. */
static const double CHATTER_EXACT = 0.9999;
/* Relative to the acceleration before; oscillations of 20 steps or more stay below, or are too slow
 * to count. */
static const double CHATTER_BACK = 0.6;
/* Changes of the force that count, relative to what the contact holds. */
static const double CHATTER_SMALL = 0.1;
/* Turns, steps of the window, and steps after which a loop with the mass, or up to 1.2 times as
 * much, has settled: then a jump of the force by twice the limit has fallen to CHATTER_SMALL in
 * seven steps, and is forgotten 27 steps later. */
enum { CHATTER_COUNT = 2, CHATTER_KNOWN = 10, CHATTER_LASTS = 40 };

/* Relative change of the normal force over the last step. */
static double normal_force_change(const Memory *k) {
#if HAS_APPROACH
    const double now = k->stepping.rebound.normal, before = k->stepping.rebound.force, preload = 0;
#else
    const double now = input_values(&k->reals.u)[NORMAL_FORCE_INPUT];
    const double before = input_values(&k->state.u_last)[NORMAL_FORCE_INPUT];
    const double preload = parameter_or(&k->reals.p, COUPLED_PRELOAD, 0);
#endif
    return now == before ? 0 : (now - before) / fmax(fabs(now + preload), fabs(before + preload));
}

/* Updates the history with the last step; returns whether the acceleration has turned. What the
 * normal force changes of the force counts as a change without a response of the acceleration: it
 * shakes a body, too, but not because of the step. */
static int update_history(Memory *k) {
    Chatter *w = &k->stepping.chatter;
    const double *v = velocity_of(&k->reals.u), *v_last = velocity_of(&k->state.u_last);
    const double *F = w->given, by_normal_force = normal_force_change(k);
    double turn = 0, a_square = 0, aa = 0, ff = 0, af = 0, af_late = 0;
    for (int i = 0; i < N_AXES; i++) {
        const double a = (v[i] - v_last[i]) / w->length, da = a - w->a[i], dF = F[i] - w->force[i];
        turn += a * w->a[i];
        a_square += a * a;
        aa += da * da;
        ff += dF * dF + F[i] * F[i] * by_normal_force * by_normal_force;
        af -= da * dF;
        af_late -= da * w->force_change[i];
        w->a[i] = a;
        w->force[i] = F[i];
        w->force_change[i] = dF;
    }
    w->ff_late = w->ff;
    w->aa = CHATTER_DECAY * w->aa + aa;
    w->ff = CHATTER_DECAY * w->ff + ff;
    w->af = CHATTER_DECAY * w->af + af;
    w->af_late = CHATTER_DECAY * w->af_late + af_late;
    w->thrown = a_square >= CHATTER_BACK * CHATTER_BACK * w->peak;
    w->peak = fmax(CHATTER_DECAY * CHATTER_DECAY * w->peak, a_square);
    if (w->steps < CHATTER_LASTS) w->steps++;
    return turn < 0;
}

/* Squared change of the force in the window if that of the acceleration is proportional to it, else
 * 0. */
static double proportional_change(double aa, double ff, double af, double least) {
    return af > 0 && af * af >= least * least * aa * ff ? ff : 0;
}

/* Whether the force changes enough in every step, and moves the body alone: the loop is stable with
 * the mass or less, and a load that it responds to would show. */
static int oscillates(const Memory *k, double ff, double af) {
    const double least =
        CHATTER_SMALL * most_held(&k->reals.p, &k->reals.u, &k->reals.x, &k->state.modes);
    return proportional_change(k->stepping.chatter.aa, ff, af, CHATTER_EXACT) >
           least * least / (1 - CHATTER_DECAY);
}

/* Warns once that a body is shaken because its mass is less than couplingMass: it still oscillates
 * when the loop would have settled with the right one. */
static void check_mass(Instance *c) {
    Memory *k = &c->memory;
    Chatter *w = &k->stepping.chatter;
    const Timing *timing = &timings[k->state.modes.timing - 1];
    if (!(timing->least == 0 && oscillates(k, w->ff, w->af)) &&
        !(timing->most == 1 && oscillates(k, w->ff_late, w->af_late)))
        w->steps = 0;
    else if (w->steps == CHATTER_LASTS)
        warn(c, WARNED_MASS, "%s is too large, and the body chatters: give less.",
             real_names[COUPLED_MASS]);
}

/* Checks a turn of the acceleration, and warns once of chatter. */
NOINLINE static void check_turn(Instance *c) {
    Memory *k = &c->memory;
    Chatter *w = &k->stepping.chatter;
    const double at_once = proportional_change(w->aa, w->ff, w->af, CHATTER_PROPORTIONAL),
                 late = proportional_change(w->aa, w->ff_late, w->af_late, CHATTER_PROPORTIONAL);
    const double change = sqrt(fmax(at_once, late));
    const double holds = most_held(&k->reals.p, &k->reals.u, &k->reals.x, &k->state.modes);
    const int fed = late > 0 && w->af_late * w->af_late * w->ff > w->af * w->af * w->ff_late;
    if (!(change >= CHATTER_SMALL * holds && change > 0))
        w->turns = 0;
    else if ((w->thrown || fed) && w->turns < CHATTER_COUNT)
        w->turns++;
    if (w->turns < CHATTER_COUNT || w->steps < CHATTER_KNOWN) return;
    warn(c, WARNED_CHATTER,
         "The body is shaken by a friction force that is held over steps too long for this law: "
         "set %s to the mass or inertia that the contact moves, or less, or make the steps "
         "shorter.",
         real_names[COUPLED_MASS]);
}
#endif

/* Records the force of a step. */
static void record_force(Memory *k) {
#if HAS_COUPLING
    memcpy(k->stepping.chatter.given, output_values(&k->reals.y) + COUPLED_FORCE,
           sizeof k->stepping.chatter.given);
#endif
#if HAS_APPROACH
    k->stepping.rebound.normal = k->reals.y.N;
#endif
    (void)k;
}

/* Warns once that the body chatters, without couplingMass or because it is too large. Called before
 * a step of a length, with its inputs; the history is updated only while the warning would be
 * logged. */
static void warn_of_chattering(Instance *c, double length) {
#if HAS_COUPLING
    Memory *k = &c->memory;
    Chatter *w = &k->stepping.chatter;
    const int is_wanted = is_new_warning(c, couples(k) ? WARNED_MASS : WARNED_CHATTER);
    const int turned = is_wanted && w->length > 0 ? update_history(k) : 0;
    w->length = length;
    /* a square or a product has overflowed */
    if (!is_wanted || !(w->aa <= DBL_MAX && w->ff <= DBL_MAX))
        memset(w, 0, sizeof *w);
    else if (couples(k))
        check_mass(c);
    else if (turned)
        check_turn(c);
#else
    (void)c;
    (void)length;
#endif
}
