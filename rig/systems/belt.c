/* belt: a mass on a conveyor belt, held back by a spring: stick-slip.
 * Rill 2023, section 4.4, Listings 1, 2
 *
 *     dx/dt   = v
 *     m dv/dt = -k x - F,     relative velocity v - v_b,     x(0) = 0, v(0) = v_b
 *
 * Answer: with ideal stick the mass follows the belt until k v_b t = F_s, t = 7.3575 s, F_s = 1.47
 * N; the spring pulls it back and it sticks again at about 10 s, and a second time between 16.5 s
 * and 17.5 s. LuGre breaks away too early.
 */
#include "spring_on_belt.h"

const System system_belt = {
    .name = "belt",
    .title = "Mass on a conveyor belt, held back by a spring: stick-slip",
    .source = "Rill et al. 2023, section 4.4, demonstration model 2",
    .stop = 20,
    .interval = 0.01,
    .parameters = PARAMETERS([MASS] = {"mass", "kg", 1, POSITIVE, "Mass"},
                             [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                             [STIFFNESS] = {"springStiffness", "N/m", 2, NOT_NEGATIVE,
                                            "Stiffness of the spring that holds the mass back"},
                             [BELT_SPEED] = {"beltSpeed", "m/s", 0.1, ANY, "Speed of the belt"}),
    .states = one_mass_states,
    .outputs = QUANTITIES({"springForce", "N", 1, "Force of the spring on the mass"}),
    .contacts = CONTACTS({"belt", "rill2023_model2", one_mass_offers, one_mass_needs}),
    .start = moving_with_the_belt,
    .inputs = one_mass_inputs,
    .rates = one_mass_rates,
    .results = one_mass_results,
};
