/* Storing and restoring an instance, in memory and as bytes that any machine and any later process can read back.
 *
 * The bytes: 8 magic, 8 identity of the model, the Reals (parameters, inputs, states), input rates, last inputs, time,
 * tolerance, solver step, then the Integers (phase, new rates, states given, started, unchecked, modes and options, kind), all as 8 bytes, least
 * significant first; last a checksum of all before it. Derivatives and outputs are evaluated anew.
 */
#include <limits.h>
#include <stdint.h>
#include <string.h>

static const uint64_t STATE_MAGIC = 0x31454c5453495242; /* "BRISTLE1" */

enum {
    MODE_INTS = sizeof(Modes) / sizeof(int),
    STORED_REALS = N_PARAMETERS + N_INPUTS + N_STATES + 2 * N_INPUTS + 3,
    STORED_INTEGERS = 6 + MODE_INTS,
    STORED_BYTES = 8 * (2 + STORED_REALS + STORED_INTEGERS + 1)
};

typedef struct {
    uint64_t identity;
    fmi2Type kind;
    Memory memory;
} StoredState;

static uint64_t hash_bytes(const void *bytes, size_t count) { /* FNV-1a */
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

/* Two builds of one model have the same identity only if all of their description and code is the same. */
static uint64_t model_identity(void) {
    return hash_bytes(MODEL_GUID, sizeof MODEL_GUID);
}

static fmi2Status check_stored(const Instance *c, uint64_t identity, fmi2Type kind) {
    if (identity != model_identity())
        return refuse(c, fmi2Error, "The stored state is not one of this %s.", MODEL_NAME);
    if (kind != c->kind)
        return refuse(c, fmi2Error, "The stored state is one of %s, this instance is not.",
                      kind == fmi2ModelExchange ? "model exchange" : "co-simulation");
    return fmi2OK;
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate *state) {
    Instance *c = component;
    if (!c) return fmi2Error;
    if (!state) return need(c, NULL, "fmi2GetFMUstate");
    if (!*state) *state = c->allocate(1, sizeof(StoredState));
    StoredState *stored = *state;
    if (!stored) return refuse(c, fmi2Error, "There is no memory to store the state.");
    stored->identity = model_identity();
    stored->kind = c->kind;
    stored->memory = c->memory;
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
    Instance *c = component;
    const StoredState *stored = state;
    if (!c) return fmi2Error;
    if (!stored) return need(c, NULL, "fmi2SetFMUstate");
    const fmi2Status status = check_stored(c, stored->identity, stored->kind);
    if (status == fmi2OK) c->memory = stored->memory;
    return status;
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate *state) {
    Instance *c = component;
    if (!c) return fmi2Error;
    if (!state || !*state) return fmi2OK;
    c->free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t *size) {
    Instance *c = component;
    if (!c) return fmi2Error;
    if (!state || !size) return need(c, NULL, "fmi2SerializedFMUstateSize");
    *size = STORED_BYTES;
    return fmi2OK;
}

/* A place in the bytes that moves on with each value written or read. */
typedef struct {
    unsigned char *bytes;
    const unsigned char *source;
} Cursor;

static void write_word(Cursor *at, uint64_t word) {
    for (int i = 0; i < 8; i++) *at->bytes++ = (unsigned char)(word >> 8 * i & 0xff);
}

static uint64_t read_word(Cursor *at) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word |= (uint64_t)*at->source++ << 8 * i;
    return word;
}

static void write_reals(Cursor *at, const void *values, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, (const double *)values + i, sizeof word);
        write_word(at, word);
    }
}

static void read_reals(Cursor *at, void *values, int count) {
    for (int i = 0; i < count; i++) {
        const uint64_t word = read_word(at);
        memcpy((double *)values + i, &word, sizeof word);
    }
}

static void write_integers(Cursor *at, const int *values, int count) {
    for (int i = 0; i < count; i++) write_word(at, (uint64_t)(int64_t)values[i]);
}

static void read_integers(Cursor *at, int *values, int count) {
    for (int i = 0; i < count; i++) values[i] = (int)(int64_t)read_word(at);
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    Instance *c = component;
    const StoredState *stored = state;
    if (!c) return fmi2Error;
    if (!stored || !bytes) return need(c, NULL, "fmi2SerializeFMUstate");
    if (size < STORED_BYTES)
        return refuse(c, fmi2Error, "%u bytes are too few to store the state, which takes %u.", (unsigned)size,
                      (unsigned)STORED_BYTES);
    const fmi2Status status = check_stored(c, stored->identity, stored->kind);
    if (status != fmi2OK) return status;
    const Memory *k = &stored->memory;
    const int kind = (int)stored->kind;
    Cursor at = {(unsigned char *)bytes, NULL};
    write_word(&at, STATE_MAGIC);
    write_word(&at, stored->identity);
    write_reals(&at, &k->reals.p, N_PARAMETERS);
    write_reals(&at, &k->reals.u, N_INPUTS);
    write_reals(&at, &k->reals.x, N_STATES);
    write_reals(&at, &k->u_rate, N_INPUTS);
    write_reals(&at, &k->u_last, N_INPUTS);
    write_reals(&at, &k->time, 1);
    write_reals(&at, &k->tolerance, 1);
    write_reals(&at, &k->solver_step, 1);
    write_integers(&at, &k->phase, 1);
    write_integers(&at, &k->new_rates, 1);
    write_integers(&at, &k->states_given, 1);
    write_integers(&at, &k->started, 1);
    write_integers(&at, &k->unchecked, 1);
    write_integers(&at, (const int *)&k->modes, MODE_INTS);
    write_integers(&at, &kind, 1);
    write_word(&at, hash_bytes(bytes, STORED_BYTES - 8));
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
    Instance *c = component;
    if (!c) return fmi2Error;
    if (!bytes || !state) return need(c, NULL, "fmi2DeSerializeFMUstate");
    Cursor at = {NULL, (const unsigned char *)bytes};
    if (size != STORED_BYTES || read_word(&at) != STATE_MAGIC)
        return refuse(c, fmi2Error, "The %u bytes are not a stored state of %s.", (unsigned)size, MODEL_NAME);
    Cursor checksum = {NULL, (const unsigned char *)bytes + STORED_BYTES - 8};
    if (read_word(&checksum) != hash_bytes(bytes, STORED_BYTES - 8))
        return refuse(c, fmi2Error, "The stored state is damaged.");
    StoredState stored;
    int kind;
    memset(&stored, 0, sizeof stored);
    Memory *k = &stored.memory;
    stored.identity = read_word(&at);
    read_reals(&at, &k->reals.p, N_PARAMETERS);
    read_reals(&at, &k->reals.u, N_INPUTS);
    read_reals(&at, &k->reals.x, N_STATES);
    read_reals(&at, &k->u_rate, N_INPUTS);
    read_reals(&at, &k->u_last, N_INPUTS);
    read_reals(&at, &k->time, 1);
    read_reals(&at, &k->tolerance, 1);
    read_reals(&at, &k->solver_step, 1);
    read_integers(&at, &k->phase, 1);
    read_integers(&at, &k->new_rates, 1);
    read_integers(&at, &k->states_given, 1);
    read_integers(&at, &k->started, 1);
    read_integers(&at, &k->unchecked, 1);
    read_integers(&at, (int *)&k->modes, MODE_INTS);
    read_integers(&at, &kind, 1);
    stored.kind = (fmi2Type)kind;
    k->stale = 1;
    const fmi2Status status = check_stored(c, stored.identity, stored.kind);
    if (status != fmi2OK) return status;
    if (!*state) *state = c->allocate(1, sizeof stored);
    if (!*state) return refuse(c, fmi2Error, "There is no memory to store the state.");
    memcpy(*state, &stored, sizeof stored);
    return fmi2OK;
}
