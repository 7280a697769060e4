/* sine: a mass on a plate under a slow sine of force that stays below the static limit.
 * Piatkowski 2014, section 4
 *
 *     dx/dt   = v
 *     m dv/dt = F_E(t) - F
 *     F_E = r F_S sin(2 pi t/T),     F_S = mu_S m g,     r = 0.9, T = 10 s          (eqs 8, 10, 12)
 *
 * Answer: the mass swings on its bristles, and force over displacement is a closed loop (Figs 9 and
 * 11b). The paper varies the mass, and with it the normal force m g:
 *
 *     sigma0 = m omega0^2, omega0 = 307.597 rad/s   F grows with m, L stays   (eqs 11-13, Fig. 8)
 *     sigma0 = 946160 N/m                           L grows with m           (eqs 14-16, Fig. 11)
 *
 * L is the span of the loop. The paper keeps the damping ratio at 0.5, so bristleDamping is m
 * omega0 with it. The set of the contact is that of m = 10 kg; another mass needs its
 * bristleStiffness and bristleDamping.
 */
#include "one_mass.h"

enum { STATIC_FRICTION = OWN_PARAMETERS, LOAD_RATIO, PERIOD };

static double applied_force(const Instant *m, const double *x) {
    (void)x;
    const double *p = m->p;
    const double limit = p[STATIC_FRICTION] * p[MASS] * p[GRAVITY];
    return p[LOAD_RATIO] * limit * sin(2 * PI * m->t / p[PERIOD]);
}

static double counterpart_velocity(const Instant *m) {
    (void)m;
    return 0;
}

const System system_sine = {
    .name = "sine",
    .title = "Mass on a plate under a slow sine of force below the static limit",
    .source = "Piatkowski 2014, section 4",
    .stop = 30,
    .interval = 0.02,
    .parameters = PARAMETERS([MASS] = {"mass", "kg", 10, POSITIVE, "Mass"},
                             [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                             [STATIC_FRICTION] =
                                 {"staticLimit", "1", 0.563710499490316, NOT_NEGATIVE,
                                  "Coefficient of static friction that the load is measured by"},
                             [LOAD_RATIO] = {"loadRatio", "1", 0.9, NOT_NEGATIVE,
                                             "Amplitude of the load over the static limit"},
                             [PERIOD] = {"period", "s", 10, POSITIVE, "Period of the load"}),
    .states = one_mass_states,
    .outputs = QUANTITIES({"load", "N", 1, "Load on the mass"}),
    .contacts = CONTACTS({"plate", "piatkowski2014_lugre", one_mass_offers, one_mass_needs}),
    .inputs = one_mass_inputs,
    .rates = one_mass_rates,
    .results = one_mass_results,
};
