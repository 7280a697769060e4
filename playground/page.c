/* What the page calls: the situations, one run of the element in one of them, and its rows of
 * results. Texts go through one buffer. A function that can fail returns 0 and leaves the sentence
 * there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "fixed_step.h"
#include "hand.h"
#include "integrator.h"
#include "memory.h"
#include "surfaces.h"

#define EXPORT(name) __attribute__((export_name(#name)))

enum { SETTINGS_AT_MOST = 32, ROWS_AT_MOST = 1600, ROWS_OF_A_STEP = 4 };

static Message message;
static double settings[SETTINGS_AT_MOST];
static Assembly *assembly;
static Integrator integrator;
static FixedStep host; /* whose step is 0 while the integrator runs */
static double *rows;
static int n_rows;

/* Values of a parameter set that are out of range can be seen in the fields of the page. */
void warn(const char *format, ...) {
    (void)format;
}

EXPORT(text) char *text_place(void) {
    return message.text;
}

/* The element */

EXPORT(choose) int choose(void) {
    return element_choose(message.text);
}

/* The buffer holds one text after the other, each with its end. */
static char *text_number(int index) {
    char *text = message.text;
    while (index-- > 0) text += strlen(text) + 1;
    return text;
}

/* Name and unit are in the buffer. */
EXPORT(describe)
void describe(int type, int causality, unsigned reference, int derivative_of, double minimum,
              double maximum) {
    element_describe(&(Variable){.name = text_number(0),
                                 .unit = text_number(1),
                                 .reference = reference,
                                 .type = (Type)type,
                                 .causality = (Causality)causality,
                                 .derivative_of = derivative_of,
                                 .minimum = minimum,
                                 .maximum = maximum});
}

/* The buffer holds the GUID. */
EXPORT(complete) void complete(int n_indicators) {
    element_complete(message.text, n_indicators);
}

/* The situations */

EXPORT(situation_count) int situation_count(void) {
    int count = 0;
    while (systems[count]) count++;
    return count;
}

EXPORT(situation_text) const char *situation_text(int situation, int what) {
    const System *s = systems[situation];
    const char *const texts[] = {s->name, s->title, s->source, s->contacts[0].set};
    return texts[what];
}

EXPORT(situation_number) double situation_number(int situation, int what) {
    const System *s = systems[situation];
    const double numbers[] = {s->stop, s->interval, system_grip(s)};
    return numbers[what];
}

EXPORT(setting_text) const char *setting_text(int situation, int setting, int what) {
    const Parameter *p = &systems[situation]->parameters[setting];
    const char *const texts[] = {p->name, p->unit, p->text};
    return texts[what];
}

EXPORT(setting_number) double setting_number(int situation, int setting, int what) {
    const Parameter *p = &systems[situation]->parameters[setting];
    return what == 0 ? p->value : (double)p->range;
}

/* The run */

static Instance *instance(void) {
    return &assembly->elements[0].instance;
}

/* The element that is given for all contacts of a system, with the loads beside it. */
static const Fmu *const *with_loads(const System *system, const Fmu *const *given) {
    static const Fmu *all[CONTACTS_AT_MOST];
    if (!system->beside) return given;
    for (int c = 0; system->contacts[c].name; c++) all[c] = element_beside(system->beside[c]);
    return all;
}

EXPORT(settings) double *settings_place(void) {
    return settings;
}

EXPORT(hand) double *hand_place(void) {
    return &hand.holds;
}

static void store_row(const double *row) {
    if (!row || n_rows == ROWS_AT_MOST) return;
    memcpy(rows + n_rows++ * assembly->n_columns, row, (size_t)assembly->n_columns * sizeof *row);
}

static void on_row(void *context, double t, const double *x, bool event) {
    (void)context, (void)event;
    store_row(assembly_row(assembly, t, x));
}

static void close_run(void) {
    assembly_close(assembly);
    free(rows);
    assembly = NULL;
    rows = NULL;
}

/* Opens a run with the settings; 0 if the element does not fit the situation. A step of 0 means a
 * host that solves law and bodies together. */
EXPORT(open) int open_run(int situation, double step) {
    close_run();
    for (int i = 0; systems[situation]->parameters[i].name; i++)
        if (i == SETTINGS_AT_MOST)
            return fail(&message, "%s has more than %d settings.", systems[situation]->name, i);
    host.step = step;
    element_is_stepped(step > 0);
    const Fmu *const fmus[] = {element()};
    assembly = assembly_open(system_in_hand(systems[situation]), settings, NULL,
                             with_loads(systems[situation], fmus), &message);
    if (!assembly) return 0;
    rows = new_array((size_t)(ROWS_AT_MOST * assembly->n_columns), sizeof *rows);
    n_rows = 0;
    return 1;
}

/* Sets the parameters of the set named in the buffer or, without a name, of the system's own. */
EXPORT(take_set) int take_set(void) {
    if (!*message.text) return set_surfaces(assembly, NULL, &message);
    const ParameterSet *set = find_set(message.text);
    return set ? set_surface(assembly, 0, set, &message)
               : fail(&message, "There is no such parameter set.");
}

EXPORT(set_real) int set_real(fmi2ValueReference reference, double value) {
    const fmi2Status status =
        element()->call.set_real(instance()->component, &reference, 1, &value);
    return instance_good(instance(), status, "fmi2SetReal", &message);
}

EXPORT(set_integer) int set_integer(fmi2ValueReference reference, int value) {
    const fmi2Status status =
        element()->call.set_integer(instance()->component, &reference, 1, &value);
    return instance_good(instance(), status, "fmi2SetInteger", &message);
}

EXPORT(get_real) double get_real(fmi2ValueReference reference) {
    double value = NAN;
    element()->call.get_real(instance()->component, &reference, 1, &value);
    return value;
}

/* Changes the fixed step, at any time of a run with one. */
EXPORT(set_step) void set_step(double step) {
    host.step = step;
}

EXPORT(start) int start(double tolerance) {
    host.on_row = store_row;
    if (host.step > 0) return fixed_step_begin(&host, assembly, host.step, &message);
    integrator.on_row = on_row;
    return assembly_initialize(assembly, INFINITY, tolerance, &message) &&
           integrator_begin(&integrator, assembly, 0, tolerance, &message);
}

EXPORT(begin_change) int begin_change(void) {
    return host.step > 0 || integrator_begin_change(&integrator, &message);
}

EXPORT(end_change) int end_change(void) {
    return host.step > 0 || integrator_end_change(&integrator, &message);
}

/* Advances until the time is reached, or trial steps or rows are used up. */
EXPORT(advance) int advance(double until, int trials) {
    if (host.step > 0) return fixed_step_advance(&host, until, trials, &message);
    const int room = (ROWS_AT_MOST - n_rows) / ROWS_OF_A_STEP;
    return integrator_advance(&integrator, until, trials < room ? trials : room, &message);
}

EXPORT(now) double now(void) {
    return host.step > 0 ? host.t : integrator.t;
}

EXPORT(counter) double counter(int what) {
    if (host.step > 0) return what == 0 ? (double)host.steps : 0;
    return (double)(what == 0 ? integrator.steps : integrator.events);
}

EXPORT(column_count) int column_count(void) {
    return assembly->n_columns;
}

EXPORT(column_name) const char *column_name(int column) {
    return assembly->columns[column];
}

EXPORT(rows) const double *rows_place(void) {
    return rows;
}

/* Returns the number of rows; the next ones overwrite them. */
EXPORT(take_rows) int take_rows(void) {
    const int count = n_rows;
    n_rows = 0;
    return count;
}

/* Sets the states of the element, which are in `settings` here, and handles the event that they and
 * the inputs cause. */
EXPORT(visit) int visit(void) {
    const Functions *call = &element()->call;
    const fmi2Component component = instance()->component;
    fmi2EventInfo info;
    fmi2Status status =
        call->set_continuous_states(component, settings, (size_t)element()->n_states);
    if (status <= fmi2Warning) status = call->enter_event_mode(component);
    if (status <= fmi2Warning) status = call->new_discrete_states(component, &info);
    if (status <= fmi2Warning) status = call->enter_continuous_time_mode(component);
    return instance_good(instance(), status, "the event", &message);
}
