/* A view of the corpus: tapes to mutate, selected in two ways with opposite tempers.
 *
 * Novelty: a tape that showed something new stays, valid and discarded ones apart. It drives a search outwards, but it
 * runs dry: on a small program everything that counters can tell is told after a hundred tapes.
 *
 * Niches: a valid run belongs to the niches of the rarest things that it did, each a counter that was hit once, twice or
 * more often, among runs of about its length. A niche holds a few tapes that replace each other, small ones more readily
 * than large ones, so that its members drift through everything that behaves alike. Picking niches that are rare and
 * were tried little keeps rare behaviour in play, and drift finds what no counter can see. Lengths are kept apart
 * because what takes a longer tape would die out otherwise. Of a run without counters only its shape is known, so that is what
 * it did.
 *
 * (The niche of all runs that hit the same set of counters is too narrow where a program has hundreds of them: nearly every
 * run has one of its own, and rare behaviour drowns.)
 *
 * Memory is limited: what has been picked most goes first.
 *
 * Example of a niche: of 10,000 valid runs three passed counter 17 exactly twice. That deed is among the six
 * rarest of each of them, so they live in the niche (17, twice) of their class of lengths. A new run that does the
 * same replaces one of them now and then, the smaller ones more often; and because little was invested in the
 * niche, it is picked more often than those of counters that every run passes. */
#ifndef SONDE_CORPUS_PARENTS_H
#define SONDE_CORPUS_PARENTS_H

#include "base/map.h"
#include "corpus/corpus.h"
#include "corpus/owners.h"

enum { SONDE_NICHE_TAPES = 4, SONDE_NICHE_CLASSES = 3, SONDE_NICHES_MAX = 1 << 14 };

/* Compared: kept only for what comparisons showed, which is much and says little; valid or not. */
enum sonde_pool { SONDE_POOL_VALID, SONDE_POOL_DISCARDED, SONDE_POOL_COMPARED, SONDE_POOL_COUNT };

/* A tape in a pool. */
struct sonde_pooled {
    struct sonde_kept *kept;
    uint64_t picks;
    uint64_t spent;
    double heat;              /* the same as sonde_parents_charge returned last */
    uint64_t order;           /* how many had been kept before it */
    struct sonde_owner owner; /* of features: it is favoured while it has any */
};

/* A tape in niches. */
struct sonde_resident {
    struct sonde_kept *kept;
    uint32_t homes; /* how many niches */
};

/* n is at least 1: a niche is made for its first tape, and members are replaced, never removed alone. */
struct sonde_niche {
    uint64_t key;
    uint32_t deed; /* whose it is, an index into `hits` */
    uint32_t n;
    uint64_t spent;
    struct sonde_resident *tapes[SONDE_NICHE_TAPES];
    /* Of these tapes, which lie apart: every run is compared with them. */
    uint64_t identities[SONDE_NICHE_TAPES], sizes[SONDE_NICHE_TAPES];
};

/* `limit` is this view's part of the search's memory; `bytes` counts a tape once per entry, whoever
 * else keeps it. */
struct sonde_parents {
    struct sonde_corpus *corpus; /* borrowed; NULL: it keeps its own tapes */
    struct {
        struct sonde_pooled **tapes; /* oldest first */
        uint32_t n, cap;
    } pools[SONDE_POOL_COUNT];
    struct sonde_niche *niches;
    uint32_t n_niches, cap_niches;
    struct sonde_resident *spare; /* one that left its last niche; may be NULL */
    struct sonde_map by_key;      /* niche + 1 */
    struct sonde_owners owners;   /* of features */
    uint32_t *hits;               /* by deed, a counter and how often it was hit: valid runs that did it */
    uint32_t cap_hits;
    double by_cost, larger;
    size_t bytes, limit;
    uint64_t kept; /* ever, for novelty */
};

/* The corpus is borrowed and must outlive it; `limit` in bytes, over pools and niches together. */
void sonde_parents_init(struct sonde_parents *parents, struct sonde_corpus *corpus, size_t limit);
void sonde_parents_clear(struct sonde_parents *parents);

/* The sum of bytes is right; a tape is in one pool or in as many niches as it says, and owns as many features as it says;
 * every niche is found by its key. */
SONDE_CHECKER(sonde_parents_check, struct sonde_parents);

/* Keeps the tape of a run for what is new in it. NULL if the tape is too large for the view. The entry
 * lives until the view drops it in make_room, that is at the earliest at the next keep or offer. */
struct sonde_pooled *sonde_parents_keep(struct sonde_parents *parents, enum sonde_pool pool,
                                        const struct sonde_run *run);
/* Zest's responsibility: the run's features that nobody is responsible for become this tape's; a valid one also takes
 * over from those that are not. Answers how many it got. */
uint32_t sonde_parents_claim(struct sonde_parents *parents, struct sonde_pooled *pooled,
                             const struct sonde_coverage_view *view);
/* Offers a valid run to its niches, of its deeds or, without coverage, of its shape; true if one of them is new. */
bool sonde_parents_offer(struct sonde_parents *parents, const struct sonde_run *run, struct sonde_rng *rng);

/* The newest of a pool, or the one `back` before it; NULL if there is none. */
struct sonde_pooled *sonde_parents_newest(const struct sonde_parents *parents, enum sonde_pool pool, uint32_t back);
/* Counts it as picked; answers what its mutants cost so far, in those of a tape of a few choices. */
double sonde_parents_charge(const struct sonde_parents *parents, struct sonde_pooled *pooled);
/* Of so many drawn at random the one that was picked least; it counts as picked. NULL if there is none. */
struct sonde_pooled *sonde_parents_pick(struct sonde_parents *parents, enum sonde_pool pool, struct sonde_rng *rng,
                                        unsigned rivals);
/* The same among niches, then any member. */
const struct sonde_kept *sonde_parents_pick_niche(struct sonde_parents *parents, struct sonde_rng *rng,
                                                  unsigned rivals);
/* Any valid tape, from niches or the pool; does not count as picked. NULL if there is none. */
const struct sonde_kept *sonde_parents_any(const struct sonde_parents *parents, struct sonde_rng *rng);

#endif
