/* pulse3: a mass on a plate under three pulses of 80 % of the static limit.
 * Schuderer 2023, section 4
 *
 *     dx/dt   = v
 *     m dv/dt = F_E(t) - F,   F_E = 0.8 F_s, 0, 0.8 F_s, 0, 0.8 F_s, 0 each for 1 s
 *
 * The parameters of the paper's Fig. 5 are not in its text; m = 1 kg, N = 9.81 N, mu 0.6/0.3, v_s =
 * 0.1 mm/s, x_s = 0.01 mm, c_f = 1e8 N/m reproduce the printed figures.
 *
 * Answer: the regularized models creep, Simpack's by 25.0 um more than the others; the stick-slip
 * elements return to their place from 5.0 um (Adams, RecurDyn; within about 0.5 s) and 0.047 um
 * (Simpack).
 */
#include "pulse_load.h"

const System system_pulse3 = {
    .name = "pulse3",
    .title = "Mass on a plate under three pulses of 80 % of the static limit",
    .source = "Schuderer et al. 2023, section 4",
    .stop = 6,
    .interval = 2e-3,
    .parameters = PARAMETERS([MASS] = {"mass", "kg", 1, POSITIVE, "Mass"},
                             [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                             [LOAD] = {"load", "N", 0.8 * 0.6 * 9.81, ANY, "Load while it is on"},
                             [DURATION] = {"duration", "s", 1, POSITIVE,
                                           "Time for which the load is on, and then off"},
                             [PULSES] = {"pulses", "1", 3, NOT_NEGATIVE, "Number of pulses"}),
    .states = one_mass_states,
    .outputs = pulse_outputs,
    .contacts = CONTACTS({"plate", "schuderer2023_pulse", one_mass_offers, one_mass_needs}),
    .inputs = one_mass_inputs,
    .rates = one_mass_rates,
    .results = one_mass_results,
    .event_time = pulse_event_time,
};
