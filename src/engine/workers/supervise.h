/* Searches in workers, several side by side: each is a job of a crew (engine/workers/crew.h), which knows the workers; this knows what the end of
 * one means for its search. The engine hears of what is found while the searches go on.
 *
 *     supervisor  --starts-->  worker of job 0: the loop of its search
 *                 --starts-->  worker of job 1, and so on
 *                 --starts-->  the worker of single cases (single.h), while job 0 pauses or after the searches
 *
 * Each job has a heap of its own, so a worker that goes wild damages the knowledge of its own search at most. */
#ifndef SONDE_ENGINE_SUPERVISE_H
#define SONDE_ENGINE_SUPERVISE_H

#include "base/heap.h"
#include "engine/workers/single.h"

/* Who is told of what happens. All but `settle` and a final `keep` are called while workers run, outside of their heaps. */
struct sonde_watchers {
    /* A failure that is new; may be NULL. */
    void (*found)(void *user, struct sonde_search *search, struct sonde_found *found);
    /* Now and then; may be NULL. */
    void (*progress)(void *user, const struct sonde_stats *stats, const struct sonde_outlook *outlook);
    /* Where failures are to be dealt with as they come: one that `found` was told of; single cases can be run meanwhile, since the
     * first search has paused. NULL: they are left for the end. */
    void (*settle)(void *user, struct sonde_search *search, struct sonde_found *found);
    /* A snapshot is ready; or a search has ended, for good. May be NULL. */
    void (*keep)(void *user, struct sonde_search *search, bool has_ended);
    /* Whether a failure may be settled by now; NULL: always. */
    bool (*may_settle)(void *user, const struct sonde_found *found);
    /* Some fifty times a second; `has_read`: all that came to `post` has been read. NULL: nothing is to be done. */
    void (*round)(void *user, bool has_read);
    const struct sonde_outbox *post; /* tapes from outside of the run, which all jobs are to run; NULL: none come */
    void *user;
};

/* How much shared memory a search needs. */
size_t sonde_supervise_room(const struct sonde_options *options);
/* Runs the search of `single` to its end, with others beside it if the options say so, in workers or here. The others are added to it
 * in the end. */
void sonde_supervise(struct sonde_single *single, const struct sonde_watchers *watchers);
/* The search whose worker was last looked at, and its heap: where to look when memory proves to be damaged. NULL: none was. */
struct sonde_search *sonde_supervise_tended(struct sonde_heap **heap);
/* From now on it is this one, in the present heap; NULL: none. */
void sonde_supervise_tend(struct sonde_search *search);

#endif
