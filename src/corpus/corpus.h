/* The corpus: every tape that a search keeps, stored once, with the facts known about it (struct sonde_kept of
 * sonde/extend.h).
 *
 * Each user of a tape holds a reference. Tapes are interned: two users that keep the same input hold the same tape. A
 * *view* is a container of references. It has a separate policy for what enters, what is picked and what is dropped.
 * Examples of views: the parents (parents.h), the saved corpus, and the climbers of the guide `target`. An entry of a
 * view has what only the view needs: picks, energy, the things it owns.
 *
 * Memory: each view has a share of what the search may use, and drops entries by its policy when they exceed that. An
 * entry counts in each view that has it, so the corpus takes at most the sum of the shares. Its current memory is in
 * `bytes`.
 *
 * Two tapes are equal if they have the same identity, verdict, choices and bytes. An identity may also come from a
 * trace, or from the user, and several tapes may then have it. A search by identity compares only with the last of
 * them, so another one may be stored twice.
 *
 * Example: a valid run shows new coverage. `cgpt` keeps the tape in its pool and in two niches, and the saved corpus
 * keeps the tape for two locations that it owns. The tape is stored once, with three references, since the two niches
 * share one entry. When the pool drops the tape, two references are left. When the last reference is dropped, the tape
 * is freed. */
#ifndef SONDE_CORPUS_CORPUS_H
#define SONDE_CORPUS_CORPUS_H

#include "base/limit.h"
#include "base/map.h"
#include "tape/tape.h"

enum { SONDE_CORPUS_SPARE = SONDE_LIMIT(16, 1) };

/* All tapes that a search keeps. */
struct sonde_corpus {
    struct sonde_kept **slots; /* NULL: free */
    uint32_t n_slots, cap_slots;
    uint32_t *free; /* numbers of the free slots */
    uint32_t n_free, cap_free;
    struct sonde_map by_identity; /* identity to slot + 1; may be outdated, so the tape in the slot is compared */
    struct sonde_kept
        *spare[SONDE_CORPUS_SPARE]; /* dropped tapes, whose memory is reused: some views replace tapes all the time */
    uint32_t n_spare;
    size_t bytes;  /* memory of the kept tapes */
    uint64_t refs; /* number of references to all tapes */
};

/* Makes an empty corpus. Each search has one, in its heap, which its views (pools, niches, climbers, the saved
 * corpus) share. */
void sonde_corpus_init(struct sonde_corpus *corpus);
/* Frees the corpus; every view must have dropped its references. */
void sonde_corpus_clear(struct sonde_corpus *corpus);
/* Makes the corpus empty without touching its content, which may be damaged. References that are still held can be
 * dropped as usual. */
void sonde_corpus_abandon(struct sonde_corpus *corpus);

/* Adds a reference to a kept tape, and returns the tape. */
struct sonde_kept *sonde_corpus_share(struct sonde_corpus *corpus, struct sonde_kept *kept);

/* Returns the bytes that a kept tape takes, in every view that has it. */
static inline size_t sonde_kept_bytes(const struct sonde_tape *tape)
{
    return sizeof(struct sonde_kept) + sonde_tape_bytes(tape);
}

/* Asserts that the sums of bytes and references are right. Asserts that every slot is free or has a tape with that
 * slot's number, and that every tape has a reference. */
SONDE_CHECKER(sonde_corpus_check, struct sonde_corpus);

#endif
