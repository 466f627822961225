/* Counts how often a property reached each of its checks, assumes and covers. The counts show how much an `ok` is
 * worth.
 *
 * Each location has a constant record in the program (struct sonde_site_ of sonde.h). The address of the record
 * identifies it and is the same in all workers of a run. The table is part of the case, in memory that outlives the
 * worker. The counts of a case are added to the totals only when its verdict is known: a check in a discarded case has
 * checked nothing. */
#ifndef SONDE_CASE_SITES_H
#define SONDE_CASE_SITES_H

#include "base/limit.h"

#include <sonde.h>
#include <stdatomic.h>

enum { SONDE_SITES = SONDE_LIMIT(1024, 64) }; /* a power of two; further sites are counted together, in `more` */

/* The counts of one site. 64 bytes: the fast path finds an entry by a shift. */
struct sonde_reached_site {
    _Atomic(const struct sonde_site_ *) site; /* NULL: free slot; other processes may lack the site's library */
    atomic_uint now;                          /* times reached in this case; if 0, the site is not in `touched` */
    unsigned rejected_now;                    /* for an assume: how often it did not hold in this case */
    int kind;                                 /* copy of the site's kind */
    uint64_t counted;                         /* times reached in valid or failed cases */
    uint64_t all;                             /* times reached in cases of any verdict */
    uint64_t rejected;                        /* for an assume: how often it did not hold, in cases of any verdict */
    uint64_t unused[sizeof(void *) == 8 ? 2 : 3];
};

/* Kinds of injected failures: sonde_faults; sonde_crash and sonde_power_cut; sonde_oom. */
enum sonde_failing_kind { SONDE_FAILING_CALLS, SONDE_FAILING_PROCESS, SONDE_FAILING_MEMORY, SONDE_FAILING_KINDS };
/* Counts for one kind: how often it was armed, and how often the code made a call that could have failed. */
struct sonde_failing_count {
    uint64_t armed, met;
};

/* The table of sites. Threads of a property may count concurrently: counts may then be too low, but never 0. */
struct sonde_reach {
    struct sonde_reached_site sites[SONDE_SITES];
    atomic_uint n_touched; /* length of `touched`: number of sites that this case reached, at most SONDE_SITES */
    uint16_t touched[SONDE_SITES]; /* indices into `sites` */
    uint64_t more; /* number of checks without an entry: of sonde_together, of sonde_threads, or beyond a full table */
    atomic_uint more_now;
    struct sonde_failing_count failing[SONDE_FAILING_KINDS];
    uint64_t oom_drawn;        /* number that sonde_oom drew in this case */
    struct sonde_reach *outer; /* table of the enclosing case, whose property runs this one; NULL: none */
    bool is_partial;           /* counts were lost, so unreached sites are not reported */
    bool is_shared;            /* several processes may count concurrently */
};

/* Begins a case: counts what this process reaches from now on in `r`, until sonde_reached_end. sonde_reached_end
 * restores the table that was in use before, since a property may run another property. */
void sonde_reached_begin(struct sonde_reach *r);
void sonde_reached_end(struct sonde_reach *r);
/* Stops failing allocations, and notes whether the code under test made an allocation that could have failed. */
void sonde_oom_end(sonde *t);
/* Counts in `shared` from now on. Called in a process that the property forked, whose memory the worker does not see.
 * In the worker, sonde_reached_adopt adds what children counted there to the case in `r` and empties `shared`. */
void sonde_reached_share(struct sonde_reach *shared);
/* Adds the counts of `shared` to the running case, and empties `shared`; see sonde_reached_share. */
void sonde_reached_adopt(struct sonde_reach *r, struct sonde_reach *shared);
/* Counts a check that has no site in the property, such as "these threads do not deadlock". */
void sonde_reached_more(void);
/* Counts a failure of the assume at this location, which the running case reached. */
void sonde_reached_reject(struct sonde_reach *r, const char *file, int line, const char *text);
/* Adds the counts of the case that has ended to the totals. `counts`: the case was valid or failed, so its checks count
 * as evaluated. */
void sonde_reached_commit(struct sonde_reach *r, bool counts);
/* Adds the totals of another job's table to `r`. */
void sonde_reached_merge(struct sonde_reach *r, const struct sonde_reach *other);

#endif
