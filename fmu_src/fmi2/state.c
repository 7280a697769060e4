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
    fmi2Type kind;
    Memory memory; /* as much of it as the kind needs */
} StoredState;

static size_t stored_size(fmi2Type kind) {
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

static fmi2Status check_stored(Instance *c, const StoredState *stored) {
    if (stored->identity != model_identity())
        return refuse(c, fmi2Error, "The stored state does not belong to this %s.", own()->name);
    if (stored->kind != c->kind)
        return refuse(c, fmi2Error,
                      "The stored state belongs to a %s instance, this instance does not.",
                      stored->kind == fmi2ModelExchange ? "model exchange" : "co-simulation");
    return fmi2OK;
}

#if HAS_COUPLING
static int is_zero(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (((const unsigned char *)bytes)[i] != 0) return 0;
    return 1;
}
#endif

/* Whether the bytes can be the state of a running instance: the checksum shows that they are
 * unchanged, not who wrote them. */
static int is_sound(const StoredState *stored) {
    const Memory *k = &stored->memory;
    const int phases = stored->kind == fmi2ModelExchange ? EVENT | CONTINUOUS : STEPPING;
    const int *m = (const int *)&k->modes;
    if (!all_finite((const double *)&k->reals.p, N_PARAMETERS) ||
        !all_finite((const double *)&k->reals.u, N_INPUTS) ||
        !all_finite((const double *)&k->reals.x, N_STATES) ||
        !all_finite((const double *)&k->u_rate, N_INPUTS) ||
        !all_finite((const double *)&k->u_last, N_INPUTS) || !isfinite(k->time) ||
        !isfinite(k->left_out) || !isfinite(k->t_ahead) ||
        !all_finite((const double *)&k->u_ahead, N_INPUTS) ||
        !all_finite((const double *)&k->x_ahead, N_STATES) || !isfinite(k->t_set) ||
        !isfinite(k->t_seen) || !all_finite((const double *)&k->u_seen, N_INPUTS) ||
        !isfinite(k->t_from) || !all_finite((const double *)&k->u_from, N_INPUTS))
        return 0;
    if (!(k->tolerance > 0 && isfinite(k->tolerance) && k->solver_step >= 0 &&
          isfinite(k->solver_step)))
        return 0;
    if (k->phase == 0 || k->phase & (k->phase - 1) ||
        !(k->phase & (BEFORE_START | TERMINATED | phases)))
        return 0;
    if (k->ahead < AHEAD_NOTHING || k->ahead > AHEAD_TAKEN || k->signs < 0 ||
        k->signs >> N_INDICATORS)
        return 0;
    if (k->new_rates < 0 || k->new_rates >> N_INPUTS ||
        (k->states_given | k->load_set | k->started | k->unchecked) & ~1)
        return 0;
    for (int i = 0; i < N_STATES; i++) {
        const double nominal = ((const double *)&k->nominals)[i];
        if (!(nominal <= state_nominals[i]) ||
            !(k->phase & BEFORE_START ? nominal >= 0 : nominal > 0))
            return 0;
    }
#if HAS_COUPLING
    const Coupling *coupling = &k->coupling;
    const Chatter *chatter = &k->chatter;
    if (!all_finite((const double *)chatter, CHATTER_NUMBERS) || chatter->thrown & ~1 ||
        chatter->turns < 0 || chatter->turns > CHATTER_COUNT || chatter->since < 0 ||
        chatter->steps < 0)
        return 0;
    const size_t used = memory_size(fmi2ModelExchange);
    if (!k->co_simulates && !is_zero((const char *)k + used, sizeof *k - used)) return 0;
    if (!all_finite((const double *)&coupling->history, sizeof coupling->history / sizeof(double)))
        return 0;
    if (coupling->steps & ~1) return 0;
    for (int i = 0; i < N_MODES; i++) {
        const int last = ((const int *)&coupling->m)[i];
        if (last < 0 || last > mode_item_count[i]) return 0;
    }
#endif
#if HAS_APPROACH
    if (!all_finite((const double *)&k->rebound, sizeof k->rebound / sizeof(double))) return 0;
#endif
    for (int i = 0; i < N_MODES; i++)
        if (m[i] < (k->phase & BEFORE_START ? 0 : 1) || m[i] > mode_item_count[i]) return 0;
    for (int i = 0; i < N_OPTIONS; i++)
        if (m[OPTION_PLACE + i] < 1 || m[OPTION_PLACE + i] > option_largest[i]) return 0;
    return 1;
}

/* Makes room for a state, unless there is one already to write over. */
static fmi2Status make_room(Instance *c, fmi2FMUstate *state) {
    if (*state) return check_stored(c, (const StoredState *)*state);
    *state = c->allocate(1, stored_size(c->kind));
    return *state ? fmi2OK : refuse(c, fmi2Error, "Out of memory: the state is not stored.");
}

fmi2Status fmi2GetFMUstate(fmi2Component component, fmi2FMUstate *state) {
    Instance *c = (Instance *)component;
    if (!c) return fmi2Error;
    if (!state) return need(c, NULL, "fmi2GetFMUstate");
    const fmi2Status status = make_room(c, state);
    if (status != fmi2OK) return status;
    StoredState *stored = (StoredState *)*state;
    stored->magic = STATE_MAGIC;
    stored->identity = model_identity();
    stored->kind = c->kind;
    memcpy(&stored->memory, &c->memory, memory_size(c->kind));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component component, fmi2FMUstate state) {
    Instance *c = (Instance *)component;
    const StoredState *stored = (const StoredState *)state;
    if (!c) return fmi2Error;
    if (!stored) return need(c, NULL, "fmi2SetFMUstate");
    const fmi2Status status = check_stored(c, stored);
    if (status != fmi2OK) return status;
    memcpy(&c->memory, &stored->memory, memory_size(c->kind));
    forget_slopes(c);
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component component, fmi2FMUstate *state) {
    Instance *c = (Instance *)component;
    if (!c) return fmi2Error;
    if (!state || !*state) return fmi2OK;
    c->free(*state);
    *state = NULL;
    return fmi2OK;
}

/* A pass over the bytes of a stored state: it writes to `to`, reads from `from`, or with neither
 * only counts. */
typedef struct {
    unsigned char *to;
    const unsigned char *from;
    size_t count; /* bytes passed so far */
    int odd;      /* a word was read that does not fit into an int */
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

static void carry_reals(Walk *walk, void *values, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, (double *)values + i, sizeof word);
        word = carry_word(walk, word);
        memcpy((double *)values + i, &word, sizeof word);
    }
}

static void carry_integers(Walk *walk, int *values, int count) {
    for (int i = 0; i < count; i++) {
        const int64_t number = (int64_t)carry_word(walk, (uint64_t)(int64_t)values[i]);
        if (number < INT_MIN || number > INT_MAX) walk->odd = 1;
        values[i] = (int)number;
    }
}

/* Everything that is stored, listed once for writing, reading and counting. */
static void carry_state(Walk *walk, StoredState *stored) {
    Memory *k = &stored->memory;
    int kind = (int)stored->kind;
    stored->magic = carry_word(walk, stored->magic);
    stored->identity = carry_word(walk, stored->identity);
    carry_integers(walk, &kind, 1);
    carry_reals(walk, &k->reals.p, N_PARAMETERS);
    carry_reals(walk, &k->reals.u, N_INPUTS);
    carry_reals(walk, &k->reals.x, N_STATES);
    carry_reals(walk, &k->u_rate, N_INPUTS);
    carry_reals(walk, &k->u_last, N_INPUTS);
    carry_reals(walk, &k->time, 1);
    carry_reals(walk, &k->tolerance, 1);
    carry_reals(walk, &k->solver_step, 1);
    carry_reals(walk, &k->left_out, 1);
    carry_reals(walk, &k->t_ahead, 1);
    carry_reals(walk, &k->u_ahead, N_INPUTS);
    carry_reals(walk, &k->x_ahead, N_STATES);
    carry_reals(walk, &k->t_set, 1);
    carry_reals(walk, &k->t_seen, 1);
    carry_reals(walk, &k->u_seen, N_INPUTS);
    carry_reals(walk, &k->t_from, 1);
    carry_reals(walk, &k->u_from, N_INPUTS);
    carry_reals(walk, &k->nominals, N_STATES);
    carry_integers(walk, &k->ahead, 1);
    carry_integers(walk, &k->signs, 1);
    carry_integers(walk, &k->phase, 1);
    carry_integers(walk, &k->new_rates, 1);
    carry_integers(walk, &k->states_given, 1);
    carry_integers(walk, &k->load_set, 1);
    carry_integers(walk, &k->started, 1);
    carry_integers(walk, &k->unchecked, 1);
#if HAS_APPROACH
    carry_reals(walk, &k->rebound, (int)(sizeof k->rebound / sizeof(double)));
#endif
#if HAS_COUPLING
    Coupling *coupling = &k->coupling;
    carry_reals(walk, &k->chatter, CHATTER_NUMBERS);
    carry_integers(walk, &k->chatter.thrown, 4);
    carry_reals(walk, &coupling->history, (int)(sizeof coupling->history / sizeof(double)));
    carry_integers(walk, (int *)&coupling->m, (int)(sizeof coupling->m / sizeof(int)));
    carry_integers(walk, &coupling->steps, 1);
#endif
    carry_integers(walk, (int *)&k->modes, (int)(sizeof k->modes / sizeof(int)));
    stored->kind = (fmi2Type)kind;
    k->co_simulates = stored->kind == fmi2CoSimulation;
}

/* Size of a stored state in bytes, with its checksum. */
static size_t stored_bytes(void) {
    StoredState nothing;
    Walk walk = {NULL, NULL, 0, 0};
    memset(&nothing, 0, sizeof nothing);
    carry_state(&walk, &nothing);
    return walk.count + 8;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component component, fmi2FMUstate state, size_t *size) {
    Instance *c = (Instance *)component;
    if (!c) return fmi2Error;
    if (!state || !size) return need(c, NULL, "fmi2SerializedFMUstateSize");
    *size = stored_bytes();
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component component, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size) {
    Instance *c = (Instance *)component;
    const StoredState *stored = (const StoredState *)state;
    const size_t needed = stored_bytes();
    if (!c) return fmi2Error;
    if (!stored || !bytes) return need(c, NULL, "fmi2SerializeFMUstate");
    if (size < needed)
        return refuse(c, fmi2Error, "%u bytes are too few to store the state, which takes %u.",
                      (unsigned)size, (unsigned)needed);
    const fmi2Status status = check_stored(c, stored);
    if (status != fmi2OK) return status;
    StoredState copy;
    memset(&copy, 0, sizeof copy);
    memcpy(&copy, stored, stored_size(c->kind));
    Walk walk = {(unsigned char *)bytes, NULL, 0, 0};
    carry_state(&walk, &copy);
    carry_word(&walk, hash_bytes(bytes, walk.count));
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component component, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate *state) {
    Instance *c = (Instance *)component;
    if (!c) return fmi2Error;
    if (!bytes || !state) return need(c, NULL, "fmi2DeSerializeFMUstate");
    StoredState stored;
    Walk walk = {NULL, (const unsigned char *)bytes, 0, 0};
    memset(&stored, 0, sizeof stored);
    if (size == stored_bytes()) carry_state(&walk, &stored);
    if (stored.magic != STATE_MAGIC)
        return refuse(c, fmi2Error, "The %u bytes are not a stored state of %s.", (unsigned)size,
                      own()->name);
    const size_t content = walk.count;
    if (carry_word(&walk, 0) != hash_bytes(bytes, content))
        return refuse(c, fmi2Error, "The stored state is damaged.");
    stored.memory.stale = 1;
    fmi2Status status = check_stored(c, &stored);
    if (status == fmi2OK && (walk.odd || !is_sound(&stored)))
        status =
            refuse(c, fmi2Error, "The stored state holds values that no instance of %s can have.",
                   own()->name);
    if (status == fmi2OK && !stored.memory.unchecked)
        status = check_rules(c, &stored.memory.reals.p);
    if (status == fmi2OK) status = make_room(c, state);
    if (status != fmi2OK) return status;
    memcpy(*state, &stored, stored_size(c->kind));
    return fmi2OK;
}
