/* Which checks, assumes and covers a property reached, and how often: what says how much an `ok` is worth.
 *
 * Each place has a constant record in the program (struct sonde_site_ of sonde.h), whose address is its name: it is the same in all
 * workers of a run. The table lies in the case, in memory that outlives the worker. A case first counts for itself; its counts are
 * added up when its verdict is known, because a check in a discarded case has checked nothing. */
#ifndef SONDE_CASE_SITES_H
#define SONDE_CASE_SITES_H

#include "base/limit.h"

#include <sonde.h>
#include <stdatomic.h>

enum { SONDE_SITES = SONDE_LIMIT(1024, 64) }; /* a power of two; further ones are counted without their place */

/* 64 bytes: the fast path finds an entry by a shift. */
struct sonde_reached_site {
    _Atomic(const struct sonde_site_ *) site; /* NULL: free. Another process may lack the library that it is in */
    atomic_uint now;                          /* times in this case; 0: not yet, and it is not among `touched` */
    unsigned rejected_now;                    /* of an assume: times in this case that it did not hold */
    int kind;                                 /* as the site has it */
    uint64_t counted;                         /* times in cases that count: valid or failed ones */
    uint64_t all;                             /* times in cases of any verdict */
    uint64_t rejected;                        /* of those: times that it did not hold */
    uint64_t unused[2];
};

/* What fails on purpose: how often it was asked for, and how often a call was made that could have failed. */
enum sonde_failing_kind { SONDE_FAILING_CALLS, SONDE_FAILING_PROCESS, SONDE_FAILING_MEMORY, SONDE_FAILING_KINDS };
struct sonde_failing_count {
    uint64_t armed, met;
};

/* Threads of a property may count at once: counts may then be too low, but never 0. */
struct sonde_reach {
    struct sonde_reached_site sites[SONDE_SITES];
    atomic_uint n_touched;         /* sites of this case: the first of `touched`, at most SONDE_SITES */
    uint16_t touched[SONDE_SITES]; /* indices */
    uint64_t more;                 /* checks without a place: of sonde_together and sonde_threads, or without room */
    atomic_uint more_now;
    struct sonde_failing_count failing[SONDE_FAILING_KINDS];
    uint64_t oom_drawn;        /* of sonde_oom, in this case */
    struct sonde_reach *outer; /* of the case that this one runs in; NULL: none */
    bool is_partial;           /* counts were lost: nothing is said about what was not reached */
    bool is_shared;            /* several processes may count at once */
};

/* Begins a case: what this process reaches from now on is counted in `r`, until sonde_reached_end, which restores the table
 * that was in use before (a property may run another one). */
void sonde_reached_begin(struct sonde_reach *r);
void sonde_reached_end(struct sonde_reach *r);
/* From here on no allocation fails; notes whether the code under test made one that could have. */
void sonde_oom_end(sonde *t);
/* In a process that the property forked, whose memory the worker does not see: counts in `shared` from now on. In the worker, _adopt adds
 * what children counted there to the case in `r`, and empties it. */
void sonde_reached_share(struct sonde_reach *shared);
void sonde_reached_adopt(struct sonde_reach *r, struct sonde_reach *shared);
/* Counts a check that has no place in the property, such as "these threads do not deadlock". */
void sonde_reached_more(void);
/* Counts that the assume at this place, which the running case reached, does not hold. */
void sonde_reached_reject(struct sonde_reach *r, const char *file, int line, const char *text);
/* Adds up the counts of the case that has ended. */
void sonde_reached_commit(struct sonde_reach *r, bool counts);
/* Adds up the table of another job. */
void sonde_reached_merge(struct sonde_reach *r, const struct sonde_reach *other);

#endif
