/* Searches in workers, several side by side, each in a heap of its own: a worker that goes wild damages the knowledge of its own search at
 * most.
 *
 *     supervisor  --starts-->  worker of job 0: the loop of its search (job.h)
 *                 --starts-->  worker of job 1, and so on
 *                 --starts-->  the worker of single cases (single.h), while job 0 pauses or after the searches
 *
 * The caller asks for what has happened, one event after the other, until there is none:
 *
 *     struct sonde_watch *watch = sonde_supervise_begin(single, NULL);
 *     while (sonde_supervise_next(watch, &happening)) switch (happening.kind) { ... }
 *     sonde_supervise_end(watch);
 *
 * All of this is called outside of every heap. Workers run while the caller deals with an event. */
#ifndef SONDE_ENGINE_SUPERVISE_H
#define SONDE_ENGINE_SUPERVISE_H

#include "engine/workers/single.h"

enum sonde_happening_kind {
    SONDE_HAPPENED_TURN, /* some fifty times a second; `has_read`: all that came to the outbox `post` has been read */
    SONDE_HAPPENED_PROGRESS, /* now and then: `stats` and `outlook` of all searches */
    SONDE_HAPPENED_FOUND,    /* `search` has found a failure that is new to it */
    SONDE_HAPPENED_SNAPSHOT, /* that of `search` is ready */
    SONDE_HAPPENED_DUE, /* `found`, which the caller has set `is_due` of: single cases can be run now, since job 0 has paused */
    SONDE_HAPPENED_END /* `search` has ended, for good */
};

/* Borrows what it points to until the next call. */
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
/* Starts the search of `single`, with others beside it if the options say so. `post`: tapes from outside of the run, which all jobs are
 * to run; NULL: none come. */
struct sonde_watch *sonde_supervise_begin(struct sonde_single *single, const struct sonde_outbox *post);
/* Waits for the next event. False when all searches have ended; then the others have been added to the first. */
bool sonde_supervise_next(struct sonde_watch *watch, struct sonde_happening *happening);
void sonde_supervise_end(struct sonde_watch *watch);
/* Has a search that has ended write down what is new in it, for those who keep it. */
void sonde_supervise_take_snapshot(struct sonde_search *search);

/* Returns the search whose worker was last looked at: where to look when memory proves to be damaged. NULL: none was. */
struct sonde_search *sonde_supervise_tended(void);
/* From now on it is this one. */
void sonde_supervise_tend(struct sonde_search *search);

#endif
