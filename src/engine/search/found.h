/* A failure as it was found, with its identity. This file alone decides whether two failures are the same bug.
 *
 * Identity. A failed check is identified by its kind, file and line. Two checks in one line count as one bug, and the
 * values that break it do not matter. A crash is identified by its kind and the functions around it, since addresses
 * and lines change from build to build. While a tape shrinks, the innermost function is enough: the call path to it
 * gets shorter. */
#ifndef SONDE_ENGINE_FOUND_H
#define SONDE_ENGINE_FOUND_H

#include "base/limit.h"
#include "case/case.h"

/* A failure as it was found: its identity, and the smallest tape that showed it. The worker of its search writes the
 * entry; after n_found was raised, it writes only hits and smaller. told, is_due and is_handled are the
 * supervisor's. */
struct sonde_found {
    uint64_t identity;
    struct sonde_tape tape;
    struct sonde_claim claim;
    uint64_t test; /* number of the first case that showed it, from 1 */
    uint64_t hits;
    uint64_t size; /* of the first tape */
    /* tapes of the cases before it, oldest first: it may depend on state that they left */
    struct sonde_tape *earlier;
    uint32_t n_earlier;
    struct sonde_tape smaller; /* a later, smaller tape of the same failure; empty if there is none */
    bool told;                 /* reported to listeners, and stored */
    bool is_due;               /* is to be confirmed, shrunk and shown while the search runs */
    bool is_handled;           /* was confirmed, shrunk and shown while the search ran */
    char *regression;          /* the regression file that showed it; NULL: none */
    const char *when;          /* what sonde was doing, if no case of the search showed it; static; otherwise NULL */
};

enum { SONDE_FOUND_MAX = SONDE_LIMIT(256, 2) };

/* Creates the failure of the case that was just run, which has number `test`. `own` is how many cases its worker has
 * run, this one included; cases before those left no state in the worker. */
struct sonde_found *sonde_found_create(sonde *t, uint64_t test, unsigned long long own);
void sonde_found_free(struct sonde_found *found);
/* Copies the tape of a failed case. Leaves out what was drawn between a failed expect and the limit that ended the
 * case: any values would do there. */
void sonde_found_tape(struct sonde_tape *to, sonde *t);
/* Replaces found->earlier by copies of these n tapes. */
void sonde_found_keep_earlier(struct sonde_found *found, const struct sonde_tape *tapes, uint32_t n);
/* Counts a later case that has shown the same failure. */
void sonde_found_again(struct sonde_found *found, sonde *t);
/* Returns a copy. Unless the worker `has_ended`, leaves out what the worker may be writing: hits and the smaller
 * tape. */
struct sonde_found *sonde_found_copy(const struct sonde_found *theirs, bool has_ended);
/* Adds the hits of the same failure in another search, and takes its tape if that is smaller. */
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
