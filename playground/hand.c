#include "hand.h"

#include <stddef.h>
#include <string.h>

enum { STATES_AT_MOST = 8, NAMES_AT_MOST = 16 };

Hand hand;

/* Indices in the system that is in hand; -1 for what it does not have. */
static const System *inner;
static System outer;
static int n_states, n_outputs, n_all_outputs, mass, position, velocity, height, rise, normal_force,
    external_force;
static Quantity states[STATES_AT_MOST + 2];
static const char *needs[NAMES_AT_MOST];
static Contact contacts[CONTACTS_AT_MOST + 1];

static int place_of(const char *const *names, const char *wanted) {
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], wanted) == 0) return i;
    return -1;
}

static int state_of(const System *system, const char *wanted) {
    for (int i = 0; system->states[i].name; i++)
        if (strcmp(system->states[i].name, wanted) == 0) return i;
    return -1;
}

static int parameter_of(const System *system, const char *wanted) {
    for (int i = 0; system->parameters && system->parameters[i].name; i++)
        if (strcmp(system->parameters[i].name, wanted) == 0) return i;
    return -1;
}

static double pull(const double *x) {
    if (position < 0) return 0;
    return hand.force +
           hand.holds * (hand.stiffness * (hand.place - x[position]) - hand.damping * x[velocity]);
}

/* Returns the outputs that the system itself needs: all but the power at its first contact. */
static const double *own_outputs(const double *y) {
    static double own[NAMES_AT_MOST];
    for (int i = 0; i < n_all_outputs; i++) own[i] = y[i < n_outputs ? i : i + 1];
    return own;
}

static void loads(const Instant *m, const double *x, const double *y, double *u) {
    inner->loads(m, x, own_outputs(y), u);
}

static void results(const Instant *m, const double *x, const double *y, double *outputs) {
    inner->results(m, x, own_outputs(y), outputs);
}

static void inputs(const Instant *m, const double *x, double *u) {
    inner->inputs(m, x, u);
    if (normal_force >= 0) u[normal_force] += hand.press;
    if (external_force >= 0) u[external_force] += pull(x);
}

static void rates(const Instant *m, const double *x, const double *y, double *dx) {
    inner->rates(m, x, own_outputs(y), dx);
    if (position >= 0) dx[velocity] += pull(x) / m->p[mass];
    if (rise >= 0) dx[rise] -= hand.press / m->p[mass];
    dx[n_states] = y[n_outputs];
}

static void find_places(const System *system) {
    const Contact *contact = &system->contacts[0];
    mass = parameter_of(system, "mass");
    position = mass < 0 ? -1 : state_of(system, "position");
    velocity = state_of(system, "velocity");
    height = mass < 0 ? -1 : state_of(system, "height");
    rise = height < 0 ? -1 : position < 0 ? velocity : state_of(system, "verticalVelocity");
    normal_force = system->loads ? -1 : place_of(contact->inputs, "normalForce");
    external_force = position < 0 ? -1 : place_of(contact->inputs, "externalForce");
}

int system_grip(const System *system) {
    find_places(system);
    const int grip =
        (position >= 0 ? HAND_PULLS : 0) | (rise >= 0 || normal_force >= 0 ? HAND_PRESSES : 0);
    if (inner) find_places(inner);
    return grip;
}

const System *system_in_hand(const System *system) {
    const Contact *contact = &system->contacts[0];
    inner = system;
    find_places(system);
    for (n_states = 0; system->states[n_states].name; n_states++)
        states[n_states] = system->states[n_states];
    states[n_states] = (Quantity){"frictionWork", "J", 1e-2, "Work that friction has taken"};
    states[n_states + 1] = (Quantity){NULL, NULL, 0, NULL};
    for (n_outputs = 0; contact->outputs[n_outputs]; n_outputs++)
        needs[n_outputs] = contact->outputs[n_outputs];
    needs[n_outputs] = "dissipatedPower";
    needs[n_outputs + 1] = NULL;
    n_all_outputs = 0;
    for (int c = 0; contact[c].name; c++) {
        contacts[c] = contact[c];
        contacts[c + 1].name = NULL;
        for (int i = 0; contact[c].outputs[i]; i++) n_all_outputs++;
    }
    contacts[0].outputs = needs;
    outer = *system;
    outer.states = states;
    outer.contacts = contacts;
    outer.inputs = inputs;
    outer.rates = rates;
    outer.loads = system->loads ? loads : NULL;
    outer.results = system->results ? results : NULL;
    return &outer;
}
