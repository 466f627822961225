/* The corpus: every tape that a search keeps, once, with what is known of it (struct sonde_kept of sonde/extend.h).
 *
 * Who keeps a tape holds a reference; tapes are interned, so two that keep the same input hold the same tape. Everything that
 * selects is a *view*: a container of references with a policy of its own for what enters, what is picked and what goes
 * (parents.h, harvest.h; climbers and seeds of `target`, the selection of `seeded`, queues of the baselines). An entry of a view has what
 * only the view needs: picks, energy, what it owns.
 *
 * Memory: a view has its part of what the search may use, and lets go by its own policy when its entries exceed that. An entry
 * counts in each view that has it, so the corpus takes at most the sum of the parts; `bytes` is what it takes.
 *
 * Equal means: the same identity, verdict, choices and bytes. An identity may also be that of a trace, or the user's; then
 * it finds the last tape that had it, which within one run is the right one.
 *
 * Example: a valid run shows new coverage. `cgpt` keeps it in its pool and in two niches, the harvest keeps it for
 * two places that it owns. The tape is there once, with three references: the two niches share one entry. When
 * the pool drops it, two are left; when the last one goes, so does the tape. */
#ifndef SONDE_CORPUS_CORPUS_H
#define SONDE_CORPUS_CORPUS_H

#include "base/limit.h"
#include "base/map.h"
#include "tape/tape.h"

enum { SONDE_CORPUS_SPARE = SONDE_LIMIT(16, 1) };

struct sonde_corpus {
    struct sonde_kept **slots; /* NULL: free */
    uint32_t n_slots, cap_slots;
    uint32_t *free; /* slots */
    uint32_t n_free, cap_free;
    struct sonde_map by_identity; /* slot + 1; may be out of date, so the tape there is looked at */
    struct sonde_kept
        *spare[SONDE_CORPUS_SPARE]; /* dropped: their memory is used again, for views that replace tapes all the time */
    uint32_t n_spare;
    size_t bytes;  /* of the tapes that are kept */
    uint64_t refs; /* to all of them */
};

/* Empty; one for each search, in its heap. Views (pools, niches, climbers, the harvest) share it. */
void sonde_corpus_init(struct sonde_corpus *corpus);
/* When every view has given back its references. */
void sonde_corpus_clear(struct sonde_corpus *corpus);
/* Begins anew without touching what it has, which may be damaged. References that are still held can be given back. */
void sonde_corpus_abandon(struct sonde_corpus *corpus);

/* What a kept tape takes, in every view that has it. */
static inline size_t sonde_kept_bytes(const struct sonde_tape *tape)
{
    return sizeof(struct sonde_kept) + sonde_tape_bytes(tape);
}

/* The sums of bytes and references are right; every slot is free or has a tape that says so; no tape is without a reference. */
SONDE_CHECKER(sonde_corpus_check, struct sonde_corpus);

#endif
