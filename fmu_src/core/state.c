/* Storing and restoring an instance, in memory and as bytes that any machine and any later process
 * can read back.
 *
 * The bytes are words of 8, least significant byte first, in the order of carry_state, followed by
 * a checksum. Derivatives and outputs are evaluated again.
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

/* Two builds of one model have the same identity only if all of their description and code is the
 * same. */
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

/* Makes room for a state, unless there is one already to write over. */
static Status make_room(Instance *c, void **state) {
    if (*state) return check_stored(c, (const StoredState *)*state);
    *state = c->host.allocate(1, stored_size(c->kind));
    return *state ? STATUS_OK : refuse(c, STATUS_ERROR, "Out of memory: the state is not stored.");
}

static Status store_state(Instance *c, void **state, const char *function) {
    if (!c) return STATUS_ERROR;
    if (!state) return need(c, NULL, function);
    const Status status = make_room(c, state);
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

/* A pass over the bytes of a stored state: it writes to `to`, reads from `from`, or with neither
 * only counts. */
typedef struct {
    unsigned char *to;
    const unsigned char *from;
    size_t count; /* bytes passed so far */
    int unsound;  /* a value was passed that no instance can have */
} Walk;

static uint64_t carry_word(Walk *walk, uint64_t word) {
    if (walk->from) {
        word = 0;
        for (int i = 0; i < 8; i++) word |= (uint64_t)walk->from[walk->count + (size_t)i] << 8 * i;
    }
    if (walk->to)
        for (int i = 0; i < 8; i++)
            walk->to[walk->count + (size_t)i] = (unsigned char)(word >> 8 * i & 0xff);
    walk->count += 8;
    return word;
}

/* Finite numbers, of any struct. */
static void carry_reals(Walk *walk, void *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double *value = (double *)values + i;
        uint64_t word;
        memcpy(&word, value, sizeof word);
        word = carry_word(walk, word);
        memcpy(value, &word, sizeof word);
        if (!isfinite(*value)) walk->unsound = 1;
    }
}

static void carry_integer(Walk *walk, int *value, int least, int most) {
    const int64_t number = (int64_t)carry_word(walk, (uint64_t)(int64_t)*value);
    if (number < least || number > most) walk->unsound = 1;
    *value = (int)number;
}

static void carry_modes(Walk *walk, Modes *modes, int least_mode, int least_option) {
    int *m = mode_places(modes);
    for (int i = 0; i < N_MODES; i++) carry_integer(walk, m + i, least_mode, mode_item_count[i]);
    for (int i = 0; i < N_OPTIONS; i++)
        carry_integer(walk, m + OPTION_PLACE + i, least_option, option_largest[i]);
}

/* Everything that is stored, with its bounds: listed once for writing, reading, counting and
 * checking. */
static void carry_state(Walk *walk, StoredState *stored) {
    Reals *reals = &stored->memory.reals;
    Settings *kept = &stored->memory.kept;
    State *state = &stored->memory.state;
    Stepping *stepping = &stored->memory.stepping;
    int kind = (int)stored->kind;
    stored->magic = carry_word(walk, stored->magic);
    stored->identity = carry_word(walk, stored->identity);
    carry_integer(walk, &kind, KIND_EXCHANGE, KIND_STEPPING);
    carry_reals(walk, &reals->p, N_PARAMETERS);
    carry_reals(walk, &reals->u, N_INPUTS);
    carry_reals(walk, &reals->x, N_STATES);
    carry_reals(walk, &kept->u_rate, N_INPUTS);
    carry_reals(walk, &state->u_last, N_INPUTS);
    carry_reals(walk, &state->time, 1);
    carry_reals(walk, &kept->tolerance, 1);
    carry_reals(walk, &stepping->solver_step, 1);
    carry_reals(walk, &stepping->left_out, 1);
    carry_reals(walk, &kept->t_ahead, 1);
    carry_reals(walk, &kept->u_ahead, N_INPUTS);
    carry_reals(walk, &kept->x_ahead, N_STATES);
    carry_reals(walk, &kept->t_set, 1);
    carry_reals(walk, &kept->t_seen, 1);
    carry_reals(walk, &kept->u_seen, N_INPUTS);
    carry_reals(walk, &kept->t_from, 1);
    carry_reals(walk, &kept->u_from, N_INPUTS);
    carry_reals(walk, &kept->nominals, N_STATES);
    carry_integer(walk, &kept->ahead, AHEAD_NOTHING, AHEAD_TAKEN);
    carry_integer(walk, &kept->signs, 0, (1 << N_INDICATORS) - 1);
    carry_integer(walk, &kept->phase, INSTANTIATED, TERMINATED);
    carry_integer(walk, &state->new_rates, 0, (1 << N_INPUTS) - 1);
    carry_integer(walk, &kept->states_given, 0, 1);
    carry_integer(walk, &kept->load_set, 0, 1);
    carry_integer(walk, &state->started, 0, 1);
    carry_integer(walk, &kept->unchecked, 0, 1);
#if HAS_APPROACH
    carry_reals(walk, &stepping->rebound, sizeof stepping->rebound / sizeof(double));
    carry_reals(walk, &stepping->pressing, sizeof stepping->pressing / sizeof(double));
#endif
#if HAS_COUPLING
    Coupling *coupling = &stored->memory.coupling;
    carry_reals(walk, &stepping->chatter, CHATTER_NUMBERS);
    carry_integer(walk, &stepping->chatter.thrown, 0, 1);
    carry_integer(walk, &stepping->chatter.turns, 0, CHATTER_COUNT);
    carry_integer(walk, &stepping->chatter.steps, 0, INT_MAX);
    carry_reals(walk, coupling, offsetof(Coupling, m) / sizeof(double));
    carry_modes(walk, &coupling->m, 0, 0);
#endif
    carry_modes(walk, &state->modes, kept->phase & BEFORE_START ? 0 : 1, 1);
    stored->kind = (Kind)kind;
    kept->co_simulates = stored->kind == KIND_STEPPING;
}

/* Whether values of which each is sound can be the state of a running instance: the checksum shows
 * that they are unchanged, not who wrote them. */
static int fits_together(const StoredState *stored, int uses_events) {
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
    Walk walk = {NULL, NULL, 0, 0};
    memset(&nothing, 0, sizeof nothing);
    carry_state(&walk, &nothing);
    return walk.count + 8;
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
    Walk walk = {(unsigned char *)bytes, NULL, 0, 0};
    carry_state(&walk, &copy);
    carry_word(&walk, hash_bytes(bytes, walk.count));
    return STATUS_OK;
}

static Status deserialize(Instance *c, const void *bytes, size_t size, void **state,
                          const char *function) {
    if (!c) return STATUS_ERROR;
    if (!bytes || !state) return need(c, NULL, function);
    StoredState stored;
    Walk walk = {NULL, (const unsigned char *)bytes, 0, 0};
    memset(&stored, 0, sizeof stored);
    if (size == stored_bytes()) carry_state(&walk, &stored);
    if (stored.magic != STATE_MAGIC)
        return refuse(c, STATUS_ERROR, "The %u bytes are not a stored state of %s.", (unsigned)size,
                      own()->name);
    const size_t content = walk.count;
    if (carry_word(&walk, 0) != hash_bytes(bytes, content))
        return refuse(c, STATUS_ERROR, "The stored state is damaged.");
    stored.memory.state.stale = 1;
    Status status = check_stored(c, &stored);
    if (status == STATUS_OK && (walk.unsound || !fits_together(&stored, c->uses_events)))
        status =
            refuse(c, STATUS_ERROR,
                   "The stored state holds values that no instance of %s can have.", own()->name);
    if (status == STATUS_OK && !stored.memory.kept.unchecked)
        status = check_rules(c, &stored.memory.reals.p);
    if (status == STATUS_OK) status = make_room(c, state);
    if (status != STATUS_OK) return status;
    memcpy(*state, &stored, stored_size(c->kind));
    return STATUS_OK;
}
