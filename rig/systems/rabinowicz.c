/* rabinowicz: a heavy mass on a moving slab, held back by a spring.
 * Pennestri 2016, section 3.1
 *
 *     dx/dt   = v
 *     m dv/dt = -k x - F,     relative velocity v - v_b,     x(0) = 0, v(0) = v_b
 *
 * Beside it runs the closed form for ideal Coulomb friction with the limits F_s = mu_s m g and F_d
 * = mu_d m g. In stick x = x_0 + v_b t until k x = F_s. In slip the mass swings about F_d/k, with
 * w^2 = k/m and A = (F_s - F_d)/k:
 *
 *     x = F_d/k + A cos wt + v_b/w sin wt
 *
 * until its velocity is again v_b, which is after (2 pi - 2 atan(A w/v_b))/w and at x = F_d/k - A;
 * then it sticks for 2 A/v_b.
 *
 * Answer (largest and mean relative difference from the closed form over 50 s): smooth Coulomb 27.3
 * and 7.9 %, velocity-based 12.5 and 2.7, Dahl 23.6 and 6.9, LuGre 4.0 and 0.8, stick-slip 4.0 and
 * 0.8, elasto-plastic 9.5 and 1.9, Gonthier 14.0 and 2.8.
 */
#include "spring_on_belt.h"

enum { STATIC_FRICTION = OWN_BELT_PARAMETERS, DYNAMIC_FRICTION };

static double ideal_position(const Instant *m) {
    const double *p = m->p;
    const double k = p[STIFFNESS], v_b = p[BELT_SPEED], w = sqrt(k / p[MASS]);
    const double F_s = p[STATIC_FRICTION] * p[MASS] * p[GRAVITY],
                 F_d = p[DYNAMIC_FRICTION] * p[MASS] * p[GRAVITY];
    const double A = (F_s - F_d) / k, first_stick = F_s / (k * v_b);
    if (m->t < first_stick) return v_b * m->t;
    const double slip = (2 * PI - 2 * atan(A * w / v_b)) / w, stick = 2 * A / v_b;
    const double t = fmod(m->t - first_stick, slip + stick);
    if (t < slip) return F_d / k + A * cos(w * t) + v_b / w * sin(w * t);
    return F_d / k - A + v_b * (t - slip);
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    one_mass_results(m, x, y, outputs);
    outputs[1] = ideal_position(m);
    outputs[2] = kinetic_energy(m, x);
    outputs[3] = spring_energy(m, x);
}

const System system_rabinowicz = {
    .name = "rabinowicz",
    .title = "Heavy mass on a moving slab, held back by a spring: stick-slip",
    .source = "Pennestri et al. 2016, section 3.1",
    .stop = 50,
    .interval = 0.02,
    .parameters =
        PARAMETERS([MASS] = {"mass", "kg", 20, POSITIVE, "Mass"},
                   [GRAVITY] = {"gravity", "m/s2", 9.81, NOT_NEGATIVE, "Gravity"},
                   [STIFFNESS] = {"springStiffness", "N/m", 10, POSITIVE,
                                  "Stiffness of the spring that holds the mass back"},
                   [BELT_SPEED] = {"beltSpeed", "m/s", 0.5, POSITIVE, "Speed of the slab"},
                   [STATIC_FRICTION] = {"idealStaticFriction", "1", 0.6, NOT_NEGATIVE,
                                        "Static friction of the closed form"},
                   [DYNAMIC_FRICTION] = {"idealDynamicFriction", "1", 0.5, NOT_NEGATIVE,
                                         "Dynamic friction of the closed form"}),
    .states = one_mass_states,
    .outputs = QUANTITIES(
        {"springForce", "N", 1, "Force of the spring on the mass"},
        {"idealPosition", "m", 1, "Position in the closed form for ideal Coulomb friction"},
        {"kineticEnergy", "J", 1, "Kinetic energy of the mass"},
        {"potentialEnergy", "J", 1, "Energy of the spring"}),
    .contacts = CONTACTS({"slab", "pennestri2016_rabinowicz", one_mass_offers, one_mass_needs}),
    .start = moving_with_the_belt,
    .inputs = one_mass_inputs,
    .rates = one_mass_rates,
    .results = results,
};
