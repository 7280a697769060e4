/* hysteresis: slow back-and-forth motion within the pre-sliding range.
 * Piatkowski 2014, section 3
 *
 *     x(t): from 0 to X, and then in turn to -X and X, with constant speed 4 X/T
 *     dx/dt = v(t),   dW/dt = F v(t)
 *
 * Answer: from the second cycle on the loop passes through P1 (X = 0.0891 mm, F = 50.0 N) for LuGre
 * with sigma0 = 946160 N/m and for Dahl with sigma0 = 1592200 N/m, delta_D = 1.52 and F_d = F_s =
 * 55.3 N.
 */
#include "driven.h"

enum { NORMAL, AMPLITUDE, PERIOD };

static double drive_velocity(const Instant *m) {
    const double speed = 4 * m->p[AMPLITUDE] / m->p[PERIOD];
    return m->phase % 2 == 0 ? speed : -speed;
}

static double normal_force_of(const Instant *m) {
    return m->p[NORMAL];
}

static double event_time(const Instant *m) {
    return m->p[PERIOD] * (0.25 + 0.5 * m->phase);
}

const System system_hysteresis = {
    .name = "hysteresis",
    .title = "Slow back-and-forth motion within the pre-sliding range: the hysteresis loop",
    .source = "Piatkowski 2014, section 3",
    .stop = 22.5,
    .interval = 0.01,
    .parameters =
        PARAMETERS([NORMAL] = {"normalForce", "N", 98.1, ANY, "Normal force"},
                   [AMPLITUDE] = {"amplitude", "m", 0.891e-4, POSITIVE, "Largest displacement"},
                   [PERIOD] = {"period", "s", 10, POSITIVE, "Time of a full cycle"}),
    .states = driven_states,
    .contacts = CONTACTS({"contact", "piatkowski2014_lugre", driven_offers, driven_needs}),
    .inputs = driven_inputs,
    .rates = driven_rates,
    .event_time = event_time,
};
