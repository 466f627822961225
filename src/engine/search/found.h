/* What was found: a failure with what tells it from others. Two claims are one bug or two, which is asked here alone.
 *
 * Identity. A claim is known by its kind, file and line: two claims in one line are one bug, and the values that
 * break it do not matter. A crash is known by its kind and the functions around it, since addresses and lines
 * change from build to build. While a tape shrinks, the innermost function is enough: the way to it gets shorter. */
#ifndef SONDE_ENGINE_FOUND_H
#define SONDE_ENGINE_FOUND_H

#include "base/limit.h"
#include "case/case.h"

/* A failure as it was found: what tells it from others, and the smallest tape that showed it. Only the
 * worker of its search writes an entry, after n_found was raised only hits and smaller; told,
 * is_due and settled are the supervisor's. */
struct sonde_found {
    uint64_t identity;
    struct sonde_tape tape;
    struct sonde_claim claim;
    uint64_t test; /* number of the first test that showed it, from 1 */
    uint64_t hits;
    uint64_t size;              /* of the first tape */
    struct sonde_tape *earlier; /* tapes of the cases before it, oldest first: it may depend on what they left behind */
    uint32_t n_earlier;
    struct sonde_tape smaller; /* a later, smaller tape of the same failure; empty if there is none */
    bool told;                 /* listeners know, the store has it */
    bool is_due;               /* is to be confirmed, shrunk and shown while the search goes on */
    bool settled;              /* was confirmed, shrunk and shown while the search went on */
    char *regression;          /* the file that showed it, if one did; else NULL */
    const char *when;          /* what sonde was doing, if it was no test that showed it; static; else NULL */
};

enum { SONDE_FOUND_MAX = SONDE_LIMIT(256, 2) };

/* The failure of the case that was just run, which is test number `test`. `own` is how many cases its worker has run, this one
 * included: those before them left no state in it. */
struct sonde_found *sonde_found_create(sonde *t, uint64_t test, unsigned long long own);
void sonde_found_free(struct sonde_found *found);
/* Copies the tape of a case that has failed, without what it drew between a failed expect and the limit that ended it: that is free. */
void sonde_found_tape(struct sonde_tape *to, sonde *t);
/* Puts copies of these n tapes in the place of found->earlier. */
void sonde_found_keep_earlier(struct sonde_found *found, const struct sonde_tape *tapes, uint32_t n);
/* A later case has shown the same. */
void sonde_found_again(struct sonde_found *found, sonde *t);
/* Returns a copy. Unless the worker `has_ended`, it leaves out what that may be writing: hits and the smaller tape. */
struct sonde_found *sonde_found_copy(const struct sonde_found *theirs, bool has_ended);
/* Adds the hits of another search's, and takes its tape if that is smaller. */
void sonde_found_merge(struct sonde_found *found, const struct sonde_found *theirs);

/* Returns whether a failure in shared memory can be read; `smaller` is left out while its worker may write it. */
bool sonde_found_is_sound(const struct sonde_found *found, bool has_ended);

/* Which bug a claim is about; and the looser question that shrinking asks. */
uint64_t sonde_claim_identity(const struct sonde_claim *claim);
/* By the innermost function alone, where it is known: while a tape shrinks, the way to the crash
 * changes, and the place does not. */
uint64_t sonde_claim_brief(const struct sonde_claim *claim);
/* Whether two claims are about one bug: hangs are when the way to one of them is a part of the way to the other. */
bool sonde_claim_same(const struct sonde_claim *a, const struct sonde_claim *b);

#endif
