/* sweep: the velocity rises slowly, falls through zero and returns: the friction curve F(v).
 *
 *     v(t): from 0 to V, to -V and back to 0, with constant acceleration 4 V/T
 *     dx/dt = v(t),   dW/dt = F v(t)
 *
 * Answer: F(v) follows the friction curve of the model, with a loop around v = 0 for bristle
 * models.
 */
#include "driven.h"

enum { NORMAL, SPEED, PERIOD };

static double drive_velocity(const Instant *m) {
    const double s = 4 * m->t / m->p[PERIOD];
    if (m->phase == 0) return m->p[SPEED] * s;
    return m->phase == 1 ? m->p[SPEED] * (2 - s) : m->p[SPEED] * fmin(s - 4, 0);
}

static double normal_force_of(const Instant *m) {
    return m->p[NORMAL];
}

static double event_time(const Instant *m) {
    return m->phase < 2 ? m->p[PERIOD] * (0.25 + 0.5 * m->phase) : INFINITY;
}

const System system_sweep = {
    .name = "sweep",
    .title = "Slow sweep of the velocity: the friction curve F(v)",
    .source = "Parameters of Rill et al. 2023, demonstration model 1",
    .stop = 20,
    .interval = 0.01,
    .parameters = PARAMETERS([NORMAL] = {"normalForce", "N", 9.81, ANY, "Normal force"},
                             [SPEED] = {"speed", "m/s", 0.05, POSITIVE, "Largest velocity"},
                             [PERIOD] = {"period", "s", 20, POSITIVE, "Time of the sweep"}),
    .states = driven_states,
    .contacts = CONTACTS({"contact", "rill2023_model1", driven_offers, driven_needs}),
    .inputs = driven_inputs,
    .rates = driven_rates,
    .event_time = event_time,
};
