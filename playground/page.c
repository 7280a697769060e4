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
static Coupling *coupling;
static Integrator integrator;
static FixedStep host; /* whose step is 0 while the integrator runs */
static double *rows;
static int n_rows;

/* What a set has and the element does not take shows in the fields of the page. */
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
    return &coupling->elements[0].instance;
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

static void keep_row(const double *row) {
    if (!row || n_rows == ROWS_AT_MOST) return;
    memcpy(rows + n_rows++ * coupling->n_columns, row, (size_t)coupling->n_columns * sizeof *row);
}

static void on_row(void *context, double t, const double *x, bool event) {
    (void)context, (void)event;
    keep_row(coupling_row(coupling, t, x));
}

static void close_run(void) {
    coupling_close(coupling);
    free(rows);
    coupling = NULL;
    rows = NULL;
}

/* Whether the element fits into a situation; the settings are to be there. A step of 0 is that of
 * a host which solves law and bodies together. */
EXPORT(open) int open_run(int situation, double step) {
    close_run();
    for (int i = 0; systems[situation]->parameters[i].name; i++)
        if (i == SETTINGS_AT_MOST)
            return fail(&message, "%s has more than %d settings.", systems[situation]->name, i);
    host.step = step;
    element_is_stepped(step > 0);
    const Fmu *const fmus[] = {element()};
    coupling = coupling_open(system_in_hand(systems[situation]), settings, NULL,
                             with_loads(systems[situation], fmus), &message);
    if (!coupling) return 0;
    rows = new_array((size_t)(ROWS_AT_MOST * coupling->n_columns), sizeof *rows);
    n_rows = 0;
    return 1;
}

/* Takes the parameter set of the system or, where one is named in the buffer, that one. */
EXPORT(take_set) int take_set(void) {
    if (!*message.text) return set_surfaces(coupling, NULL, &message);
    const ParameterSet *set = find_set(message.text);
    return set ? set_surface(coupling, 0, set, &message)
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

/* Another fixed step, at any time of a run with one. */
EXPORT(set_step) void set_step(double step) {
    host.step = step;
}

EXPORT(start) int start(double tolerance) {
    host.on_row = keep_row;
    if (host.step > 0) return fixed_step_begin(&host, coupling, host.step, &message);
    integrator.on_row = on_row;
    return coupling_initialize(coupling, INFINITY, tolerance, &message) &&
           integrator_begin(&integrator, coupling, 0, tolerance, &message);
}

EXPORT(begin_change) int begin_change(void) {
    return host.step > 0 || integrator_begin_change(&integrator, &message);
}

EXPORT(end_change) int end_change(void) {
    return host.step > 0 || integrator_end_change(&integrator, &message);
}

/* Goes on until the time, the number of trial steps or the room for rows is used up. */
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
    return coupling->n_columns;
}

EXPORT(column_name) const char *column_name(int column) {
    return coupling->columns[column];
}

EXPORT(rows) const double *rows_place(void) {
    return rows;
}

/* How many rows there are; they are the page's now, and the next ones take their place. */
EXPORT(take_rows) int take_rows(void) {
    const int count = n_rows;
    n_rows = 0;
    return count;
}

/* The element alone, taken to a point of its states, which are in `settings` here, with the event
 * that they and the inputs make. */
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
