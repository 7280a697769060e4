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

/* Whether a parameter is a property of a bristle per unit of normal force, as in normalised models;
 * sets for other models have the property itself. */
static bool is_per_normal_force(const Variable *variable) {
    return variable->unit &&
           ((strcmp(variable->name, "bristleStiffness") == 0 &&
             strcmp(variable->unit, "1/m") == 0) ||
            (strcmp(variable->name, "bristleDamping") == 0 && strcmp(variable->unit, "s/m") == 0));
}

/* Returns the initial normal force of a contact; -1 where the system offers none. */
static double own_normal_force(const Assembly *assembly, const Element *e) {
    for (int i = 0; e->offers[i]; i++)
        if (strcmp(e->offers[i], "normalForce") == 0) return assembly->u[e->first_input + i];
    return -1;
}

/* The same; where the contact is not loaded yet, the largest of the other contacts, or 1. */
static double initial_normal_force(const Assembly *assembly, const Element *e) {
    double force = own_normal_force(assembly, e);
    for (int c = 0; c < assembly->n_contacts && !(own_normal_force(assembly, e) > 0); c++)
        force = fmax(force, own_normal_force(assembly, &assembly->elements[c]));
    return force > 0 ? force : 1;
}

bool set_surface(Assembly *assembly, int contact, const ParameterSet *set, Message *message) {
    const Element *e = &assembly->elements[contact];
    const bool fits = is_made_for(set, e->instance.fmu->description.identifier);
    for (const SetValue *entry = set->values; entry->name; entry++) {
        if (entry->model && strcmp(entry->model, e->instance.fmu->description.identifier) != 0)
            continue;
        const Variable *variable = description_find(&e->instance.fmu->description, entry->name);
        if (!variable) continue;
        double value = entry->value;
        if (!fits && is_per_normal_force(variable)) value /= initial_normal_force(assembly, e);
        if (variable->type == REAL && (value < variable->minimum || value > variable->maximum)) {
            warn("%s: %s = %g of the set %s is out of its range, %g to %g, and not taken.",
                 e->instance.fmu->name, entry->name, value, set->name, variable->minimum,
                 variable->maximum);
            continue;
        }
        bool known;
        if (!assembly_set(assembly, contact, entry->name, value, &known, message)) return false;
    }
    return true;
}

bool set_surfaces(Assembly *assembly, const ParameterSet *chosen, Message *message) {
    for (int c = 0; c < assembly->n_contacts; c++) {
        const char *name = assembly->system->contacts[c].set;
        const ParameterSet *set = name ? find_set(name) : NULL;
        if (name && !set)
            return fail(message, "the parameter set %s of the system %s is missing.", name,
                        assembly->system->name);
        if (set && !set_surface(assembly, c, set, message)) return false;
        if (chosen && !set_surface(assembly, c, chosen, message)) return false;
    }
    return true;
}

bool give_setting(Assembly *assembly, const Value *setting, bool *known, Message *message) {
    for (int c = 0; c < assembly->n_contacts; c++) {
        const char *contact = assembly->system->contacts[c].name;
        const size_t length = strlen(contact);
        const bool is_prefixed =
            strncmp(setting->name, contact, length) == 0 && setting->name[length] == '.';
        const char *name = is_prefixed ? setting->name + length + 1 : setting->name;
        bool found;
        if (!assembly_set(assembly, c, name, setting->value, &found, message)) return false;
        *known = *known || found;
    }
    return true;
}
