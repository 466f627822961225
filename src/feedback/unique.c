/* See unique.h. A big table misses the cache on every look-up, which would cost more than a cheap test; so additions
 * whose answer nobody waits for are gathered, their slots prefetched, and entered together. */
#include "feedback/unique.h"

#include "base/hash.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum { REGISTER_BITS = 14, REGISTERS = 1 << REGISTER_BITS };

void sonde_unique_init(struct sonde_unique *set)
{
    memset(set, 0, sizeof *set);
}

void sonde_unique_clear(struct sonde_unique *set)
{
    sonde_free(set->slots);
    sonde_free(set->registers);
    sonde_unique_init(set);
}

static bool enter(uint64_t *slots, uint32_t cap, uint64_t hash)
{
    for (uint64_t i = hash & (cap - 1);; i = (i + 1) & (cap - 1)) {
        if (slots[i] == hash) return false;
        if (slots[i]) continue;
        slots[i] = hash;
        return true;
    }
}

/* A large table is hit at random: with small pages, each hit would miss the TLB too. Only a hint. */
static void use_huge_pages(void *start, size_t n)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 4096;
    uintptr_t first = ((uintptr_t)start + page - 1) / page * page;
    if (n > (size_t)4 << 20) madvise((void *)first, n - (first - (uintptr_t)start), MADV_HUGEPAGE);
#else
    (void)start, (void)n;
#endif
}

static void grow(struct sonde_unique *set)
{
    uint32_t cap = set->cap ? set->cap * 2 : 8192;
    uint64_t *slots = sonde_calloc(cap, sizeof *slots);
    use_huge_pages(slots, cap * sizeof *slots);
    for (uint32_t i = 0; i < set->cap; i++)
        if (set->slots[i]) enter(slots, cap, set->slots[i]);
    sonde_free(set->slots);
    set->slots = slots;
    set->cap = cap;
}

/* The rank of a hash: leading zeros behind the bits that choose the register, plus one. */
static bool raise_register(struct sonde_unique *set, uint64_t hash)
{
    uint64_t mixed = sonde_mix(hash);
    uint8_t *r = &set->registers[mixed >> (64 - REGISTER_BITS)];
    uint64_t rest = mixed << REGISTER_BITS;
    uint8_t rank = (uint8_t)(rest ? __builtin_clzll(rest) + 1 : 64 - REGISTER_BITS + 1);
    if (rank <= *r) return false;
    *r = rank;
    return true;
}

static void start_estimating(struct sonde_unique *set)
{
    set->registers = sonde_calloc(REGISTERS, 1);
    for (uint32_t i = 0; i < set->cap; i++)
        if (set->slots[i]) raise_register(set, set->slots[i]);
    sonde_free(set->slots);
    set->slots = NULL;
    set->cap = 0;
}

bool sonde_unique_add(struct sonde_unique *set, uint64_t hash)
{
    if (hash == 0) hash = 1;
    if (set->registers) return raise_register(set, hash);
    if ((uint64_t)set->n * 4 >= (uint64_t)set->cap * 3) grow(set);
    if (!enter(set->slots, set->cap, hash)) return false;
    if (++set->n == SONDE_UNIQUE_EXACT) start_estimating(set);
    return true;
}

static void flush(struct sonde_unique *set)
{
    uint32_t n = set->n_pending;
    set->n_pending = 0;
    for (uint32_t i = 0; i < n; i++) sonde_unique_add(set, set->pending[i]);
}

void sonde_unique_add_later(struct sonde_unique *set, uint64_t hash)
{
    if (set->slots) __builtin_prefetch(&set->slots[hash & (set->cap - 1)], 1);
    set->pending[set->n_pending++] = hash;
    if (set->n_pending == SONDE_UNIQUE_PENDING) flush(set);
}

void sonde_unique_merge(struct sonde_unique *set, struct sonde_unique *other)
{
    flush(set);
    flush(other);
    for (uint32_t i = 0; i < other->cap; i++)
        if (other->slots[i]) sonde_unique_add(set, other->slots[i]);
    if (!other->registers) return;
    if (!set->registers) start_estimating(set);
    for (uint32_t i = 0; i < REGISTERS; i++)
        if (other->registers[i] > set->registers[i]) set->registers[i] = other->registers[i];
}

uint64_t sonde_unique_count(struct sonde_unique *set, bool *estimated)
{
    flush(set);
    *estimated = set->registers != NULL;
    if (!set->registers) return set->n;
    double sum = 0;
    for (uint32_t i = 0; i < REGISTERS; i++) sum += ldexp(1, -set->registers[i]);
    double alpha = 0.7213 / (1 + 1.079 / REGISTERS);
    return (uint64_t)(alpha * REGISTERS * REGISTERS / sum);
}
