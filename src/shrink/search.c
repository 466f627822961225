/* The search that all lowering passes use: it finds a small number with which the property still fails.
 *
 * Galloping search (Bentley and Yao): a search over exponents finds the order of magnitude in log log m probes,
 * bisection the rest. Each probe runs the property, so the number of probes is the cost. The result is exact if the
 * property is monotone in m. Otherwise the property fails with the result, but there may be a lower one. */
#include "shrink/pass.h"

#include "base/hash.h"

/* Probes m, and notes the outcome as evidence. */
static bool holds(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m)
{
    uint64_t number = m + probe->offset, *passed = probe->seen.passed;
    if (probe->holds(s, probe, m)) {
        probe->seen.common &= number;
        return true;
    }
    for (size_t i = 0; i < sizeof probe->seen.passed / sizeof *passed; i++) {
        uint64_t lower = passed[i];
        if (number <= lower) continue;
        passed[i] = number;
        number = lower;
    }
    return false;
}

bool sonde_is_unlikely(const struct sonde_seen_bits *e, uint64_t number, uint64_t lower)
{
    for (size_t i = 0; i < sizeof e->passed / sizeof *e->passed; i++)
        if (e->passed[i] >= number / 2 && e->passed[i] > 0 && !(lower & e->common & ~e->passed[i])) return true;
    return false;
}

/* Bisects the exponents of powers of two. Returns the lowest m found that holds; *fails is a power of two that does
 * not, with no other power of two between them. A search that was stopped leaves a wider gap. */
static uint64_t by_digits(struct sonde_shrinker *s, struct sonde_probe *probe, uint64_t m, uint64_t *fails)
{
    sonde_assert(m > 2);                                            /* 0 and 1 have failed */
    unsigned low = 0, high = 64 - (unsigned)__builtin_clzll(m - 1); /* 2^low fails, 2^high >= m */
    while (high - low > 1 && !s->stopped) {
        unsigned middle = (low + high) / 2;
        uint64_t x = UINT64_C(1) << middle;
        if (holds(s, probe, x)) {
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
    probe->seen = (struct sonde_seen_bits){.common = m + probe->offset};
    if (m == 0 || holds(s, probe, 0)) return 0;
    if (m == 1) return 1;
    if (probe->guess && probe->guess < m && holds(s, probe, probe->guess)) m = probe->guess;
    if (m == 1) return 1;
    if (probe->cautious) {
        if (!holds(s, probe, m - 1)) return m;
        if (--m == 1) return 1;
    }
    if (holds(s, probe, 1)) return 1;
    if (m == 2) return 2;
    uint64_t fails, before = m;
    m = by_digits(s, probe, m, &fails);
    if (probe->sparse && m == before) return m;
    while (m - fails > 1 && !s->stopped) {
        uint64_t middle = fails + (m - fails) / 2;
        if (holds(s, probe, middle)) m = middle;
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

/* ---- Evidence. Kept by site and value, as marks are. */

static uint64_t evidence_key(const struct sonde_choice *c)
{
    return sonde_mix(sonde_hash_add(c->site, c->index + 1));
}

void sonde_keep_evidence(struct sonde_shrinker *s, uint32_t choice, const struct sonde_probe *probe)
{
    if (choice >= s->best.n_choices) return;
    uint64_t key = evidence_key(&s->best.choices[choice]);
    s->evidence[key % SONDE_EVIDENCE] = probe->seen;
    s->evidence[key % SONDE_EVIDENCE].key = key;
}

const struct sonde_seen_bits *sonde_evidence_of(struct sonde_shrinker *s, uint32_t choice)
{
    uint64_t key = evidence_key(&s->best.choices[choice]);
    const struct sonde_seen_bits *e = &s->evidence[key % SONDE_EVIDENCE];
    return e->key == key ? e : NULL;
}
