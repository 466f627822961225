/* See unique.h. The cost of a set is page faults of memory touched for the first time, and cache misses; this file
 * avoids both. (A page fault costs as much as hundreds of hashes.) A part of the log is deduplicated when it is
 * at least twice as long as its distinct hashes are many. So each hash is visited less than twice on average, and a
 * stream of repeats stays small. The moment of deduplication does not change the final count.
 *
 * A set has up to three representations, in this order: log (stage, then parts), table, registers. It never goes
 * back. log_to_table, table_to_registers and estimate_if_many are the transitions. Beside registers, the table only
 * remembers recent hashes.
 *
 * HyperLogLog after Flajolet, Fusy, Gandouet, Meunier (2007), figure 3, without the correction for large counts:
 * 64-bit hashes do not collide. The correction for small counts (registers.h) is needed only in the hostile build.
 * Otherwise registers are used from 2^20 hashes on, four for each register. */
#include "feedback/unique.h"

#include "base/hash.h"
#include "base/mem.h"
#include "feedback/registers.h"

#include <stdatomic.h>
#include <string.h>

enum {
    REGISTER_BITS = 18, /* 2^18 registers give a standard error of 0.2 % */
    REGISTERS = 1 << REGISTER_BITS,
    FIRST_CHUNK = 30, /* number of hashes in the first chunk of a part; small, because most sets are small */
    NEXT_CHUNK = SONDE_LIMIT(510, 6), /* number of hashes in every later chunk, which usually fills a page */
    /* Parts of this length are deduplicated, so the log has at most about twice EXACT hashes: as much memory as the
     * table. */
    DEDUPE = 2 * SONDE_UNIQUE_EXACT / SONDE_UNIQUE_PARTS,
    FIRST_TABLE_BITS = 13
};

/* A chunk of a part. Chunks are never freed while the log lives; deduplicating leaves spare chunks after `current`. */
struct sonde_unique_chunk {
    struct sonde_unique_chunk *next;
    uint64_t cap;
    uint64_t hashes[];
};

void sonde_unique_init(struct sonde_unique *set)
{
    memset(set, 0, sizeof *set);
}

static void free_log(struct sonde_unique *set)
{
    for (uint32_t p = 0; p < SONDE_UNIQUE_PARTS; p++) {
        struct sonde_unique_chunk *next, *c = set->parts[p].first;
        for (; c; c = next) {
            next = c->next;
            sonde_free(c);
        }
    }
    sonde_free(set->stage);
    set->stage = set->at = set->end = NULL;
    memset(set->tails, 0, sizeof set->tails);
    memset(set->parts, 0, sizeof set->parts);
    sonde_free(set->scratch);
    set->scratch = NULL;
}

void sonde_unique_clear(struct sonde_unique *set)
{
    free_log(set);
    sonde_free(set->slots);
    sonde_free(set->registers);
    sonde_unique_init(set);
}

/* Begins a rearrangement, which `arranged` ends. A crash between these two calls leaves a set that cannot be trusted. A
 * crash anywhere else leaves at worst one hash too many or too few. */
static void rearrange(struct sonde_unique *set)
{
    set->busy++;
    atomic_signal_fence(memory_order_seq_cst); /* the compiler must not move anything out of the section */
}

static void arranged(struct sonde_unique *set)
{
    sonde_assert(set->busy > 0);
    atomic_signal_fence(memory_order_seq_cst);
    set->busy--;
}

bool sonde_unique_recover(struct sonde_unique *set)
{
    if (!set->busy) return true;
    /* Without a table, `about` is the best number available: the count at the last distribute. */
    uint64_t lost = set->lost + (set->slots ? set->n : set->about);
    sonde_unique_init(set); /* does not free the old memory, which may have been freed already */
    set->lost = lost;
    return false;
}

/* Enters a hash at its home slot or the next free slot after that; returns false if the hash is there already. */
static inline bool enter(uint64_t *slots, unsigned bits, uint64_t home, uint64_t hash)
{
    uint64_t last = (UINT64_C(1) << bits) - 1;
    for (uint64_t i = home;; i = (i + 1) & last) {
        if (slots[i] == hash) return false;
        if (slots[i]) continue;
        slots[i] = hash;
        return true;
    }
}

/* ---- Estimating */

static void raise_register(struct sonde_unique *set, uint64_t hash)
{
    sonde_assert(set->registers && hash);
    sonde_registers_raise(set->registers, REGISTER_BITS, sonde_mix(hash));
}

static uint64_t estimate(const struct sonde_unique *set)
{
    return sonde_registers_estimate(set->registers, REGISTER_BITS);
}

/* ---- The log */

/* Returns the number of hashes in one chunk of a part. */
static uint32_t used(const struct sonde_unique *set, uint32_t p, const struct sonde_unique_chunk *c)
{
    return (uint32_t)(c == set->parts[p].current ? (uint64_t)(set->tails[p].at - c->hashes) : c->cap);
}

static uint32_t length(const struct sonde_unique *set, uint32_t p)
{
    const struct sonde_unique_part *part = &set->parts[p];
    return part->current ? part->before + used(set, p, part->current) : 0;
}

/* Calls visit for every hash of the log. */
static void each_logged(const struct sonde_unique *from, struct sonde_unique *to,
                        void (*visit)(struct sonde_unique *to, uint64_t hash))
{
    for (const uint64_t *hash = from->stage; hash != from->at; hash++) visit(to, *hash);
    for (uint32_t p = 0; p < SONDE_UNIQUE_PARTS; p++) {
        const struct sonde_unique_chunk *c = from->parts[p].first;
        for (bool more = c != NULL; more; c = c->next) {
            uint32_t n = used(from, p, c);
            for (uint32_t i = 0; i < n; i++) visit(to, c->hashes[i]);
            more = c != from->parts[p].current;
        }
    }
}

static void visit_register(struct sonde_unique *set, uint64_t hash)
{
    raise_register(set, hash ? hash : 1);
}

static uint64_t *clean_scratch(struct sonde_unique *set, unsigned bits)
{
    if (!set->scratch || bits > set->scratch_bits) {
        sonde_free(set->scratch);
        set->scratch = sonde_malloc(sizeof *set->scratch << bits);
        set->scratch_bits = bits;
    }
    return memset(set->scratch, 0, sizeof *set->scratch << bits);
}

/* The position where the hashes that remain are written. It is never ahead of the position where hashes are read. */
struct writer {
    struct sonde_unique_chunk *chunk;
    uint32_t i, before;
};

static inline void put(struct writer *writer, uint64_t hash)
{
    if (writer->i == writer->chunk->cap) {
        writer->before += writer->i;
        writer->chunk = writer->chunk->next;
        writer->i = 0;
        sonde_assert(writer->chunk); /* the chunk exists, because hashes are read from it */
    }
    writer->chunk->hashes[writer->i++] = hash;
}

/* Removes the repeats from one part. */
static void dedupe(struct sonde_unique *set, uint32_t p)
{
    struct sonde_unique_part *part = &set->parts[p];
    uint32_t n = length(set, p), kept = 0;
    /* If all hashes are known to be distinct, nothing was added since the last deduplication. */
    if (n == part->distinct) return;
    /* The table has two to four times n slots. It fits into the cache, because the log is split into parts. */
    unsigned bits = 64 - (unsigned)__builtin_clzll(n) + 1;
    uint64_t *slots = clean_scratch(set, bits);
    struct writer writer = {.chunk = part->first};
    const struct sonde_unique_chunk *c = part->first;
    for (bool more = true; more; c = c->next) {
        uint32_t in_chunk = used(set, p, c);
        more = c != part->current;
        for (uint32_t i = 0; i < in_chunk; i++) {
            uint64_t hash = c->hashes[i] ? c->hashes[i] : 1;
            /* The home slot skips the bits that chose the part, which are the same for all hashes of the part. */
            if (!enter(slots, bits, hash << SONDE_UNIQUE_PART_BITS >> (64 - bits), hash)) continue;
            put(&writer, hash);
            kept++;
        }
    }
    sonde_assert(kept >= part->distinct && kept <= n); /* hashes that were distinct before are still kept */
    set->logged += n - part->distinct;
    set->distinct += kept - part->distinct;
    part->distinct = kept;
    part->current = writer.chunk;
    part->before = writer.before;
    set->tails[p].at = writer.chunk->hashes + writer.i;
    set->tails[p].end = writer.chunk->hashes + writer.chunk->cap;
}

static void estimate_if_many(struct sonde_unique *set)
{
    if (set->distinct < SONDE_UNIQUE_EXACT) return;
    set->registers = sonde_calloc(REGISTERS, 1);
    each_logged(set, set, visit_register);
    free_log(set);
}

/* Removes the repeats from a part that has become long compared with its distinct hashes. */
static void dedupe_if_long(struct sonde_unique *set, uint32_t p)
{
    uint32_t n = length(set, p);
    if (n < DEDUPE || n < 2 * set->parts[p].distinct) return;
    dedupe(set, p);
    estimate_if_many(set);
}

/* Advances to the next chunk of the part; allocates a chunk if there is no spare one. */
static void next_chunk(struct sonde_unique *set, uint32_t p)
{
    struct sonde_unique_part *part = &set->parts[p];
    struct sonde_unique_chunk *c = part->current ? part->current->next : NULL;
    if (!c) {
        uint64_t cap = part->current ? NEXT_CHUNK : FIRST_CHUNK;
        c = sonde_malloc(sizeof *c + cap * sizeof *c->hashes);
        c->next = NULL;
        c->cap = cap;
        if (part->current) part->current->next = c;
        else part->first = c;
    }
    if (part->current) part->before += (uint32_t)part->current->cap;
    part->current = c;
    set->tails[p].at = c->hashes;
    set->tails[p].end = c->hashes + c->cap;
}

/* Adds a hash to its part, or to the representation that has replaced the log. */
static void add_to_part(struct sonde_unique *set, uint64_t hash)
{
    uint32_t p = (uint32_t)(hash >> (64 - SONDE_UNIQUE_PART_BITS));
    if (!set->registers && set->tails[p].at == set->tails[p].end) dedupe_if_long(set, p);
    if (set->registers) {
        visit_register(set, hash);
        return;
    }
    if (set->tails[p].at == set->tails[p].end) next_chunk(set, p);
    *set->tails[p].at++ = hash;
}

/* Moves the waiting hashes to their parts all at once. If each case added one hash, the ends of the parts would leave
 * the cache in between. */
static void distribute(struct sonde_unique *set)
{
    uint64_t *stage = set->stage, *end = set->at;
    set->stage = set->at = set->end = NULL; /* cleared first: add_to_part may discard the log */
    for (uint64_t *hash = stage; hash != end; hash++) add_to_part(set, *hash);
    if (set->registers) {
        sonde_free(stage);
    } else if (stage) {
        set->stage = set->at = stage;
        set->end = stage + SONDE_UNIQUE_STAGE;
    }
}

/* Returns the count as far as it is known without work. The share of new hashes is assumed to be the same among
 * waiting hashes as among deduplicated ones. */
static uint64_t known(const struct sonde_unique *set)
{
    if (set->registers) return estimate(set);
    if (set->slots) return set->n;
    uint64_t waiting = (uint64_t)(set->at - set->stage);
    for (uint32_t p = 0; p < SONDE_UNIQUE_PARTS; p++) waiting += length(set, p) - set->parts[p].distinct;
    double share = set->logged ? (double)set->distinct / (double)set->logged : 1;
    return set->distinct + (uint64_t)((double)waiting * share);
}

void sonde_unique_log_slowly(struct sonde_unique *set, uint64_t hash)
{
    if (set->registers) {
        visit_register(set, hash);
        return;
    }
    if (set->slots) {
        sonde_unique_add(set, hash);
        return;
    }
    rearrange(set);
    distribute(set);
    bool is_log = !set->registers;
    if (is_log && !set->stage) {
        set->stage = set->at = sonde_malloc(SONDE_UNIQUE_STAGE * sizeof *set->stage);
        set->end = set->stage + SONDE_UNIQUE_STAGE;
    }
    if (is_log) set->about = known(set);
    arranged(set);
    if (is_log) *set->at++ = hash;
    else visit_register(set, hash);
}

/* ---- The table */

/* Slots are ordered by the high bits, so a larger table has the same hashes in the same order. Growing thus reads and
 * writes sequentially. */
static void resize(struct sonde_unique *set, unsigned bits)
{
    rearrange(set);
    uint64_t *slots = sonde_calloc((size_t)1 << bits, sizeof *slots);
    for (size_t i = 0; set->slots && i < (size_t)1 << set->bits; i++)
        if (set->slots[i]) enter(slots, bits, set->slots[i] >> (64 - bits), set->slots[i]);
    sonde_free(set->slots);
    set->slots = slots;
    set->bits = bits;
    /* The hash itself is entered after this. If the process dies before that, one input is not counted, and the set
     * is intact. */
    arranged(set);
    sonde_unique_check(set);
}

/* Returns whether the table must grow. It counts as full at three quarters: with linear probing a search then still
 * visits few slots. */
static bool is_full(const struct sonde_unique *set)
{
    return (uint64_t)set->n * 4 >= UINT64_C(3) << set->bits;
}

/* Makes room for about n hashes in total. Must be called before adding many hashes in the order of their slots. In a
 * small table such hashes would cluster at one end, and each would probe past all the others. */
static void make_room(struct sonde_unique *set, uint64_t n)
{
    unsigned bits = set->slots ? set->bits : FIRST_TABLE_BITS;
    while (n * 4 >= UINT64_C(3) << bits) bits++;
    if (!set->slots || bits > set->bits) resize(set, bits);
}

static bool enter_table(struct sonde_unique *set, uint64_t hash)
{
    if (!set->slots || is_full(set)) make_room(set, set->n);
    if (!enter(set->slots, set->bits, hash >> (64 - set->bits), hash)) return false;
    set->n++;
    return true;
}

static void visit_table(struct sonde_unique *set, uint64_t hash)
{
    enter_table(set, hash ? hash : 1);
}

/* Replaces the count of the table by registers. From then on the table holds recent hashes: a new one overwrites what
 * is in its home slot. Registers alone would call most new hashes known. */
static void table_to_registers(struct sonde_unique *set)
{
    rearrange(set);
    set->registers = sonde_calloc(REGISTERS, 1);
    for (size_t i = 0; i < (size_t)1 << set->bits; i++)
        if (set->slots[i]) raise_register(set, set->slots[i]);
    arranged(set);
}

/* Returns whether a hash is not among the recent ones, and makes it one of them. */
static bool enter_recent(struct sonde_unique *set, uint64_t hash)
{
    if (!set->slots) make_room(set, SONDE_UNIQUE_EXACT); /* the log was replaced by registers */
    uint64_t *slot = &set->slots[hash >> (64 - set->bits)];
    bool is_new = *slot != hash;
    *slot = hash;
    return is_new;
}

static void log_to_table(struct sonde_unique *set)
{
    uint64_t n = known(set);
    rearrange(set);
    make_room(set, n);
    each_logged(set, set, visit_table);
    free_log(set);
    arranged(set);
}

bool sonde_unique_add(struct sonde_unique *set, uint64_t hash)
{
    if (hash == 0) hash = 1;
    if (!set->slots && !set->registers) log_to_table(set);
    if (set->registers) {
        raise_register(set, hash);
        return enter_recent(set, hash);
    }
    if (!enter_table(set, hash)) return false;
    if (set->n >= SONDE_UNIQUE_EXACT) table_to_registers(set);
    return true;
}

static void visit_set(struct sonde_unique *set, uint64_t hash)
{
    sonde_unique_add(set, hash);
}

void sonde_unique_merge(struct sonde_unique *set, const struct sonde_unique *other)
{
    set->lost += other->lost;
    uint64_t n = other->registers ? 0 : known(other);
    if (n && !set->slots && !set->registers) log_to_table(set);
    if (n && set->slots && !set->registers)
        make_room(set, set->n + n < SONDE_UNIQUE_EXACT ? set->n + n : SONDE_UNIQUE_EXACT);
    for (size_t i = 0; other->slots && !other->registers && i < (size_t)1 << other->bits; i++)
        if (other->slots[i]) sonde_unique_add(set, other->slots[i]);
    if (!other->slots && !other->registers) each_logged(other, set, visit_set);
    if (!other->registers) return;
    if (!set->slots && !set->registers) log_to_table(set);
    if (!set->registers) table_to_registers(set);
    sonde_registers_merge(set->registers, other->registers, REGISTER_BITS);
}

/* ---- Counting */

uint64_t sonde_unique_count(struct sonde_unique *set, bool *estimated)
{
    if (sonde_is_milestone(known(set))) sonde_unique_check(set);
    if (!set->registers && !set->slots) distribute(set);
    if (!set->registers && !set->slots) {
        for (uint32_t p = 0; p < SONDE_UNIQUE_PARTS; p++) dedupe(set, p);
        estimate_if_many(set);
    }
    *estimated = set->registers != NULL || set->lost > 0;
    return set->lost + (set->registers ? estimate(set) : set->slots ? set->n : set->distinct);
}

uint64_t sonde_unique_count_guarded(struct sonde_unique *set, bool *estimated)
{
    rearrange(set);
    uint64_t n = sonde_unique_count(set, estimated);
    arranged(set);
    return n;
}

uint64_t sonde_unique_about(const struct sonde_unique *set)
{
    return set->lost + known(set);
}

/* ---- Checks */

#ifdef SONDE_CHECKED

static void check_table(const struct sonde_unique *set)
{
    uint64_t n = 0, last = (UINT64_C(1) << set->bits) - 1;
    for (uint64_t i = 0; i <= last; i++) {
        if (!set->slots[i]) continue;
        n++;
        uint64_t at = set->slots[i] >> (64 - set->bits);
        while (at != i && set->slots[at]) at = (at + 1) & last; /* no gap between the hash's home slot and its slot */
        sonde_assert(at == i);
    }
    sonde_assert(n == set->n);
}

void sonde_unique_check(const struct sonde_unique *set)
{
    sonde_assert((!set->registers && !set->slots) || !set->stage || set->busy);
    sonde_assert(set->distinct <= set->logged);
    if (set->slots && !set->registers) check_table(set);
    for (uint32_t p = 0; p < SONDE_UNIQUE_PARTS; p++) sonde_assert(set->parts[p].distinct <= length(set, p));
}

#endif
