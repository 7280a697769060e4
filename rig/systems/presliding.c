/* presliding: a mass on a plate under a peak of force and then a pulsating load below the static
 * limit.
 * Pennestri 2016, section 3.3
 *
 *     dx/dt   = v
 *     m dv/dt = F_E(t) - F
 *     F_E = F_p t/t_p                           0 <= t < t_p       the peak, 2 N,
 *           F_p + (F_m - F_p) (t - t_p)/t_p     t_p <= t < 2 t_p   down to the mean, 0.5 N,
 *           F_m + F_a sin(2 pi f (t - 2 t_p))   t >= 2 t_p         then 2 Hz
 *
 * The text prints the peak, the mean value and the frequency. The shape of the peak (0.1 s up, 0.1
 * s down) and the amplitude (0.2 N) are chosen here: with 2 Hz not far above the natural frequency
 * of the mass on its bristle (1.6 Hz), the force swings by 0.34 N and stays below the elastic limit
 * of 1 N.
 *
 * Answer: after the peak the mass should only swing on its bristle. Smooth Coulomb, LuGre and Dahl
 * drift away; Karnopp, velocity-based, elasto-plastic and Gonthier stay.
 */
#include "one_mass.h"

enum { PEAK = OWN_PARAMETERS, PEAK_TIME, MEAN, AMPLITUDE, FREQUENCY };

static double applied_force(const Instant *m, const double *x) {
    (void)x;
    const double *p = m->p;
    if (m->phase == 0) return p[PEAK] * m->t / p[PEAK_TIME];
    if (m->phase == 1) return p[PEAK] + (p[MEAN] - p[PEAK]) * (m->t - p[PEAK_TIME]) / p[PEAK_TIME];
    return p[MEAN] + p[AMPLITUDE] * sin(2 * PI * p[FREQUENCY] * (m->t - 2 * p[PEAK_TIME]));
}

static double counterpart_velocity(const Instant *m) {
    (void)m;
    return 0;
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    one_mass_results(m, x, y, outputs);
    outputs[1] = kinetic_energy(m, x);
}

static double event_time(const Instant *m) {
    return m->phase < 2 ? m->p[PEAK_TIME] * (m->phase + 1) : INFINITY;
}

const System system_presliding = {
    .name = "presliding",
    .title = "Mass on a plate under a peak of force, then a pulsating load below the static limit",
    .source = "Pennestri et al. 2016, section 3.3",
    .stop = 10,
    .interval = 5e-3,
    .parameters =
        PARAMETERS([MASS] = {"mass", "kg", 1, POSITIVE, "Mass"},
                   [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                   [PEAK] = {"peak", "N", 2, ANY, "Force at the peak"},
                   [PEAK_TIME] = {"peakTime", "s", 0.1, POSITIVE,
                                  "Time up to the peak, and down from it"},
                   [MEAN] = {"mean", "N", 0.5, ANY, "Mean value of the pulsating load"},
                   [AMPLITUDE] = {"amplitude", "N", 0.2, ANY, "Amplitude of the pulsating load"},
                   [FREQUENCY] = {"frequency", "Hz", 2, NOT_NEGATIVE,
                                  "Frequency of the pulsating load"}),
    .states = one_mass_states,
    .outputs = QUANTITIES({"load", "N", 1, "Load on the mass"},
                          {"kineticEnergy", "J", 1e-3, "Kinetic energy of the mass"}),
    .contacts = CONTACTS({"plate", "pennestri2016_presliding", one_mass_offers, one_mass_needs}),
    .inputs = one_mass_inputs,
    .rates = one_mass_rates,
    .results = results,
    .event_time = event_time,
};
