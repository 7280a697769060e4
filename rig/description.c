#include "description.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const char *attribute(const char **attributes, const char *name) {
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

static bool is_true(const char **attributes, const char *name) {
    const char *value = attribute(attributes, name);
    return value && (strcmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

static char *copied_attribute(const char **attributes, const char *name) {
    const char *value = attribute(attributes, name);
    return value ? copied(value) : NULL;
}

/* A whole number that is not negative; 0 where the attribute is missing or is none. */
static unsigned number(const char **attributes, const char *name) {
    const char *value = attribute(attributes, name);
    const unsigned long n = value ? strtoul(value, NULL, 10) : 0;
    return n <= UINT_MAX ? (unsigned)n : 0;
}

static int count(const char **attributes, const char *name) {
    const unsigned n = number(attributes, name);
    return n <= INT_MAX ? (int)n : 0;
}

/* A number with a default. */
static double real(const char **attributes, const char *name, double otherwise) {
    const char *value = attribute(attributes, name);
    return value ? strtod(value, NULL) : otherwise;
}

typedef struct {
    Description *description;
    char *simple_type; /* whose items are being read */
    bool in_derivatives;
} Reading;

static Causality causality(const char *word) {
    if (!word) return OTHER_CAUSALITY;
    if (strcmp(word, "parameter") == 0) return PARAMETER;
    if (strcmp(word, "input") == 0) return INPUT;
    return strcmp(word, "output") == 0 ? OUTPUT : OTHER_CAUSALITY;
}

static void add_variable(Description *d, const char **attributes) {
    d->variables = grown_array(d->variables, (size_t)d->n_variables + 1, sizeof *d->variables);
    const char *name = attribute(attributes, "name");
    d->variables[d->n_variables++] =
        (Variable){.name = copied(name ? name : ""),
                   .reference = number(attributes, "valueReference"),
                   .causality = causality(attribute(attributes, "causality"))};
}

static void add_type(Description *d, Type type, const char **attributes) {
    if (d->n_variables == 0) return;
    Variable *variable = &d->variables[d->n_variables - 1];
    if (variable->type != OTHER_TYPE) return;
    variable->type = type;
    variable->unit = copied_attribute(attributes, "unit");
    variable->declared_type = copied_attribute(attributes, "declaredType");
    variable->minimum = real(attributes, "min", -INFINITY);
    variable->maximum = real(attributes, "max", INFINITY);
    variable->derivative_of = type == REAL ? count(attributes, "derivative") : 0;
}

static void add_item(Description *d, const char *type, const char **attributes) {
    const char *name = attribute(attributes, "name");
    d->items = grown_array(d->items, (size_t)d->n_items + 1, sizeof *d->items);
    d->items[d->n_items++] = (Item){.type = copied(type),
                                    .name = copied(name ? name : ""),
                                    .value = count(attributes, "value")};
}

static void XMLCALL begin(void *data, const char *element, const char **attributes) {
    Reading *reading = data;
    Description *d = reading->description;
    if (strcmp(element, "fmiModelDescription") == 0 && !d->version) {
        d->version = copied_attribute(attributes, "fmiVersion");
        d->guid = copied_attribute(attributes, "guid");
        d->n_indicators = count(attributes, "numberOfEventIndicators");
    } else if (strcmp(element, "ModelExchange") == 0 && !d->identifier) {
        d->identifier = copied_attribute(attributes, "modelIdentifier");
        d->has_slopes = is_true(attributes, "providesDirectionalDerivative");
        d->needs_completed_steps = !is_true(attributes, "completedIntegratorStepNotNeeded");
    } else if (strcmp(element, "SimpleType") == 0) {
        free(reading->simple_type);
        reading->simple_type = copied_attribute(attributes, "name");
    } else if (strcmp(element, "Item") == 0 && reading->simple_type) {
        add_item(d, reading->simple_type, attributes);
    } else if (strcmp(element, "ScalarVariable") == 0) {
        add_variable(d, attributes);
    } else if (strcmp(element, "Real") == 0) {
        add_type(d, REAL, attributes);
    } else if (strcmp(element, "Integer") == 0) {
        add_type(d, INTEGER, attributes);
    } else if (strcmp(element, "Enumeration") == 0) {
        add_type(d, ENUMERATION, attributes);
    } else if (strcmp(element, "Derivatives") == 0) {
        reading->in_derivatives = true;
    } else if (strcmp(element, "Unknown") == 0 && reading->in_derivatives) {
        d->rates = grown_array(d->rates, (size_t)d->n_rates + 1, sizeof *d->rates);
        d->rates[d->n_rates++] = count(attributes, "index");
    }
}

static void XMLCALL end(void *data, const char *element) {
    Reading *reading = data;
    if (strcmp(element, "Derivatives") == 0) reading->in_derivatives = false;
}

static bool parse(const char *text, size_t size, void *data, XML_StartElementHandler on_begin,
                  XML_EndElementHandler on_end, Message *message) {
    XML_Parser parser = XML_ParserCreate(NULL);
    XML_SetUserData(parser, data);
    XML_SetElementHandler(parser, on_begin, on_end);
    const bool good =
        size <= INT_MAX && XML_Parse(parser, text, (int)size, XML_TRUE) == XML_STATUS_OK;
    if (!good)
        fail(message, "line %lu: %s", XML_GetCurrentLineNumber(parser),
             XML_ErrorString(XML_GetErrorCode(parser)));
    XML_ParserFree(parser);
    return good;
}

/* The identifier becomes the name of a file: it is a name in C and leads nowhere else. */
static bool is_name(const char *text) {
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    return *text && text[strspn(text, letters)] == '\0';
}

/* The rates and the states they belong to must exist, since the host looks them up by these
 * indices. */
static bool is_whole(const Description *d, Message *message) {
    if (!d->version || strcmp(d->version, "2.0") != 0)
        return fail(message, "it is not of FMI version 2.0 (but %s)",
                    d->version ? d->version : "of none");
    if (!d->identifier || !d->guid) return fail(message, "it has no model exchange part");
    if (!is_name(d->identifier))
        return fail(message, "its modelIdentifier \"%s\" is not a name in C", d->identifier);
    for (int i = 0; i < d->n_rates; i++) {
        if (d->rates[i] < 1 || d->rates[i] > d->n_variables)
            return fail(message, "its model structure names variable %d of %d", d->rates[i],
                        d->n_variables);
        const Variable *rate = &d->variables[d->rates[i] - 1];
        if (rate->derivative_of < 1 || rate->derivative_of > d->n_variables)
            return fail(message, "%s is a derivative, but of no variable", rate->name);
    }
    return true;
}

bool description_read(Description *description, const char *xml, size_t size, Message *message) {
    memset(description, 0, sizeof *description);
    Reading reading = {.description = description};
    const bool good =
        parse(xml, size, &reading, begin, end, message) && is_whole(description, message);
    free(reading.simple_type);
    if (!good) description_free(description);
    return good;
}

void description_free(Description *d) {
    free(d->version);
    free(d->guid);
    free(d->identifier);
    for (int i = 0; i < d->n_variables; i++) {
        free(d->variables[i].name);
        free(d->variables[i].unit);
        free(d->variables[i].declared_type);
    }
    free(d->variables);
    for (int i = 0; i < d->n_items; i++) {
        free(d->items[i].type);
        free(d->items[i].name);
    }
    free(d->items);
    free(d->rates);
    memset(d, 0, sizeof *d);
}

/* Elements of a parameter set carry a prefix for their namespace: <ssv:Parameter name="…"><ssv:Real
 * value="…"/>. */
static void XMLCALL begin_set(void *data, const char *element, const char **attributes) {
    Settings *settings = data;
    const char *colon = strrchr(element, ':');
    const char *local = colon ? colon + 1 : element;
    const char *value = attribute(attributes, "value");
    if (strcmp(local, "Parameter") == 0) {
        const char *name = attribute(attributes, "name");
        settings_add(settings, name ? name : "", "");
    } else if (value && settings->count > 0) {
        Setting *last = &settings->items[settings->count - 1];
        free(last->value);
        last->value = copied(value);
    }
}

bool settings_read(Settings *settings, const char *ssv, size_t size, Message *message) {
    return parse(ssv, size, settings, begin_set, NULL, message);
}

void settings_add(Settings *settings, const char *name, const char *value) {
    settings->items =
        grown_array(settings->items, (size_t)settings->count + 1, sizeof *settings->items);
    settings->items[settings->count++] = (Setting){copied(name), copied(value)};
}

void settings_free(Settings *settings) {
    for (int i = 0; i < settings->count; i++) {
        free(settings->items[i].name);
        free(settings->items[i].value);
    }
    free(settings->items);
    memset(settings, 0, sizeof *settings);
}
