/* Single cases, one at a time on demand: for examples, replays, shrinking and confirming. They run in a worker of their own, or here
 * where there is no isolation; what died on the way is an ordinary failure by the time the caller hears of it. */
#ifndef SONDE_ENGINE_SINGLE_H
#define SONDE_ENGINE_SINGLE_H

#include "base/heap.h"
#include "engine/search/search.h"

struct sonde_single {
    struct sonde_search *search; /* whose cases they are, in whose memory */
    struct sonde_runner runner;
    struct sonde_death *death; /* of the runner */
    atomic_uint *bell;         /* rung by everything that a worker does; shared */
    bool isolated;
    bool checks_leaks; /* single cases that leak have failed; each in a fresh worker: a leak is found again and again */
    bool awaits_children; /* single cases whose child comes back after their end have failed */
    int capture;          /* descriptor of what the code under test printed while it was shown; -1: none */
};

/* ---- Heaps. This process allocates with the C library, except between these two: from the heap that `of` lies in, which must have no
 * worker. What a worker reads or writes must lie there. Returns the heap before, for sonde_single_leave. Where `of` lies in no heap,
 * there is no isolation, and nothing changes. */
struct sonde_heap *sonde_single_enter(const void *of);
void sonde_single_leave(struct sonde_heap *before);

/* In the heap of the search, whose case is the one that is run: no worker of the search may be at work meanwhile. */
void sonde_single_init(struct sonde_single *v, struct sonde_search *search);
void sonde_single_clear(struct sonde_single *v);
/* Runs scripts in a row, the last one counts, in isolation as asked for. What it showed is in search->t. `identity` is
 * that of sonde_claim_brief; 0: any failure. */
bool sonde_single_fails(struct sonde_single *v, const struct sonde_tape *const *scripts, uint32_t n, bool fresh,
                        uint64_t identity);
/* After that, where it was not a test: as sonde_search_meet. */
void sonde_single_meet(struct sonde_single *v, const char *when);
/* From now on, notes what the last script's case compares (runner.coverage), or no longer does. */
void sonde_single_compare(struct sonde_single *v, bool is_on);
/* Of those scripts, the tape that the one so many before the last has made; NULL if it is no longer known. */
struct sonde_tape *sonde_single_ran(struct sonde_single *v, uint32_t before_last);
/* Runs scripts in a row and counts the last like any case of the search. A failure that it is the first to show is
 * `regression`'s, which is a file, or NULL. With `is_led`, one that is valid is left to the search, which runs it again and
 * counts it then; true if that is so. */
bool sonde_single_example(struct sonde_single *v, const struct sonde_tape *const *scripts, uint32_t n,
                          const char *regression, bool is_led);
/* What the code under test printed in the last shown run, whole lines of it, heap-allocated; *left_out is the number of
 * bytes for which there was no room. */
char *sonde_single_output(struct sonde_single *v, uint64_t *left_out);

#endif
