/* Supervision: the search in worker processes, several side by side, and single cases in a runner. The engine asks for
 * a search and for verdicts; what died on the way is an ordinary failure by the time it hears of it. */
#ifndef SONDE_ENGINE_SUPERVISE_H
#define SONDE_ENGINE_SUPERVISE_H

#include "engine/search.h"
#include "exec/worker.h"

enum { SONDE_JOBS_MAX = 64 };

struct sonde_supervisor {
    struct sonde_search *search; /* the first; the others are added to it in the end */
    struct sonde_runner runner;
    struct sonde_death *death; /* of the runner */
    atomic_uint *bell;         /* rung by everything that a worker does; shared */
    bool isolated;
    bool checks_leaks; /* single cases that leak have failed; each in a fresh worker: a leak is found again and again */
    bool awaits_children; /* single cases whose child comes back after their end have failed */
    int capture;          /* descriptor of what the code under test printed while it was shown; -1: none */
    /* Told while the search runs; may be NULL. */
    void (*found)(struct sonde_supervisor *supervisor, struct sonde_search *search, struct sonde_found *found,
                  void *user);
    void (*progress)(struct sonde_supervisor *supervisor, const struct sonde_stats *stats,
                     const struct sonde_outlook *outlook, void *user);
    /* Where failures are to be dealt with as they come: one that `found` was told of; single cases can be run meanwhile,
     * since the first search has paused. NULL: they are left for the end. */
    void (*settle)(struct sonde_supervisor *supervisor, struct sonde_search *search, struct sonde_found *found,
                   void *user);
    /* A snapshot is ready; or a search has ended, for good. */
    void (*keep)(struct sonde_supervisor *supervisor, struct sonde_search *search, bool has_ended, void *user);
    void *user;
};

/* How much shared memory a search needs. */
size_t sonde_supervisor_room(const struct sonde_options *options);

void sonde_supervisor_init(struct sonde_supervisor *v, struct sonde_search *search);
void sonde_supervisor_clear(struct sonde_supervisor *v);
/* Runs the search to its end, in workers or here. */
void sonde_supervisor_search(struct sonde_supervisor *v);
/* Runs scripts in a row, the last one counts, in isolation as asked for. What it showed is in search->t. `identity` is
 * that of sonde_claim_brief; 0: any failure. */
bool sonde_supervisor_fails(struct sonde_supervisor *v, const struct sonde_tape *const *scripts, uint32_t n, bool fresh,
                            uint64_t identity);
/* Of those scripts, the tape that the one so many before the last has made; NULL if it is no longer known. */
struct sonde_tape *sonde_supervisor_ran(struct sonde_supervisor *v, uint32_t before_last);
/* Runs scripts in a row and counts the last like any case of the search. A failure that it is the first to show is
 * `regression`'s, which is a file, or NULL. */
void sonde_supervisor_example(struct sonde_supervisor *v, const struct sonde_tape *const *scripts, uint32_t n,
                              const char *regression);
/* The search whose worker was last looked at, and its heap: where to look when memory proves to be damaged. */
struct sonde_search *sonde_supervisor_tended(struct sonde_heap **heap);
/* What the code under test printed in the last shown run, whole lines of it, heap-allocated; *left_out is the number of
 * bytes for which there was no room. */
char *sonde_supervisor_output(struct sonde_supervisor *v, uint64_t *left_out);

#endif
