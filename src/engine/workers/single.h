/* Single cases, one at a time on demand: for examples, replays, shrinking and confirming. They run in a separate
 * worker, or in this process if there is no isolation. If that worker dies, the caller sees an ordinary failure. */
#ifndef SONDE_ENGINE_SINGLE_H
#define SONDE_ENGINE_SINGLE_H

#include "base/heap.h"
#include "engine/search/search.h"

/* The means to run single cases of a search. */
struct sonde_single {
    struct sonde_search *search; /* the search that the cases belong to, and whose memory they use */
    struct sonde_runner runner;
    struct sonde_death *death; /* how the runner's worker died */
    atomic_uint *bell;         /* shared with workers; rung when a runner has replied or a worker has ended */
    bool isolated;
    /* A single case that leaks counts as failed. Each case then runs in a fresh worker, because a leak checker reports
     * the same leak again and again. */
    bool checks_leaks;
    /* a single case whose child process returns after the case has ended counts as failed */
    bool awaits_children;
    int capture; /* descriptor of a file with the output of the last shown run; -1: none */
};

/* ---- Heaps. This process allocates with the C library, except between these two calls. Between them, it allocates
 * from the heap that contains `of`, which must have no worker. All data that a worker reads or writes must be in its
 * heap. Returns the previous heap, for sonde_single_leave. If `of` is in no heap, there is no isolation, and nothing
 * changes. */
struct sonde_heap *sonde_single_enter(const void *of);
/* Makes the heap that sonde_single_enter returned the current one again. */
void sonde_single_leave(struct sonde_heap *before);

/* Sets up single cases; called in the heap of the search. They use the search's case, so no worker of the search may
 * run meanwhile. */
void sonde_single_init(struct sonde_single *v, struct sonde_search *search);
/* Stops the worker of single cases, and frees what sonde_single_init has made. */
void sonde_single_clear(struct sonde_single *v);
/* Runs scripts in a row, isolated as the options ask; only the last one counts. Returns whether the last script failed
 * with `identity`, which comes from sonde_claim_brief; 0: with any failure. search->t has the case of that script. */
bool sonde_single_fails(struct sonde_single *v, const struct sonde_tape *const *scripts, uint32_t n, bool fresh,
                        uint64_t identity);
/* Records a failure or misuse of the last run, as sonde_search_keep_finding does; for runs outside of the search. */
void sonde_single_keep_finding(struct sonde_single *v, const char *when);
/* Turns recording of the last script's comparisons (runner.coverage) on or off. */
void sonde_single_compare(struct sonde_single *v, bool is_on);
/* Returns the tape that a script of the last run made, counted back from the last script; NULL if it is no longer
 * known. */
struct sonde_tape *sonde_single_ran(struct sonde_single *v, uint32_t before_last);
/* Runs scripts in a row and counts the last one like any case of the search. If that is the first case to show a
 * failure, `regression` (a file, or NULL) is recorded as its origin. With `is_led`, a valid case is not counted,
 * because the search will run and count it again; returns true then. */
bool sonde_single_example(struct sonde_single *v, const struct sonde_tape *const *scripts, uint32_t n,
                          const char *regression, bool is_led);
/* Returns what the code under test printed in the last shown run, whole lines only, heap-allocated. Sets *left_out to
 * the number of bytes that did not fit. */
char *sonde_single_output(struct sonde_single *v, uint64_t *left_out);

/* ---- The same input in another program: the one built from the base of a change (--known-in). */

struct sonde_known_setup {
    const struct sonde_options *options;
    const char *program;          /* the other program */
    const char *property;         /* its name */
    const char *token, *original; /* the input, and the input as it was found; `original` may be NULL */
    char *const *others;          /* more inputs that failed in the same way */
    uint32_t n_others;
    const char *condition; /* of the check that failed; may be "" */
    bool is_unsure;        /* the failure is flaky, or needs earlier cases */
    bool is_slow;          /* a hang, or another failure that takes long to show */
};

/* Runs the input in both programs, many times, each in a new process. Only a failure that comes each time in both, and
 * in the same way, is KNOWN. Writes the reason for any other result to `note`. */
enum sonde_in_base sonde_known_judge(const struct sonde_known_setup *setup, char *note, size_t size);

#endif
