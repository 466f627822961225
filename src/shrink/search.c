/* The search that all lowering passes use: it finds a small number with which the property still fails.
 *
 * Galloping search (Bentley and Yao): a search over exponents finds the order of magnitude in log log m probes,
 * bisection the rest. Each probe runs the property, so the number of probes is the cost. The result is exact if the
 * property is monotone in m. Otherwise the property fails with the result, but there may be a lower one. */
#include "shrink/pass.h"

#include "base/hash.h"

/* Bisects the exponents of powers of two. Returns the lowest m found that holds; *fails is a power of two that does
 * not, with no other power of two between them. A search that was stopped leaves a wider gap. */
static uint64_t by_digits(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m, uint64_t *fails)
{
    sonde_assert(m > 2);                                            /* 0 and 1 have failed */
    unsigned low = 0, high = 64 - (unsigned)__builtin_clzll(m - 1); /* 2^low fails, 2^high >= m */
    while (high - low > 1 && !s->stopped) {
        unsigned middle = (low + high) / 2;
        uint64_t x = UINT64_C(1) << middle;
        if (probe->holds(s, probe, x)) {
            m = x;
            high = middle;
        } else {
            low = middle;
        }
    }
    *fails = UINT64_C(1) << low;
    sonde_assert(*fails < m);
    return m;
}

/* 0, the guess and 1 cost a probe each, and the result is mostly one of them. A cautious search needs one more probe to
 * know that there is nothing to find. */
uint64_t sonde_least(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m)
{
    if (m == 0 || probe->holds(s, probe, 0)) return 0;
    if (m == 1) return 1;
    if (probe->guess && probe->guess < m && probe->holds(s, probe, probe->guess)) m = probe->guess;
    if (m == 1) return 1;
    if (probe->cautious) {
        if (!probe->holds(s, probe, m - 1)) return m;
        if (--m == 1) return 1;
    }
    if (probe->holds(s, probe, 1)) return 1;
    if (m == 2) return 2;
    uint64_t fails, before = m;
    m = by_digits(s, probe, m, &fails);
    if (probe->sparse && m == before) return m;
    while (m - fails > 1 && !s->stopped) {
        uint64_t middle = fails + (m - fails) / 2;
        if (probe->holds(s, probe, middle)) m = middle;
        else fails = middle;
    }
    return m;
}

/* ---- Marks: (site, index, mark), hashed. */

/* Returns the slot of a mark on the present value of a choice; the mark is set if the slot holds *key. */
static uint64_t *slot_of(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark, uint64_t *key)
{
    sonde_assert(choice < s->best.n_choices);
    const struct sonde_choice *c = &s->best.choices[choice];
    /* A mark is lost when two keys share a slot; that only costs a repeated search. */
    *key = sonde_mix(sonde_hash_add(c->site, c->index + 1) + (uint64_t)mark);
    return &s->marks[*key % SONDE_MARKS];
}

bool sonde_is_marked(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark)
{
    if (s->is_thorough && (mark == SONDE_MARK_STEPPED || mark == SONDE_MARK_BITS)) return false;
    uint64_t key, *slot = slot_of(s, choice, mark, &key);
    return *slot == key;
}

void sonde_mark(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark)
{
    if (choice >= s->best.n_choices) return;
    uint64_t key, *slot = slot_of(s, choice, mark, &key);
    *slot = key;
}
