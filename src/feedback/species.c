/* See species.h. Good-Turing: the chance of something new is about f1 / n, with f1 the kinds seen exactly once and n
 * all observations (I. J. Good, 1953). Sampling by hash (adaptive sampling, Wegman) keeps the ratio: all occurrences
 * of a kind in the sample are counted. */
#include "feedback/species.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

/* FEW: below a hundred observations the estimate is mostly noise. */
enum { SLOTS = 1 << SONDE_SPECIES_BITS, FEW = 100 };

void sonde_species_init(struct sonde_species *s)
{
    *s = (struct sonde_species){.kinds = sonde_calloc(SLOTS, sizeof *s->kinds)};
}

void sonde_species_clear(struct sonde_species *s)
{
    sonde_free(s->kinds);
    memset(s, 0, sizeof *s);
}

static struct sonde_kind_count *find(const struct sonde_species *s, uint64_t hash)
{
    sonde_assert(s->n < SLOTS); /* the loop below ends at a free slot */
    uint32_t i = (uint32_t)(hash >> (64 - SONDE_SPECIES_BITS));
    while (s->kinds[i].hash && s->kinds[i].hash != hash) i = (i + 1) % SLOTS;
    return &s->kinds[i];
}

/* Returns whether the kind with this hash is in the sample. The lowest bits decide that, and the highest bits give the
 * slot, so the two are independent. */
static bool is_sampled(const struct sonde_species *s, uint64_t hash)
{
    return (hash & ((UINT64_C(1) << s->skipped) - 1)) == 0;
}

/* Drops half of the kinds with their observations. Called when the table is half full; afterwards it is about a
 * quarter full. */
static void thin(struct sonde_species *s)
{
    struct sonde_kind_count *before = s->kinds;
    s->skipped++;
    s->kinds = sonde_calloc(SLOTS, sizeof *s->kinds);
    s->once = s->total = s->n = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (!before[i].hash || !is_sampled(s, before[i].hash)) continue;
        *find(s, before[i].hash) = before[i];
        s->once += before[i].n == 1;
        s->total += before[i].n;
        s->n++;
    }
    sonde_free(before);
}

/* A kind is in the sample or not, for good. So the share of kinds seen once is the same in the sample as among all
 * kinds. */
bool sonde_species_add(struct sonde_species *s, uint64_t hash)
{
    uint64_t mixed = hash ? sonde_mix(hash) : UINT64_C(1) << 63; /* 0 means a free slot, and sonde_mix(0) is 0 */
    if (!is_sampled(s, mixed)) return false;
    s->total++;
    struct sonde_kind_count *kind = find(s, mixed);
    if (kind->hash) {
        s->once -= kind->n++ == 1;
        return false;
    }
    *kind = (struct sonde_kind_count){.hash = mixed, .n = 1};
    s->once++;
    if (++s->n > SLOTS / 2) thin(s);
    sonde_assert(s->once <= s->n && s->n <= s->total);
    return true;
}

double sonde_species_chance_of_new(const struct sonde_species *s)
{
    return s->total < FEW ? -1 : (double)s->once / (double)s->total;
}
