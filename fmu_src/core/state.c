/* Storing and restoring an instance, in memory and as bytes that any machine and any later process
 * can read back.
 *
 * The bytes are words of 8, least significant byte first, in the order of archive_state, followed
 * by a checksum. Derivatives and outputs are evaluated again.
 */
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const uint64_t STATE_MAGIC = 0x32454c5453495242; /* "BRISTLE2" */

typedef struct {
    uint64_t magic;
    uint64_t identity;
    Kind kind;
    Memory memory; /* as much of it as the kind needs */
} StoredState;

static size_t stored_size(Kind kind) {
    return offsetof(StoredState, memory) + memory_size(kind);
}

static uint64_t hash_bytes(const void *bytes, size_t count) { /* FNV-1a */
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
    return hash;
}

/* Identifies a build: two builds of a model have the same identity only if all of their description
 * and code is the same. */
static uint64_t model_identity(void) {
    return hash_bytes(own()->guid, sizeof own()->guid);
}

static Status check_stored(Instance *c, const StoredState *stored) {
    if (stored->identity != model_identity())
        return refuse(c, STATUS_ERROR, "The stored state does not belong to this %s.", own()->name);
    if (stored->kind != c->kind)
        return refuse(c, STATUS_ERROR,
                      "The stored state belongs to a %s instance, this instance does not.",
                      stored->kind == KIND_EXCHANGE ? "model exchange" : "co-simulation");
    return STATUS_OK;
}

/* Allocates a state, unless there is one already to overwrite. */
static Status allocate_state(Instance *c, void **state) {
    if (*state) return check_stored(c, (const StoredState *)*state);
    *state = c->host.allocate(1, stored_size(c->kind));
    return *state ? STATUS_OK : refuse(c, STATUS_ERROR, "Out of memory: the state is not stored.");
}

static Status store_state(Instance *c, void **state, const char *function) {
    if (!c) return STATUS_ERROR;
    if (!state) return need(c, NULL, function);
    const Status status = allocate_state(c, state);
    if (status != STATUS_OK) return status;
    StoredState *stored = (StoredState *)*state;
    stored->magic = STATE_MAGIC;
    stored->identity = model_identity();
    stored->kind = c->kind;
    memcpy(&stored->memory, &c->memory, memory_size(c->kind));
    return STATUS_OK;
}

static Status restore_state(Instance *c, const void *state, const char *function) {
    const StoredState *stored = (const StoredState *)state;
    if (!c) return STATUS_ERROR;
    if (!stored) return need(c, NULL, function);
    const Status status = check_stored(c, stored);
    if (status != STATUS_OK) return status;
    memcpy(&c->memory, &stored->memory, memory_size(c->kind));
    forget_slopes(c);
    return STATUS_OK;
}

static Status free_state(Instance *c, void **state) {
    if (!c) return STATUS_ERROR;
    if (!state || !*state) return STATUS_OK;
    c->host.free(*state);
    *state = NULL;
    return STATUS_OK;
}

/* A pass over the bytes of a stored state, which writes to `to`, reads from `from`, or with neither
 * only counts. */
typedef struct {
    unsigned char *to;
    const unsigned char *from;
    size_t count; /* bytes passed so far */
    int invalid;  /* a value was read or written that no instance can have */
} Archive;

static uint64_t archive_word(Archive *archive, uint64_t word) {
    if (archive->from) {
        word = 0;
        for (int i = 0; i < 8; i++)
            word |= (uint64_t)archive->from[archive->count + (size_t)i] << 8 * i;
    }
    if (archive->to)
        for (int i = 0; i < 8; i++)
            archive->to[archive->count + (size_t)i] = (unsigned char)(word >> 8 * i & 0xff);
    archive->count += 8;
    return word;
}

/* Passes numbers, which have to be finite, of any struct. */
static void archive_reals(Archive *archive, void *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double *value = (double *)values + i;
        uint64_t word;
        memcpy(&word, value, sizeof word);
        word = archive_word(archive, word);
        memcpy(value, &word, sizeof word);
        if (!isfinite(*value)) archive->invalid = 1;
    }
}

static void archive_integer(Archive *archive, int *value, int least, int most) {
    const int64_t number = (int64_t)archive_word(archive, (uint64_t)(int64_t)*value);
    if (number < least || number > most) archive->invalid = 1;
    *value = (int)number;
}

static void archive_modes(Archive *archive, Modes *modes, int least_mode, int least_option) {
    int *m = mode_places(modes);
    for (int i = 0; i < N_MODES; i++)
        archive_integer(archive, m + i, least_mode, mode_item_count[i]);
    for (int i = 0; i < N_OPTIONS; i++)
        archive_integer(archive, m + OPTION_PLACE + i, least_option, option_largest[i]);
}

/* Passes everything that is stored, with its bounds: the one list for writing, reading, counting
 * and checking. */
static void archive_state(Archive *archive, StoredState *stored) {
    Reals *reals = &stored->memory.reals;
    Settings *kept = &stored->memory.kept;
    State *state = &stored->memory.state;
    Stepping *stepping = &stored->memory.stepping;
    int kind = (int)stored->kind;
    stored->magic = archive_word(archive, stored->magic);
    stored->identity = archive_word(archive, stored->identity);
    archive_integer(archive, &kind, KIND_EXCHANGE, KIND_STEPPING);
    archive_reals(archive, &reals->p, N_PARAMETERS);
    archive_reals(archive, &reals->u, N_INPUTS);
    archive_reals(archive, &reals->x, N_STATES);
    archive_reals(archive, &kept->u_rate, N_INPUTS);
    archive_reals(archive, &state->u_last, N_INPUTS);
    archive_reals(archive, &state->time, 1);
    archive_reals(archive, &kept->tolerance, 1);
    archive_reals(archive, &stepping->solver_step, 1);
    archive_reals(archive, &stepping->left_out, 1);
    archive_reals(archive, &kept->t_crossing, 1);
    archive_reals(archive, &kept->u_crossing, N_INPUTS);
    archive_reals(archive, &kept->x_crossing, N_STATES);
    archive_reals(archive, &kept->t_set, 1);
    archive_reals(archive, &kept->t_sampled, 1);
    archive_reals(archive, &kept->u_sampled, N_INPUTS);
    archive_reals(archive, &kept->t_base, 1);
    archive_reals(archive, &kept->u_base, N_INPUTS);
    archive_reals(archive, &kept->nominals, N_STATES);
    archive_integer(archive, &kept->crossing, CROSSING_NONE, CROSSING_PASSED);
    archive_integer(archive, &kept->signs, 0, (1 << N_INDICATORS) - 1);
    archive_integer(archive, &kept->phase, INSTANTIATED, TERMINATED);
    archive_integer(archive, &state->new_rates, 0, (1 << N_INPUTS) - 1);
    archive_integer(archive, &kept->states_given, 0, 1);
    archive_integer(archive, &kept->load_set, 0, 1);
    archive_integer(archive, &state->started, 0, 1);
    archive_integer(archive, &kept->unchecked, 0, 1);
#if HAS_APPROACH
    archive_reals(archive, &stepping->rebound, sizeof stepping->rebound / sizeof(double));
    archive_reals(archive, &stepping->prediction, sizeof stepping->prediction / sizeof(double));
#endif
#if HAS_COUPLING
    Shadow *shadow = &stored->memory.shadow;
    archive_reals(archive, &stepping->chatter, CHATTER_NUMBERS);
    archive_integer(archive, &stepping->chatter.thrown, 0, 1);
    archive_integer(archive, &stepping->chatter.turns, 0, CHATTER_COUNT);
    archive_integer(archive, &stepping->chatter.steps, 0, INT_MAX);
    archive_reals(archive, shadow, offsetof(Shadow, m) / sizeof(double));
    archive_modes(archive, &shadow->m, 0, 0);
    archive_integer(archive, &shadow->smooth, 0, 1);
#endif
    archive_modes(archive, &state->modes, kept->phase & BEFORE_START ? 0 : 1, 1);
    stored->kind = (Kind)kind;
    kept->co_simulates = stored->kind == KIND_STEPPING;
}

/* Whether values that are valid one by one can be the state of an instance: the checksum shows that
 * they are unchanged, not who wrote them. */
static int is_consistent(const StoredState *stored, int uses_events) {
    const Settings *kept = &stored->memory.kept;
    const int phase = kept->phase, exchange = stored->kind == KIND_EXCHANGE;
    const int phases = exchange      ? MODEL_EXCHANGE
                       : uses_events ? STEP_COMPLETE | EVENT_MODE
                                     : STEP_COMPLETE;
    if (phase & (phase - 1) || !(phase & (BEFORE_START | TERMINATED | phases))) return 0;
    if (!(kept->tolerance > 0 && stored->memory.stepping.solver_step >= 0)) return 0;
    for (int i = 0; i < N_STATES; i++) {
        const double nominal = state_values(&kept->nominals)[i];
        if (!(nominal <= state_nominals[i]) || !(phase & BEFORE_START ? nominal >= 0 : nominal > 0))
            return 0;
    }
    for (size_t i = memory_size(stored->kind); i < sizeof stored->memory; i++)
        if (((const unsigned char *)&stored->memory)[i] != 0) return 0;
    return 1;
}

/* Size of a stored state in bytes, with its checksum. */
static size_t stored_bytes(void) {
    StoredState nothing;
    Archive archive = {NULL, NULL, 0, 0};
    memset(&nothing, 0, sizeof nothing);
    archive_state(&archive, &nothing);
    return archive.count + 8;
}

static Status get_stored_size(Instance *c, const void *state, size_t *size, const char *function) {
    if (!c) return STATUS_ERROR;
    if (!state || !size) return need(c, NULL, function);
    *size = stored_bytes();
    return STATUS_OK;
}

static Status serialize(Instance *c, const void *state, void *bytes, size_t size,
                        const char *function) {
    const StoredState *stored = (const StoredState *)state;
    const size_t needed = stored_bytes();
    if (!c) return STATUS_ERROR;
    if (!stored || !bytes) return need(c, NULL, function);
    if (size < needed)
        return refuse(c, STATUS_ERROR, "%u bytes are too few to store the state, which takes %u.",
                      (unsigned)size, (unsigned)needed);
    const Status status = check_stored(c, stored);
    if (status != STATUS_OK) return status;
    StoredState copy;
    memset(&copy, 0, sizeof copy);
    memcpy(&copy, stored, stored_size(c->kind));
    Archive archive = {(unsigned char *)bytes, NULL, 0, 0};
    archive_state(&archive, &copy);
    archive_word(&archive, hash_bytes(bytes, archive.count));
    return STATUS_OK;
}

static Status deserialize(Instance *c, const void *bytes, size_t size, void **state,
                          const char *function) {
    if (!c) return STATUS_ERROR;
    if (!bytes || !state) return need(c, NULL, function);
    StoredState stored;
    Archive archive = {NULL, (const unsigned char *)bytes, 0, 0};
    memset(&stored, 0, sizeof stored);
    if (size == stored_bytes()) archive_state(&archive, &stored);
    if (stored.magic != STATE_MAGIC)
        return refuse(c, STATUS_ERROR, "The %u bytes are not a stored state of %s.", (unsigned)size,
                      own()->name);
    const size_t content = archive.count;
    if (archive_word(&archive, 0) != hash_bytes(bytes, content))
        return refuse(c, STATUS_ERROR, "The stored state is damaged.");
    stored.memory.state.stale = 1;
    Status status = check_stored(c, &stored);
    if (status == STATUS_OK && (archive.invalid || !is_consistent(&stored, c->uses_events)))
        status =
            refuse(c, STATUS_ERROR,
                   "The stored state holds values that no instance of %s can have.", own()->name);
    if (status == STATUS_OK && !stored.memory.kept.unchecked)
        status = check_rules(c, &stored.memory.reals.p);
    if (status == STATUS_OK) status = allocate_state(c, state);
    if (status != STATUS_OK) return status;
    memcpy(*state, &stored, stored_size(c->kind));
    return STATUS_OK;
}
