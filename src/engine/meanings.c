/* See meanings.h. A table of slots by hash; an input has WAYS slots that it may lie in
 * (set-associative, as caches are). Inputs are known by a hash of 64 bits alone: a collision gives a
 * mutant of another input, which does no harm. */
#include "engine/meanings.h"

#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"

/* A fuzzer comes back to what it kept within some ten thousand runs, mostly; a tape of a few hundred choices takes ten
 * kilobytes. */
enum { SLOTS = SONDE_LIMIT(1 << 14, 8), WAYS = 4, ROUNDS = 8 };
static const size_t most_bytes = SONDE_LIMIT((size_t)96 << 20, 1 << 14);

struct sonde_meaning {
    uint64_t hash;   /* of the input's bytes; 0: the slot is free */
    uint32_t rounds; /* that it stays although its room is wanted */
    bool was_back, is_valid;
    size_t bytes;
    struct sonde_tape tape;
};

void sonde_meanings_init(struct sonde_meanings *m)
{
    *m = (struct sonde_meanings){.slots = sonde_calloc(SLOTS, sizeof *m->slots)};
}

void sonde_meanings_clear(struct sonde_meanings *m)
{
    for (uint32_t i = 0; i < SLOTS; i++) sonde_tape_clear(&m->slots[i].tape);
    sonde_free(m->slots);
}

static uint64_t hash_of(const uint8_t *data, size_t n)
{
    return sonde_mix(sonde_hash_bytes(n, data, n)) | 1;
}

static struct sonde_meaning *way(const struct sonde_meanings *m, uint64_t hash, uint32_t i)
{
    return &m->slots[((uint32_t)(hash >> 32) + i) % SLOTS];
}

static void forget(struct sonde_meanings *m, struct sonde_meaning *slot)
{
    m->bytes -= slot->bytes;
    sonde_tape_clear(&slot->tape);
    *slot = (struct sonde_meaning){.hash = 0};
}

/* Gives back memory, what was not asked for lately first. The clock algorithm: the hand goes round, and
 * each visit takes one round from a slot before it may go. */
static void make_room(struct sonde_meanings *m)
{
    while (m->bytes > most_bytes) {
        struct sonde_meaning *slot = &m->slots[m->hand++ % SLOTS];
        if (slot->rounds) slot->rounds--;
        else if (slot->hash) forget(m, slot);
    }
}

/* Its own slot, a free one, or the one that was asked for least. */
static struct sonde_meaning *slot_for(const struct sonde_meanings *m, uint64_t hash)
{
    struct sonde_meaning *least = way(m, hash, 0);
    for (uint32_t i = 0; i < WAYS; i++) {
        struct sonde_meaning *slot = way(m, hash, i);
        if (slot->hash == hash) return slot;
        if (!slot->hash || slot->rounds < least->rounds) least = slot;
        if (!slot->hash) break;
    }
    /* Nobody leaves for free: the others come a round nearer to going, too. */
    for (uint32_t i = 0; i < WAYS && least->hash; i++) {
        struct sonde_meaning *slot = way(m, hash, i);
        if (slot->rounds) slot->rounds--;
    }
    return least;
}

void sonde_meanings_keep(struct sonde_meanings *m, const uint8_t *data, size_t n, const struct sonde_tape *tape,
                         bool is_valid)
{
    uint64_t hash = hash_of(data, n);
    struct sonde_meaning *slot = slot_for(m, hash);
    if (slot->hash != hash) slot->rounds = 0, slot->was_back = false;
    sonde_tape_copy(&slot->tape, tape);
    slot->hash = hash;
    slot->is_valid = is_valid;
    m->bytes -= slot->bytes;
    slot->bytes = slot->tape.cap_choices * sizeof *tape->choices + slot->tape.cap_spans * sizeof *tape->spans
                  + slot->tape.cap_bytes;
    m->bytes += slot->bytes;
    m->last = hash;
    make_room(m);
}

struct sonde_meant sonde_meanings_find(struct sonde_meanings *m, const uint8_t *data, size_t n)
{
    uint64_t hash = hash_of(data, n);
    for (uint32_t i = 0; i < WAYS; i++) {
        struct sonde_meaning *slot = way(m, hash, i);
        if (slot->hash != hash) continue;
        bool is_back = hash != m->last && !slot->was_back;
        slot->rounds = ROUNDS;
        slot->was_back |= is_back;
        return (struct sonde_meant){.tape = &slot->tape, .is_valid = slot->is_valid, .is_back = is_back};
    }
    return (struct sonde_meant){.tape = NULL};
}
