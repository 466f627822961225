/* A view of the corpus: tapes to mutate, selected by two complementary methods.
 *
 * Novelty: a tape that showed something new stays, valid and discarded ones separately. This method drives a search
 * towards new code, but finds less and less. On a small program a hundred tapes show everything that counters can
 * distinguish.
 *
 * Niches: a valid run belongs to the niches of the rarest deeds it did. A deed is a counter that was hit once, twice or
 * more often; it counts among runs of similar length. A niche holds a few tapes that replace each other, small ones
 * more readily than large ones. So its members drift through everything that behaves alike. Picking niches that are
 * rare and were tried little keeps rare behaviour in use, and drift finds differences that counters cannot see. Each
 * range of lengths has separate niches, because shorter tapes would otherwise replace all tapes with behaviour that
 * needs a longer one. A run without counters shows only its shape, so its shape is its deed.
 *
 * (A niche of all runs that hit the same set of counters is too narrow for a program with hundreds of counters.
 * Nearly every run would have a separate niche, and rare behaviour would be lost among them.)
 *
 * Memory is limited: the tapes that were picked most are dropped first.
 *
 * Example of a niche: of 10,000 valid runs three passed counter 17 exactly twice. That deed is among the six rarest
 * of each of them, so they are in the niche (17, twice) of their length class. A new run that does the same replaces
 * one of them now and then, more often if it is smaller. Little was invested in the niche, so it is picked more
 * often than niches of counters that every run passes. */
#ifndef SONDE_CORPUS_PARENTS_H
#define SONDE_CORPUS_PARENTS_H

#include "base/map.h"
#include "corpus/corpus.h"
#include "corpus/owners.h"

enum {
    SONDE_NICHE_TAPES = 4,     /* maximum number of tapes of a niche */
    SONDE_NICHE_CLASSES = 3,   /* classes of a counter in deeds: hit once, twice, more often */
    SONDE_NICHES_MAX = 1 << 14 /* maximum number of niches */
};

/* The pools. COMPARED holds tapes, valid or not, in which only comparisons were new; there are many of these, and each
 * shows little. CHANGED holds tapes that came near changed code (--since). */
enum sonde_pool { SONDE_POOL_VALID, SONDE_POOL_DISCARDED, SONDE_POOL_COMPARED, SONDE_POOL_CHANGED, SONDE_POOL_COUNT };

/* A tape in a pool. */
struct sonde_pooled {
    struct sonde_kept *kept;
    uint64_t picks;
    uint64_t spent;
    double heat;              /* the last result of sonde_parents_charge */
    uint64_t order;           /* number of tapes that had been kept before this one */
    struct sonde_owner owner; /* owner of features; the tape is favoured while it owns a feature */
};

/* A tape in niches. */
struct sonde_resident {
    struct sonde_kept *kept;
    uint32_t homes; /* number of niches that hold the tape */
};

/* A niche. n is at least 1: a niche is created for its first tape, and members are replaced, never just removed. */
struct sonde_niche {
    uint64_t key;
    uint32_t deed; /* the deed of the niche, an index into `hits` */
    uint32_t n;
    uint64_t spent;
    struct sonde_resident *tapes[SONDE_NICHE_TAPES];
    /* Identity and size of each tape, copied because every run is compared with them and the tapes lie scattered in
     * memory. */
    uint64_t identities[SONDE_NICHE_TAPES], sizes[SONDE_NICHE_TAPES];
};

/* The pools and niches of a guide. `limit` is this view's share of the search's memory; `bytes` counts a tape once
 * per entry, even if other views keep it, too. */
struct sonde_parents {
    struct sonde_corpus *corpus; /* borrowed; NULL: tapes are separate copies */
    struct {
        struct sonde_pooled **tapes; /* oldest first */
        uint32_t n, cap;
    } pools[SONDE_POOL_COUNT];
    struct sonde_niche *niches;
    uint32_t n_niches, cap_niches;
    struct sonde_resident *spare; /* memory of an entry that left its last niche, for reuse; may be NULL */
    struct sonde_map by_key;      /* key to the index + 1 of the niche */
    struct sonde_owners owners;   /* the owner of each feature */
    uint32_t *hits; /* hits[deed] is the number of valid runs that did the deed (see the top of this file) */
    uint32_t cap_hits;
    size_t bytes, limit;
    uint64_t kept; /* number of tapes ever kept in pools */
};

/* Makes an empty view. The corpus is borrowed and must outlive the view; `limit` is in bytes, for pools and niches
 * together. */
void sonde_parents_init(struct sonde_parents *parents, struct sonde_corpus *corpus, size_t limit);
/* Drops all tapes and frees the memory. */
void sonde_parents_clear(struct sonde_parents *parents);

/* Asserts that the sum of bytes is right, and that every niche is found by its key. Asserts that a tape is in one pool
 * or in as many niches as it counts, and owns as many features as it counts. */
SONDE_CHECKER(sonde_parents_check, struct sonde_parents);

/* Keeps the tape of a run for what is new in it. Returns NULL if the tape is too large for the view. The entry lives
 * until make_room drops it, at the earliest at the next keep or offer. */
struct sonde_pooled *sonde_parents_keep(struct sonde_parents *parents, enum sonde_pool pool,
                                        const struct sonde_run *run);
/* Makes the tape the owner of the run's features that have no owner; a valid tape also takes over from discarded
 * ones. Returns how many features the tape then owns. (Zest's responsibility.) */
uint32_t sonde_parents_claim(struct sonde_parents *parents, struct sonde_pooled *pooled,
                             const struct sonde_coverage_view *view);
/* Offers a valid run to the niches of its deeds, or, without coverage, of its shape. Returns whether one of these
 * niches is new. */
bool sonde_parents_offer(struct sonde_parents *parents, const struct sonde_run *run, struct sonde_rng *rng);

/* Returns the tape of a pool that is `back` tapes older than the newest; NULL if there is none. */
struct sonde_pooled *sonde_parents_newest(const struct sonde_parents *parents, enum sonde_pool pool, uint32_t back);
/* Returns the cost of the mutants of a tape so far, in units of a mutant of a small tape. */
double sonde_parents_heat(const struct sonde_pooled *pooled);
/* Counts the tape as picked. Returns the new cost of its mutants, as sonde_parents_heat does. */
double sonde_parents_charge(struct sonde_pooled *pooled);
/* Picks the least picked of `rivals` tapes drawn at random; it counts as picked. NULL if there is none. */
struct sonde_pooled *sonde_parents_pick(struct sonde_parents *parents, enum sonde_pool pool, struct sonde_rng *rng,
                                        unsigned rivals);
/* Picks a niche in the same manner, then any member; NULL if there is none. */
const struct sonde_kept *sonde_parents_pick_niche(struct sonde_parents *parents, struct sonde_rng *rng,
                                                  unsigned rivals);
/* Returns any valid tape, from niches or the pool, without counting it as picked. If there is no valid tape, returns
 * a discarded one; NULL if there is neither. */
const struct sonde_kept *sonde_parents_any(const struct sonde_parents *parents, struct sonde_rng *rng);

#endif
