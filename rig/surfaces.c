#include "surfaces.h"

#include <math.h>
#include <string.h>

const ParameterSet *find_set(const char *name) {
    for (const ParameterSet *set = parameter_sets; set->name; set++)
        if (strcmp(set->name, name) == 0) return set;
    return NULL;
}

static bool is_made_for(const ParameterSet *set, const char *model) {
    for (const char *const *name = set->models; *name; name++)
        if (strcmp(*name, model) == 0) return true;
    return false;
}

/* Normalised models take the properties of their bristle per unit of normal force; sets that are
 * not made for them have them as they are. */
static bool is_per_normal_force(const Variable *variable) {
    return variable->unit &&
           ((strcmp(variable->name, "bristleStiffness") == 0 &&
             strcmp(variable->unit, "1/m") == 0) ||
            (strcmp(variable->name, "bristleDamping") == 0 && strcmp(variable->unit, "s/m") == 0));
}

/* The normal force of a contact at the beginning; -1 where the system offers none. */
static double own_normal_force(const Coupling *coupling, const Element *e) {
    for (int i = 0; e->offers[i]; i++)
        if (strcmp(e->offers[i], "normalForce") == 0) return coupling->u[e->first_input + i];
    return -1;
}

/* The same; where the contact is not pressed yet, the largest of the other contacts, or 1. */
static double initial_normal_force(const Coupling *coupling, const Element *e) {
    double force = own_normal_force(coupling, e);
    for (int c = 0; c < coupling->n_contacts && !(own_normal_force(coupling, e) > 0); c++)
        force = fmax(force, own_normal_force(coupling, &coupling->elements[c]));
    return force > 0 ? force : 1;
}

bool set_surface(Coupling *coupling, int contact, const ParameterSet *set, Message *message) {
    const Element *e = &coupling->elements[contact];
    const bool fits = is_made_for(set, e->instance.fmu->description.identifier);
    for (const SetValue *entry = set->values; entry->name; entry++) {
        if (entry->model && strcmp(entry->model, e->instance.fmu->description.identifier) != 0)
            continue;
        const Variable *variable = description_find(&e->instance.fmu->description, entry->name);
        if (!variable) continue;
        double value = entry->value;
        if (!fits && is_per_normal_force(variable)) value /= initial_normal_force(coupling, e);
        if (variable->type == REAL && (value < variable->minimum || value > variable->maximum)) {
            warn("%s: %s = %g of the set %s is out of its range, %g to %g, and not taken.",
                 e->instance.fmu->name, entry->name, value, set->name, variable->minimum,
                 variable->maximum);
            continue;
        }
        bool known;
        if (!coupling_set(coupling, contact, entry->name, value, &known, message)) return false;
    }
    return true;
}

bool set_surfaces(Coupling *coupling, const ParameterSet *chosen, Message *message) {
    for (int c = 0; c < coupling->n_contacts; c++) {
        const char *name = coupling->system->contacts[c].set;
        const ParameterSet *set = name ? find_set(name) : NULL;
        if (name && !set)
            return fail(message, "the parameter set %s of the system %s is missing.", name,
                        coupling->system->name);
        if (set && !set_surface(coupling, c, set, message)) return false;
        if (chosen && !set_surface(coupling, c, chosen, message)) return false;
    }
    return true;
}

bool give_setting(Coupling *coupling, const Value *setting, bool *known, Message *message) {
    for (int c = 0; c < coupling->n_contacts; c++) {
        const char *contact = coupling->system->contacts[c].name;
        const size_t length = strlen(contact);
        const bool is_prefixed =
            strncmp(setting->name, contact, length) == 0 && setting->name[length] == '.';
        const char *name = is_prefixed ? setting->name + length + 1 : setting->name;
        bool found;
        if (!coupling_set(coupling, c, name, setting->value, &found, message)) return false;
        *known = *known || found;
    }
    return true;
}
