/* pulse: a mass on a plate under a load that is switched on and off twice.
 * Rill 2023, section 4.3, Listings 1, 2
 *
 *     dx/dt   = v
 *     m dv/dt = F_E(t) - F,   F_E = F_I, 0, F_I, 0 … each for 0.1 s
 *
 * Answer: below the static limit (5.886 N) the mass should stay. The static model creeps with
 * 0.1875 mm/s under 2 N; LuGre drifts by 0.02129 mm per cycle under 2 N and by some 20 mm in two
 * cycles under 4.5 N; the implicit and the second-order bristle stay.
 */
#include "pulse_load.h"

const System system_pulse = {
    .name = "pulse",
    .title = "Mass on a plate under a load that is switched on and off",
    .source = "Rill et al. 2023, section 4.3, demonstration model 1",
    .stop = 0.4,
    .interval = 2e-4,
    .parameters = PARAMETERS([MASS] = {"mass", "kg", 1, POSITIVE, "Mass"},
                             [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                             [LOAD] = {"load", "N", 2, ANY, "Load while it is on"},
                             [DURATION] = {"duration", "s", 0.1, POSITIVE,
                                           "Time for which the load is on, and then off"},
                             [PULSES] = {"pulses", "1", 2, NOT_NEGATIVE, "Number of pulses"}),
    .states = one_mass_states,
    .outputs = pulse_outputs,
    .contacts = CONTACTS({"plate", "rill2023_model1", one_mass_offers, one_mass_needs}),
    .inputs = one_mass_inputs,
    .rates = one_mass_rates,
    .results = one_mass_results,
    .event_time = pulse_event_time,
};
