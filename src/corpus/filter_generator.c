/* Ways through a generator: algorithm 4 of the thesis (generator coverage filtering), without instrumentation. What a
 * generator did can be read off the tape: which draw followed which, how often (in classes: 1, 2, 3, 4-7, 8-15, 16-31,
 * 32-127, more), and, finer than branches, after which answer, roughly. One pass, and nothing to compare with but a set. */
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "corpus/filter_draws.h"
#include "corpus/filter_parts.h"

enum { WAYS_MAX = SONDE_LIMIT(1 << 20, 1 << 8) };

struct sonde_ways {
    uint64_t *slots; /* open addressing; 0: none */
    uint32_t n, n_slots;
    struct sonde_transitions scratch;
};

struct sonde_ways *sonde_ways_create(void)
{
    return sonde_calloc(1, sizeof(struct sonde_ways));
}

void sonde_ways_free(struct sonde_ways *w)
{
    if (!w) return;
    sonde_free(w->slots);
    sonde_transitions_clear(&w->scratch);
    sonde_free(w);
}

static uint32_t slot_of(const struct sonde_ways *w, uint64_t way)
{
    uint32_t mask = w->n_slots - 1, at = (uint32_t)(way >> 32) & mask;
    while (w->slots[at] && w->slots[at] != way) at = (at + 1) & mask;
    return at;
}

static void grow_slots(struct sonde_ways *w)
{
    struct sonde_ways old = *w;
    w->n_slots = old.n_slots ? 2 * old.n_slots : 256;
    w->slots = sonde_calloc(w->n_slots, sizeof *w->slots);
    for (uint32_t i = 0; i < old.n_slots; i++)
        if (old.slots[i]) w->slots[slot_of(w, old.slots[i])] = old.slots[i];
    sonde_free(old.slots);
}

/* Beyond the limit nothing is new any more. */
static bool add(struct sonde_ways *w, uint64_t way)
{
    if (2 * w->n >= w->n_slots) grow_slots(w);
    way |= 1;
    uint32_t at = slot_of(w, way);
    if (w->slots[at] || w->n == WAYS_MAX) return false;
    w->slots[at] = way;
    w->n++;
    return true;
}

static uint64_t bucket(uint32_t count)
{
    if (count < 4) return count;
    return count < 8 ? 4 : count < 16 ? 5 : count < 32 ? 6 : count < 128 ? 7 : 8;
}

bool sonde_ways_add(struct sonde_ways *w, const struct sonde_tape *tape)
{
    bool is_new = false;
    sonde_transitions_of(&w->scratch, tape);
    for (uint32_t i = 0; i < w->scratch.n; i++) {
        const struct sonde_transition *t = &w->scratch.all[i];
        is_new |= add(w, sonde_mix(t->key + bucket(t->count)));
    }
    for (uint32_t i = 0; i < w->scratch.n_branches; i++) is_new |= add(w, sonde_mix(w->scratch.branches[i]));
    return is_new;
}
