/* liftoff: a mass is pulled along a plate while the force that presses it down swings through zero.
 *
 *     dx/dt   = v
 *     m dv/dt = F_E - F
 *     N       = m g + N_a sin(2 pi f t)
 *
 * N_a > m g: once per period the contact is lost and regained.
 *
 * Answer: while N <= 0 the friction force is exactly zero and the velocity grows by F_E/m per
 * second, whatever the model; with the contact back, friction brakes again.
 */
#include "one_mass.h"

enum { PULL = OWN_PARAMETERS, SWING, FREQUENCY };

static double applied_force(const Instant *m, const double *x) {
    (void)x;
    return m->p[PULL];
}

static double counterpart_velocity(const Instant *m) {
    (void)m;
    return 0;
}

static void inputs(const Instant *m, const double *x, double *u) {
    one_mass_inputs(m, x, u);
    u[NORMAL_FORCE] += m->p[SWING] * sin(2 * PI * m->p[FREQUENCY] * m->t);
}

const System system_liftoff = {
    .name = "liftoff",
    .title = "Mass pulled along a plate, while its contact is lost and regained",
    .source = "A check of lift-off; Rill et al. 2023, section 2.1 demands it",
    .stop = 1,
    .interval = 5e-4,
    .parameters =
        PARAMETERS([MASS] = {"mass", "kg", 1, POSITIVE, "Mass"},
                   [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                   [PULL] = {"pull", "N", 2, ANY, "Force along the plate"},
                   [SWING] = {"swing", "N", 15, NOT_NEGATIVE, "Amplitude of the normal force"},
                   [FREQUENCY] = {"frequency", "Hz", 2, NOT_NEGATIVE,
                                  "Frequency of the normal force"}),
    .states = one_mass_states,
    .outputs = QUANTITIES({"load", "N", 1, "Load on the mass"}),
    .contacts = CONTACTS({"plate", "rill2023_model1", one_mass_offers, one_mass_needs}),
    .inputs = inputs,
    .rates = one_mass_rates,
    .results = one_mass_results,
};
