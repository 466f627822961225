/* A failure as it was found, with its identity. This file alone decides whether two failures are the same bug.
 *
 * Identity. A failed check is identified by its kind, file and line. Two checks in one line count as one bug, and the
 * values with which they fail do not matter. A crash is identified by its kind and the functions on its call path,
 * since addresses and lines change from build to build. While a tape shrinks, the innermost function is enough: the
 * call path to it gets shorter. */
#ifndef SONDE_ENGINE_FOUND_H
#define SONDE_ENGINE_FOUND_H

#include "base/limit.h"
#include "case/case.h"

enum { SONDE_FOUND_OTHERS = 24 }; /* misses inputs that are one in ten of the failing ones in 8 % of the runs */

/* A failure as it was found: its identity, and the smallest tape that showed it. The worker of its search writes the
 * entry; once n_found counts the entry, it writes only `hits`, `smaller` and `others`. Only the supervisor writes
 * `told`, `is_due` and `is_handled`. */
struct sonde_found {
    uint64_t identity;
    struct sonde_tape tape;
    struct sonde_claim claim;
    uint64_t test; /* number of the first case that showed the failure, counted from 1 */
    uint64_t hits;
    uint64_t size; /* size of the first tape that showed the failure */
    /* tapes of the cases before the failing one, oldest first: the failure may depend on state that they left */
    struct sonde_tape *earlier;
    uint32_t n_earlier;
    struct sonde_tape smaller; /* a later, smaller tape of the same failure; empty if there is none */
    bool told;                 /* the failure was reported to the reporters, and stored */
    bool is_due;               /* the failure is to be confirmed, shrunk and shown while the search runs */
    bool is_handled;           /* the failure was confirmed, shrunk and shown while the search ran */
    char *regression;          /* path of the regression file that showed the failure; NULL: none did */
    /* what sonde was doing when a run outside of the search showed the failure; static; otherwise NULL */
    const char *when;
    struct sonde_tape others[SONDE_FOUND_OTHERS]; /* a sample of later tapes of the same failure (--known-in) */
    uint32_t n_others;
};

enum { SONDE_FOUND_MAX = SONDE_LIMIT(256, 2) }; /* maximum number of different failures of a search */

/* Creates the failure of the case that was just run, which has number `test`. `own` is how many cases its worker has
 * run, including this one; earlier cases ran in other workers and left no state in this one. */
struct sonde_found *sonde_found_create(sonde *t, uint64_t test, unsigned long long own);
/* Frees a failure with its tapes. */
void sonde_found_free(struct sonde_found *found);
/* Copies the tape of a failed case. Leaves out draws between a failed expect and the limit that ended the case: their
 * values do not matter. */
void sonde_found_tape(struct sonde_tape *to, sonde *t);
/* Replaces found->earlier by copies of these n tapes. */
void sonde_found_keep_earlier(struct sonde_found *found, const struct sonde_tape *tapes, uint32_t n);
/* Counts a later case that has shown the same failure. */
void sonde_found_again(struct sonde_found *found, sonde *t);
/* Adds the tape of that case to the sample. Each later tape is in it with the same probability. */
void sonde_found_sample(struct sonde_found *found, sonde *t);
/* Returns a copy of a failure. Unless the worker `has_ended`, leaves out the members that the worker may be writing:
 * hits, the smaller tape and the sample. */
struct sonde_found *sonde_found_copy(const struct sonde_found *theirs, bool has_ended);
/* Adds the hits of the same failure in another search, and copies its tape if that is smaller. */
void sonde_found_merge(struct sonde_found *found, const struct sonde_found *theirs);

/* Returns whether a failure in shared memory can be read; `smaller` is not checked while its worker may write it. */
bool sonde_found_is_sound(const struct sonde_found *found, bool has_ended);

/* Returns the identity of the bug that a failure shows. */
uint64_t sonde_claim_identity(const struct sonde_claim *claim);
/* Returns a looser identity for shrinking: the innermost function alone, if it is known. While a tape shrinks, the call
 * path to the crash changes, and the location does not. */
uint64_t sonde_claim_brief(const struct sonde_claim *claim);
/* Returns whether two failures are the same bug. Two hangs are the same if one call path contains the other. */
bool sonde_claim_same(const struct sonde_claim *a, const struct sonde_claim *b);

#endif
