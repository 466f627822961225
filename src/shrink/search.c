/* The one search behind all lowering: exponential in the number of binary digits, then binary.
 *
 * Galloping search (Bentley and Yao): doubling the exponent finds the order of magnitude in log log m
 * probes, bisection the rest. Each probe runs the property, so probes are what is counted. Results are
 * exact if the property is monotone in m; otherwise what comes out holds, but need not be the least. */
#include "shrink/pass.h"

#include "base/hash.h"

/* Between powers of two, by halving their exponents. Afterwards 2^low fails and m holds, with no power of two between them;
 * a search that was stopped leaves a wider gap. */
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

/* 0, the guess and 1 cost a probe each and are the answer most often; a cautious search then needs one more to know that nothing
 * is to be had. */
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

static uint64_t *slot_of(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark, uint64_t *key)
{
    sonde_assert(choice < s->best.n_choices);
    const struct sonde_choice *c = &s->best.choices[choice];
    /* Marks are lost when two keys share a slot, which costs a repeated search and nothing else. */
    *key = sonde_mix(sonde_hash_add(c->site, c->index + 1) + (uint64_t)mark);
    return &s->marks[*key % SONDE_MARKS];
}

bool sonde_is_marked(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark)
{
    uint64_t key, *slot = slot_of(s, choice, mark, &key);
    return *slot == key;
}

void sonde_mark(struct sonde_shrinker *s, uint32_t choice, enum sonde_mark mark)
{
    if (choice >= s->best.n_choices) return;
    uint64_t key, *slot = slot_of(s, choice, mark, &key);
    *slot = key;
}
