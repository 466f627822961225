/* Runs searches in worker processes, several side by side, and reports what happens as events. Each search has a
 * separate heap, so a worker that writes to wild addresses damages the knowledge of one search at most.
 *
 *     supervisor  --starts-->  worker of job 0: the loop of its search (job.h)
 *                 --starts-->  worker of job 1, and so on
 *                 --starts-->  the worker of single cases (single.h), while job 0 pauses or after the searches
 *
 * The caller asks for one event after the other, until there is none:
 *
 *     struct sonde_watch *watch = sonde_supervise_begin(single, NULL);
 *     while (sonde_supervise_next(watch, &happening)) switch (happening.kind) { ... }
 *     sonde_supervise_end(watch);
 *
 * Call all of these outside of every heap. Workers run while the caller handles an event.
 *
 * Promises between a worker and its supervisor. They share one heap per search and communicate only through it, without
 * pipes or locks.
 *
 * The worker promises:
 * - It alone writes the heap while it runs, except `asked` and the few flags that the supervisor owns (found.h).
 * - It reads `asked` between two cases: `pause` and `sender` after each case, `stop` about every millisecond (stop.h).
 * - A failure is complete before `n_found` counts it, and a snapshot is complete before it is READY. The supervisor
 *   never sees data that the worker had not finished when it died.
 * - It counts each case when the case begins (`started`): this counter is its heartbeat.
 * - When it leaves on purpose, it first writes why (`left`), then that the end was intended (`death->finished`).
 *
 * The supervisor promises:
 * - While a worker runs, it reads only what can be read at any time. That is `n_found` and the entries below it, a
 *   READY snapshot, single words such as counters, and the notebook. Copies of the notebook detect concurrent writes.
 * - It never waits for one worker in particular, so a worker that hangs delays no other.
 * - It kills a worker if a case exceeds a limit of time or memory.
 * - When the kernel has reported the end of a worker, it may use the heap. An end that was not intended is a failure of
 *   the case that was running. If no case was running, sonde's own data may be half written, and guides start over.
 * - It then starts a new worker, which continues with the next case. No case needs data of an unfinished one.
 *
 * Neither can promise that the code under test leaves the heap alone. So the supervisor checks each count and pointer
 * before using it (sonde_damage_*). It trusts the wait status, which no worker can write, more than the heap. */
#ifndef SONDE_ENGINE_SUPERVISE_H
#define SONDE_ENGINE_SUPERVISE_H

#include "engine/workers/single.h"

/* Kinds of events. */
enum sonde_happening_kind {
    /* sent about fifty times a second; `has_read`: all tapes in the outbox `post` have been read */
    SONDE_HAPPENED_TURN,
    SONDE_HAPPENED_PROGRESS, /* sent about ten times a second, with `stats` and `outlook` of all searches */
    SONDE_HAPPENED_FOUND,    /* `search` has found a failure that is new to it */
    SONDE_HAPPENED_SNAPSHOT, /* the snapshot of `search` is ready */
    /* the caller can handle `found` now, which it had marked `is_due`: job 0 has paused, so single cases can run */
    SONDE_HAPPENED_DUE,
    SONDE_HAPPENED_END /* `search` has ended and will not be started again */
};

/* An event. Its pointers are borrowed until the next call. */
struct sonde_happening {
    enum sonde_happening_kind kind;
    struct sonde_search *search;
    struct sonde_found *found;
    const struct sonde_stats *stats;
    const struct sonde_outlook *outlook;
    bool has_read;
};

struct sonde_watch;

/* Returns how much shared memory a search needs. */
size_t sonde_supervise_room(const struct sonde_options *options);
/* Starts the search of `single`, and others beside it if the options ask for several jobs. Returns the watch, which
 * sonde_supervise_end frees. `post`, borrowed until then, has tapes from outside of the run for all jobs to run; NULL:
 * there are none. */
struct sonde_watch *sonde_supervise_begin(struct sonde_single *single, const struct sonde_outbox *post);
/* Waits for the next event. Returns false when all searches have ended; by then all have been merged into the
 * first. */
bool sonde_supervise_next(struct sonde_watch *watch, struct sonde_happening *happening);
/* Frees the watch, after sonde_supervise_next has returned false. */
void sonde_supervise_end(struct sonde_watch *watch);
/* Writes a snapshot of what is new in a search that has ended, for the store. */
void sonde_supervise_take_snapshot(struct sonde_search *search);

/* Returns the search whose worker was checked last: if memory proves to be damaged, that search is blamed. NULL: no
 * worker was checked yet. */
struct sonde_search *sonde_supervise_last_checked(void);
/* Makes this search the one that sonde_supervise_last_checked returns. */
void sonde_supervise_set_last_checked(struct sonde_search *search);

#endif
