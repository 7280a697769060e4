/* Reads bytes as a sequence of FMI calls, in any order, with any values, and checks what the FMU
 * promises:
 *
 *   - a status is OK, Discard or Error; what is handed out with OK is finite;
 *   - a call that is refused says why, in one plain sentence, and changes nothing that can be read;
 *   - reading changes nothing that can be read;
 *   - a step that is repeated from a stored state ends in the same state, bit for bit;
 *   - stored bytes come back as they were;
 *   - where there is no memory, the call is refused; all memory is given back in the end.
 *
 * Arrays are as long as the call says, on the heap, so that AddressSanitizer sees a step beyond
 * them. The FMU is the one that the environment variable BRISTLE_MODEL names, or all of them one
 * after the other. With BRISTLE_EXHAUST each sequence is made again with its first, second, third …
 * allocation failing. fuzzing.py builds and runs it. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements.h"

enum { INSTANCES = 2, STATES_STORED = 3, LENGTH_AT_MOST = 8, SUBSTEPS = 60 };

/* Counters of the importer. */
static long allocations, live, fail_at;
static long messages;
static fmi2Status last_status;
static unsigned long calls_made, failures_injected;
static const Element *element;
static const char *call_name = "";

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) broken(#condition, __LINE__);                                            \
    } while (0)

static void broken(const char *promise, int line) {
    fprintf(stderr, "%s: %s: calls.c:%d: broken promise: %s\n", element->name, call_name, line,
            promise);
    abort();
}

static void *allocate(size_t count, size_t size) {
    allocations++;
    if (fail_at > 0 && allocations == fail_at) {
        failures_injected++;
        return NULL;
    }
    live++;
    return calloc(count, size);
}

static void release(void *memory) {
    if (memory) live--;
    free(memory);
}

static const char *const categories[] = {"logStatusWarning", "logStatusDiscard", "logStatusError",
                                         "logStatusFatal",   "logEvents",        "logAll"};

static void take_message(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                         fmi2String category, fmi2String text, ...) {
    int known = 0;
    EXPECT(environment == &messages);
    EXPECT(name && strcmp(name, "fuzz") == 0);
    EXPECT(category && text && *text && strlen(text) < 512 && !strchr(text, '%'));
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        known |= strcmp(category, categories[i]) == 0;
    EXPECT(known);
    EXPECT(status >= fmi2OK && status <= fmi2Error);
    last_status = status;
    messages++;
}

/* The bytes not yet read. Behind the last there are zeros. */
typedef struct {
    const uint8_t *at, *end;
} Bytes;

static unsigned take(Bytes *b) {
    return b->at < b->end ? *b->at++ : 0;
}

static unsigned take_below(Bytes *b, unsigned bound) {
    return bound > 0 ? take(b) % bound : 0;
}

static double take_raw(Bytes *b) {
    uint8_t raw[8];
    double value;
    for (int i = 0; i < 8; i++) raw[i] = (uint8_t)take(b);
    memcpy(&value, raw, sizeof value);
    return value;
}

/* Reads a value in place of `current`: a hostile one, any bits, or one of natural size. */
static double take_real(Bytes *b, double current) {
    static const double hostile[] = {0,         -0.0,    1,        -1,      NAN,      INFINITY,
                                     -INFINITY, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324, -1e-310,
                                     1e300,     -1e300,  1e-300,   1e154,   1e16,     -1e9,
                                     1e9,       1e-9,    -1e-9,    0.5,     2,        1e-12};
    enum { HOSTILE = sizeof hostile / sizeof *hostile };
    const unsigned choice = take(b);
    if (choice < HOSTILE) return hostile[choice];
    if (choice > 250) return take_raw(b);
    const double size = current != 0 && isfinite(current) ? current : 1e-3;
    return (choice & 1 ? -size : size) * ldexp(1, (int)(choice % 64) / 2 - 16);
}

typedef struct {
    fmi2Component component;
    fmi2Type kind;
    double time;
    int refused; /* before */
} Importer;

static Importer importers[INSTANCES];
static fmi2FMUstate stored[STATES_STORED];
/* of their instances: a state has no room for the other kind */
static fmi2Type stored_kinds[STATES_STORED];

/* All that can be read of an instance. */
typedef struct {
    uint64_t words[1024];
    size_t count;
} Reading;

static void note(Reading *r, fmi2Status status, const void *value, size_t size) {
    uint64_t word = 0;
    EXPECT(r->count + 2 <= sizeof r->words / sizeof *r->words);
    r->words[r->count++] = (uint64_t)status;
    if (status == fmi2OK) memcpy(&word, value, size);
    r->words[r->count++] = word;
}

static void read_all(fmi2Component c, fmi2Type kind, Reading *r) {
    double values[64];
    r->count = 0;
    for (fmi2ValueReference v = 0; v < element->reals; v++) {
        double value = 0;
        note(r, element->fmi2GetReal(c, &v, 1, &value), &value, sizeof value);
    }
    for (fmi2ValueReference v = element->reals; v < element->reals + element->integers; v++) {
        int value = 0;
        note(r, element->fmi2GetInteger(c, &v, 1, &value), &value, sizeof value);
    }
    if (kind == fmi2ModelExchange) {
        fmi2Status status = element->fmi2GetContinuousStates(c, values, element->states);
        for (unsigned i = 0; i < element->states; i++) note(r, status, values + i, sizeof *values);
        status = element->fmi2GetDerivatives(c, values, element->states);
        for (unsigned i = 0; i < element->states; i++) note(r, status, values + i, sizeof *values);
        status = element->fmi2GetEventIndicators(c, values, element->indicators);
        for (unsigned i = 0; i < element->indicators; i++)
            note(r, status, values + i, sizeof *values);
    } else {
        fmi2Status last = fmi2OK;
        note(r, element->fmi2GetRealStatus(c, fmi2LastSuccessfulTime, values), values,
             sizeof *values);
        EXPECT(element->fmi2GetStatus(c, fmi2DoStepStatus, &last) == fmi2OK);
    }
}

/* Stores a state for the importer itself: that never runs out of memory, and is not counted. The
 * previous one may be of an instance of the other kind, which has another size. */
static fmi2FMUstate snapshot(fmi2Component c, fmi2FMUstate state) {
    const long count = allocations, failing = fail_at;
    fail_at = 0;
    EXPECT(!state || element->fmi2FreeFMUstate(c, &state) == fmi2OK);
    EXPECT(element->fmi2GetFMUstate(c, &state) == fmi2OK && state);
    allocations = count;
    fail_at = failing;
    return state;
}

static size_t bytes_of(fmi2Component c, fmi2FMUstate state, fmi2Byte **bytes) {
    size_t size = 0;
    EXPECT(element->fmi2SerializedFMUstateSize(c, state, &size) == fmi2OK && size > 0 &&
           size % 8 == 0);
    *bytes = (fmi2Byte *)malloc(size);
    EXPECT(element->fmi2SerializeFMUstate(c, state, *bytes, size) == fmi2OK);
    return size;
}

static int same_bytes(fmi2Component c, fmi2FMUstate one, fmi2FMUstate two) {
    fmi2Byte *a, *b;
    const size_t size = bytes_of(c, one, &a), other = bytes_of(c, two, &b);
    EXPECT(size == other);
    const int same = memcmp(a, b, size) == 0;
    free(a);
    free(b);
    return same;
}

/* States before and after a call: a step is repeated from the first, and a refused call has to
 * leave both equal. */
static fmi2FMUstate before, after;

/* Checks that the call has changed nothing that can be read. Flags for lazy evaluation may differ,
 * so where the bytes do, all values are read from both. */
static void expect_unchanged(Importer *i) {
    static Reading then, now;
    after = snapshot(i->component, after);
    if (same_bytes(i->component, before, after)) return;
    EXPECT(element->fmi2SetFMUstate(i->component, before) == fmi2OK);
    read_all(i->component, i->kind, &then);
    EXPECT(element->fmi2SetFMUstate(i->component, after) == fmi2OK);
    read_all(i->component, i->kind, &now);
    EXPECT(then.count == now.count &&
           memcmp(then.words, now.words, then.count * sizeof *then.words) == 0);
    EXPECT(element->fmi2SetFMUstate(i->component, after) == fmi2OK);
}

/* Checks before and after each call. */
static long messages_before;

static void begin(Importer *i, const char *name) {
    call_name = name;
    calls_made++;
    messages_before = messages;
    if (i->component) before = snapshot(i->component, before);
}

static fmi2Status end(Importer *i, fmi2Status status, int reads) {
    EXPECT(status == fmi2OK || status == fmi2Discard || status == fmi2Error);
    if (!i->component) {
        EXPECT(status == fmi2Error);
        return status;
    }
    if (status != fmi2OK) {
        const int gives_up = strcmp(call_name, "fmi2Terminate") == 0 && i->refused;
        EXPECT(messages > messages_before || gives_up);
        EXPECT(messages == messages_before || last_status == status);
        i->refused = 1;
    }
    if (status != fmi2OK || reads) expect_unchanged(i);
    return status;
}

#define CALL(i, function, ...)                                                                     \
    (begin(i, #function), end(i, element->function((i)->component, __VA_ARGS__),                   \
                              strncmp(#function, "fmi2Get", 7) == 0))
#define CALL_ALONE(i, function) (begin(i, #function), end(i, element->function((i)->component), 0))

static void limit_substeps(Importer *i) {
    const fmi2ValueReference reference = element->substeps;
    const int limit = SUBSTEPS;
    EXPECT(element->fmi2SetInteger(i->component, &reference, 1, &limit) == fmi2OK);
}

static void instantiate(Importer *i, fmi2Type kind, int logs) {
    static const fmi2CallbackFunctions callbacks = {take_message, allocate, release, NULL,
                                                    &messages};
    const long logged_before = messages;
    call_name = "fmi2Instantiate";
    calls_made++;
    i->kind = kind;
    i->time = 0;
    i->refused = 0;
    i->component =
        element->fmi2Instantiate("fuzz", kind, element->guid, "", &callbacks, fmi2False, logs);
    EXPECT(i->component || (fail_at > 0 && messages > logged_before));
    if (i->component) limit_substeps(i);
}

static void set_up(Importer *i, unsigned how_far) {
    if (!i->component || how_far == 0) return;
    CALL_ALONE(i, fmi2EnterInitializationMode);
    if (how_far == 1) return;
    CALL_ALONE(i, fmi2ExitInitializationMode);
    if (how_far == 2 || i->kind != fmi2ModelExchange) return;
    fmi2EventInfo info;
    CALL(i, fmi2NewDiscreteStates, &info);
    CALL_ALONE(i, fmi2EnterContinuousTimeMode);
}

/* Reads a value reference: of an input, of any Real, or an unknown one. */
static fmi2ValueReference take_reference(Bytes *b) {
    const unsigned choice = take(b);
    if (choice < 8) return choice < 4 ? element->reals + choice : UINT_MAX - choice;
    if (choice < 64) return element->inputs ? element->first_input + choice % element->inputs : 0;
    return choice % (element->reals ? element->reals : 1);
}

static double value_of(Importer *i, fmi2ValueReference v) {
    double value = 0;
    if (i->component && v < element->first_input + element->inputs)
        element->fmi2GetReal(i->component, &v, 1, &value);
    return value;
}

static void *room(size_t count, size_t size) {
    return malloc(count * size ? count * size : 1);
}

static void get_reals(Importer *i, Bytes *b) {
    const size_t n = take_below(b, LENGTH_AT_MOST);
    fmi2ValueReference *references = (fmi2ValueReference *)room(n, sizeof *references);
    double *values = (double *)room(n, sizeof *values);
    for (size_t k = 0; k < n; k++) references[k] = take_reference(b);
    if (CALL(i, fmi2GetReal, references, n, values) == fmi2OK)
        for (size_t k = 0; k < n; k++) EXPECT(isfinite(values[k]));
    free(references);
    free(values);
}

static void set_reals(Importer *i, Bytes *b) {
    const size_t n = 1 + take_below(b, 3);
    fmi2ValueReference *references = (fmi2ValueReference *)room(n, sizeof *references);
    double *values = (double *)room(n, sizeof *values);
    for (size_t k = 0; k < n; k++) {
        references[k] = take_reference(b);
        values[k] = take_real(b, value_of(i, references[k]));
    }
    CALL(i, fmi2SetReal, references, n, values);
    free(references);
    free(values);
}

static void use_integers(Importer *i, Bytes *b) {
    static const int some[] = {1, 2, 3, 0, -1, INT_MAX, INT_MIN, 20};
    const unsigned choice = take(b);
    const fmi2ValueReference v =
        choice & 1 ? element->reals + choice / 2 % (element->integers + 1) : take_reference(b);
    int value = some[take_below(b, 8)];
    if (choice & 128)
        CALL(i, fmi2GetInteger, &v, 1, &value);
    else
        CALL(i, fmi2SetInteger, &v, 1, &value);
}

static void use_nothing(Importer *i, Bytes *b) {
    const fmi2ValueReference v = take_reference(b);
    fmi2Boolean truth = 0;
    fmi2String text = "";
    switch (take_below(b, 6)) {
        case 0: CALL(i, fmi2GetBoolean, &v, 1, &truth); break;
        case 1: CALL(i, fmi2SetBoolean, &v, 1, &truth); break;
        case 2: CALL(i, fmi2GetString, &v, 1, &text); break;
        case 3: CALL(i, fmi2SetString, &v, 1, &text); break;
        case 4: CALL(i, fmi2GetReal, NULL, 1, NULL); break;
        default: CALL(i, fmi2SetReal, &v, 1, NULL); break;
    }
}

static void get_slopes(Importer *i, Bytes *b) {
    const size_t n = take_below(b, 4), known = take_below(b, 4);
    fmi2ValueReference *unknowns = (fmi2ValueReference *)room(n, sizeof *unknowns);
    fmi2ValueReference *knowns = (fmi2ValueReference *)room(known, sizeof *knowns);
    double *seed = (double *)room(known, sizeof *seed), *slopes = (double *)room(n, sizeof *slopes);
    for (size_t k = 0; k < n; k++) unknowns[k] = take_reference(b);
    for (size_t k = 0; k < known; k++) {
        knowns[k] = take_reference(b);
        seed[k] = take_real(b, 1);
    }
    if (CALL(i, fmi2GetDirectionalDerivative, unknowns, n, knowns, known, seed, slopes) == fmi2OK)
        for (size_t k = 0; k < n; k++) EXPECT(isfinite(slopes[k]));
    free(unknowns);
    free(knowns);
    free(seed);
    free(slopes);
}

static void use_rates(Importer *i, Bytes *b) {
    const fmi2ValueReference v = take_reference(b);
    const fmi2Integer order = take_below(b, 8) == 7 ? (fmi2Integer)take(b) : 1;
    double value = take_real(b, 1);
    if (take(b) & 1) {
        if (CALL(i, fmi2GetRealOutputDerivatives, &v, 1, &order, &value) == fmi2OK)
            EXPECT(isfinite(value));
    } else {
        CALL(i, fmi2SetRealInputDerivatives, &v, 1, &order, &value);
    }
}

/* Makes a step, and half of the times repeats it from the same state. */
static void make_step(Importer *i, Bytes *b) {
    static const double lengths[] = {1e-3, 1e-6,  1e-9, 1e-2,     1,     0,      1e-4,
                                     1e-5, -1e-3, NAN,  INFINITY, 1e300, 1e-300, 60};
    const double length = lengths[take_below(b, sizeof lengths / sizeof *lengths)];
    const unsigned choice = take(b);
    double point = i->time, reached;
    if (choice % 16 == 15) point += take_real(b, length);
    const fmi2Status status =
        CALL(i, fmi2DoStep, point, length, choice & 64 ? fmi2True : fmi2False);
    if (status != fmi2OK || !i->component) return;
    i->time = point + length;
    EXPECT(element->fmi2GetRealStatus(i->component, fmi2LastSuccessfulTime, &reached) == fmi2OK &&
           reached == i->time);
    if (choice & 32) return;
    after = snapshot(i->component, after);
    EXPECT(element->fmi2SetFMUstate(i->component, before) == fmi2OK);
    EXPECT(element->fmi2DoStep(i->component, point, length, fmi2True) == fmi2OK);
    before = snapshot(i->component, before);
    EXPECT(same_bytes(i->component, before, after));
}

static void use_status(Importer *i, Bytes *b) {
    const fmi2StatusKind kind = (fmi2StatusKind)take_below(b, 4);
    fmi2Status status = fmi2OK;
    double time = 0;
    fmi2Integer whole = 0;
    fmi2Boolean truth = 0;
    fmi2String text = "";
    switch (take_below(b, 6)) {
        case 0: CALL(i, fmi2GetStatus, kind, &status); break;
        case 1:
            if (CALL(i, fmi2GetRealStatus, kind, &time) == fmi2OK) EXPECT(isfinite(time));
            break;
        case 2: CALL(i, fmi2GetIntegerStatus, kind, &whole); break;
        case 3: CALL(i, fmi2GetBooleanStatus, kind, &truth); break;
        case 4:
            if (CALL(i, fmi2GetStringStatus, kind, &text) == fmi2OK) EXPECT(text != NULL);
            break;
        default: CALL_ALONE(i, fmi2CancelStep); break;
    }
}

/* Uses a vector of model exchange; one time in eight with a wrong count. */
static void use_vector(Importer *i, Bytes *b) {
    const unsigned which = take_below(b, 5), wrong = take_below(b, 8) == 7;
    const size_t n = (which == 4 ? element->indicators : element->states) + wrong;
    double *values = (double *)room(n, sizeof *values);
    fmi2Status status;
    for (size_t k = 0; k < n; k++) values[k] = 0;
    switch (which) {
        case 0:
            if (i->component && i->kind == fmi2ModelExchange && !wrong)
                element->fmi2GetContinuousStates(i->component, values, n);
            for (size_t k = 0; k < n; k++)
                values[k] = take_real(b, values[k] != 0 ? values[k] : 1e-5);
            CALL(i, fmi2SetContinuousStates, values, n);
            free(values);
            return;
        case 1: status = CALL(i, fmi2GetContinuousStates, values, n); break;
        case 2: status = CALL(i, fmi2GetDerivatives, values, n); break;
        case 3: status = CALL(i, fmi2GetNominalsOfContinuousStates, values, n); break;
        default: status = CALL(i, fmi2GetEventIndicators, values, n); break;
    }
    if (status == fmi2OK)
        for (size_t k = 0; k < n; k++) EXPECT(isfinite(values[k]));
    free(values);
}

static void change_mode(Importer *i, Bytes *b) {
    fmi2EventInfo info;
    fmi2Boolean enter, stop;
    memset(&info, 0xa5, sizeof info);
    switch (take_below(b, 8)) {
        case 0: CALL_ALONE(i, fmi2EnterInitializationMode); break;
        case 1: CALL_ALONE(i, fmi2ExitInitializationMode); break;
        case 2: CALL_ALONE(i, fmi2EnterEventMode); break;
        case 3: CALL_ALONE(i, fmi2EnterContinuousTimeMode); break;
        case 4: CALL(i, fmi2SetTime, take_real(b, 1)); break;
        case 5: CALL(i, fmi2CompletedIntegratorStep, take(b) & 1, &enter, &stop); break;
        default:
            if (CALL(i, fmi2NewDiscreteStates, &info) == fmi2OK)
                EXPECT(!info.newDiscreteStatesNeeded && !info.terminateSimulation &&
                       !info.nextEventTimeDefined &&
                       (info.valuesOfContinuousStatesChanged | 1) == 1);
            break;
    }
}

static void end_or_begin(Importer *i, Bytes *b) {
    const unsigned choice = take(b);
    switch (choice % 8) {
        case 0: CALL_ALONE(i, fmi2Terminate); break;
        case 1:
        case 2:
            if (CALL_ALONE(i, fmi2Reset) != fmi2OK) break;
            i->time = 0;
            i->refused = 0;
            limit_substeps(i);
            set_up(i, choice / 8 % 4);
            break;
        case 3: {
            const double tolerance = take_real(b, 1e-6), start = take_real(b, 1),
                         stop = take_real(b, 1);
            if (CALL(i, fmi2SetupExperiment, choice & 16, tolerance, start, choice & 32, stop) ==
                fmi2OK)
                i->time = start;
            break;
        }
        case 4: {
            const fmi2String names[] = {categories[take_below(b, 6)],
                                        choice & 16 ? "nonsense" : "logAll"};
            CALL(i, fmi2SetDebugLogging, choice & 32 ? fmi2True : fmi2False, choice / 64 % 3,
                 names);
            break;
        }
        case 5:
            element->fmi2FreeInstance(i->component);
            instantiate(i, choice & 16 ? fmi2CoSimulation : fmi2ModelExchange,
                        choice & 32 ? fmi2True : fmi2False);
            break;
        default: set_up(i, 3); break;
    }
}

/* Replaces words of stored bytes; with a checksum that is right again, or not. */
static void damage(Bytes *b, fmi2Byte *bytes, size_t size) {
    const unsigned count = 1 + take_below(b, 3);
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned k = 0; k < count; k++) {
        const size_t word = (take(b) + 256u * (take(b) & 1)) % (size / 8);
        uint64_t content = 0;
        double number;
        memcpy(&number, bytes + 8 * word, sizeof number);
        if (take(b) & 1) {
            number = take_real(b, number);
            memcpy(&content, &number, sizeof content);
        } else {
            content = (uint64_t)(int64_t)(int8_t)take(b);
        }
        memcpy(bytes + 8 * word, &content, sizeof content);
    }
    if (take(b) & 7)
        for (size_t k = 0; k < size - 8; k++)
            hash = (hash ^ (unsigned char)bytes[k]) * 0x100000001b3;
    for (int k = 0; k < 8; k++) bytes[size - 8 + (size_t)k] = (fmi2Byte)(hash >> 8 * k & 0xff);
}

static double time_of(Importer *i) {
    double time = i->time;
    if (i->component && i->kind == fmi2CoSimulation)
        EXPECT(element->fmi2GetRealStatus(i->component, fmi2LastSuccessfulTime, &time) == fmi2OK);
    return time;
}

static void use_state(Importer *i, Bytes *b) {
    const unsigned choice = take(b), which = choice / 8 % STATES_STORED;
    fmi2FMUstate *state = &stored[which];
    fmi2Byte *bytes;
    size_t size;
    switch (choice % 8) {
        case 0:
        case 1: {
            const int existed = *state != NULL, fits = !existed || stored_kinds[which] == i->kind;
            const fmi2Status status = CALL(i, fmi2GetFMUstate, state);
            EXPECT(status == fmi2OK || !i->component || fail_at > 0 || !fits);
            EXPECT(status != fmi2OK || fits);
            if (status == fmi2OK) stored_kinds[which] = i->kind;
            EXPECT(*state || status != fmi2OK);
            EXPECT(!existed || *state);
            break;
        }
        case 2:
        case 3:
            if (CALL(i, fmi2SetFMUstate, *state) == fmi2OK) i->time = time_of(i);
            break;
        case 4:
            if (CALL(i, fmi2FreeFMUstate, state) == fmi2OK) EXPECT(*state == NULL);
            break;
        default: {
            if (!i->component || !*state) return;
            /* A state of the other kind cannot be written by this instance. */
            EXPECT(element->fmi2SerializedFMUstateSize(i->component, *state, &size) == fmi2OK);
            bytes = (fmi2Byte *)malloc(size);
            if (CALL(i, fmi2SerializeFMUstate, *state, bytes, size) == fmi2OK) {
                if (choice % 8 > 5) damage(b, bytes, size);
                const size_t said = choice % 8 == 7 ? size - 8 * take_below(b, 3) : size;
                fmi2FMUstate read = NULL;
                if (CALL(i, fmi2DeSerializeFMUstate, bytes, said, &read) == fmi2OK) {
                    fmi2Byte *again;
                    EXPECT(read && said == size);
                    EXPECT(bytes_of(i->component, read, &again) == size);
                    EXPECT(memcmp(again, bytes, size) == 0);
                    free(again);
                    element->fmi2FreeFMUstate(i->component, state);
                    *state = read;
                } else {
                    EXPECT(!read);
                }
            }
            free(bytes);
            break;
        }
    }
}

static void play(const uint8_t *data, size_t size) {
    Bytes b = {data, data + size};
    const unsigned choice = take(&b), second = take(&b);
    allocations = 0;
    instantiate(&importers[0], choice & 1 ? fmi2CoSimulation : fmi2ModelExchange,
                choice & 2 ? fmi2True : fmi2False);
    if (importers[0].component && choice & 4)
        CALL(&importers[0], fmi2SetDebugLogging, fmi2True, 0, NULL);
    set_up(&importers[0], choice / 8 % 4);
    instantiate(&importers[1], second & 1 ? fmi2ModelExchange : fmi2CoSimulation, fmi2False);
    set_up(&importers[1], second / 2 % 4);
    while (b.at < b.end) {
        const unsigned what = take(&b);
        Importer *i = &importers[what < 224 ? 0 : 1];
        switch (what % 16) {
            case 0:
            case 1:
            case 2: set_reals(i, &b); break;
            case 3: get_reals(i, &b); break;
            case 4:
            case 5:
            case 6: make_step(i, &b); break;
            case 7: use_vector(i, &b); break;
            case 8: change_mode(i, &b); break;
            case 9: use_state(i, &b); break;
            case 10: get_slopes(i, &b); break;
            case 11: use_rates(i, &b); break;
            case 12: use_integers(i, &b); break;
            case 13: end_or_begin(i, &b); break;
            case 14: use_status(i, &b); break;
            default: use_nothing(i, &b); break;
        }
    }
    Importer *last = importers[0].component ? &importers[0] : &importers[1];
    call_name = "the end";
    for (int k = 0; k < STATES_STORED + 2; k++) {
        fmi2FMUstate *state = k < STATES_STORED    ? &stored[k]
                              : k == STATES_STORED ? &before
                                                   : &after;
        if (!*state) continue;
        if (last->component)
            EXPECT(element->fmi2FreeFMUstate(last->component, state) == fmi2OK);
        else
            release(*state); /* no instance is left that could */
        *state = NULL;
    }
    for (int k = 0; k < INSTANCES; k++) {
        element->fmi2FreeInstance(importers[k].component);
        importers[k].component = NULL;
    }
    EXPECT(live == 0);
}

static void play_all(const uint8_t *data, size_t size) {
    static int exhausts = -1;
    if (exhausts < 0) exhausts = getenv("BRISTLE_EXHAUST") != NULL;
    fail_at = 0;
    play(data, size);
    for (long n = exhausts ? allocations : 0; n > 0; n--) {
        fail_at = n;
        play(data, size);
    }
    fail_at = 0;
}

static void print_counts(void) {
    fprintf(stderr, "calls: %lu, failed allocations: %lu\n", calls_made, failures_injected);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    const char *name = getenv("BRISTLE_MODEL");
    (void)argc;
    (void)argv;
    for (unsigned k = 0; name && k < element_count; k++)
        if (strcmp(elements[k].name, name) == 0) element = &elements[k];
    if (name && !element) {
        fprintf(stderr, "There is no %s in this program.\n", name);
        exit(2);
    }
    atexit(print_counts);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (element) {
        play_all(data, size);
        return 0;
    }
    for (unsigned k = 0; k < element_count; k++) {
        element = &elements[k];
        play_all(data, size);
    }
    element = NULL;
    return 0;
}
