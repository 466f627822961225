/* A search: what one worker runs, and all that it learns. This is the struct and its life; what is done with it stands in a file
 * each: loop.c runs it, account.c adds up a case, stop.c ends it, stability.c asks whether it can be
 * trusted. Those know this header, and it knows none of them.
 *
 * It lies in memory that is shared with the worker (base/heap.h), and its worker writes it while it lives.
 *
 * One round of the loop (loop.c): a guide starts the next case, perhaps with a script; exec runs it; account.c
 * counts it, puts the observation together, has it judged (feedback/judge.h), keeps what is of interest and
 * lets every guide learn; stability.c may run it again; leaks, tapes of other jobs and the supervisor's wishes
 * are looked at; stop.c says whether to go on. A worker that dies in the middle is replaced, and the loop goes
 * on with the next case: nothing of a round is needed by the one after it. */
#ifndef SONDE_ENGINE_SEARCH_H
#define SONDE_ENGINE_SEARCH_H

#include "base/clock.h"
#include "corpus/corpus.h"
#include "corpus/harvest.h"
#include "engine/search/exchange.h"
#include "engine/search/found.h"
#include "engine/search/leaks.h"
#include "engine/search/notebook.h"
#include "engine/search/options.h"
#include "engine/search/sample.h"
#include "engine/search/snapshot.h"
#include "engine/search/tally.h"
#include "base/threads.h"
#include "exec/worker.h"
#include "feedback/judge.h"
#include "observe/coverage.h"
#include "observe/observation.h"

/* An input that was given: an example, a regression, or one of --inputs. */
struct sonde_lead {
    struct sonde_tape tape;
    char *path;   /* of the file it is from, for what is said of it; NULL: it has been found to be what it should be */
    bool is_open; /* what it leaves open is drawn evenly; else it is simplest */
    bool is_counted; /* in the limits of the search; else it comes on top of them */
};

/* What a search begins with: what was given, what earlier runs left, and what the guide had learned. */
struct sonde_legacy {
    struct sonde_lead *leads; /* are run first */
    uint32_t n_leads, cap_leads;
    uint32_t n_counted; /* of the leads */
    struct sonde_tape *tapes;
    uint32_t n, cap;
    struct sonde_bytes learned; /* may be empty */
};

/* How the leads have gone. */
enum { SONDE_STRAYED_TEXT = 1200 };
struct sonde_led {
    uint32_t n; /* have been run */
    uint32_t n_valid;
    uint32_t n_strayed; /* name values that the property does not draw; the first of them is described */
    char strayed[SONDE_STRAYED_TEXT];
};

/* How far it may go, and when that is looked at next. */
struct sonde_pace {
    uint64_t tests, runs; /* its share of the limits; 0: no limit */
    uint64_t quota;       /* cases before the limits must be looked at again; 0 makes it look at once */
    uint64_t clock_every; /* cases between looks at the clock */
    double clock_last;
    uint64_t lost; /* cases that were not valid and do not count against it */
    double began;  /* the loop, which is what the limit of time is for: not what is read before it */
};

/* Whether it only finds the same inputs again. */
struct sonde_repeats {
    uint64_t look_at;                 /* when to look: a number of valid cases, or of cases by the relief */
    uint64_t valid_then, unique_then; /* how it stood at the last look */
    bool is_over;                     /* relief found nothing either: the guide of the run has the rest of it */
};

/* What is run a second time before every input is claimed to hold. */
struct sonde_rerun {
    struct sonde_sample sample;
    bool is_on;     /* that is being done, */
    uint32_t n;     /* and has begun for so many */
    bool is_proven; /* all of them did the same again */
};

/* Wishes of the supervisor, which stores them while the worker runs; the worker looks at them between two cases. Each is one word
 * and says all there is to say: nothing that is written before it is read because of it. So relaxed order is enough, and only
 * the last wish counts. */
struct sonde_wishes {
    atomic_int stop;    /* end the loop: 1 + enum sonde_stop; 0: go on */
    atomic_bool pause;  /* leave the loop, to come back */
    atomic_bool sender; /* a case sent a signal to the supervisor: leave the loop, so that it can be found */
};

/* Why the worker has left the loop. Written by the worker, read by the supervisor only after the worker has ended, which the kernel
 * has reported to it: whatever a process wrote to shared memory comes before its end. */
struct sonde_leaving {
    bool finished;               /* the loop has ended in good order */
    bool leak_suspected;         /* one of the last cases leaks */
    bool is_worn;                /* a tool says no more in this worker: another one goes on */
    unsigned long long child_of; /* the case, by its number, whose child came back or failed after its end; 0: none */
    struct sonde_claim child_claim; /* of that child; of kind NONE: it came back */
};

/* Written by the worker while there is one, else by the supervisor. While the worker runs, the
 * supervisor reads only: asked (which it writes), n_found and the entries below it, snapshot in its
 * turn, and single words of stats for the progress line. */
struct sonde_search {
    /* What is run, how, and by whom. */
    const sonde_property *property;
    struct sonde_spawn *spawn;           /* NULL: workers are forked */
    sonde_property own;                  /* `property` where workers are spawned: each puts its own version there */
    const struct sonde_options *options; /* with the property's own settings worked in */
    unsigned job;                        /* number of this search among those that run side by side */
    struct sonde_labels labels;
    sonde *t;
    struct sonde_guide_setup setups[4]; /* what the guides were made from */
    struct sonde_guide *guide;          /* of the user's choice */
    struct sonde_guide *relief;         /* who chooses in its place, since it only repeated itself; NULL: it does */
    struct sonde_guide *sampler;        /* uniform: for cover claims */
    struct sonde_guide *simplest;       /* fills gaps in replays */
    struct sonde_guide *author; /* who chose the case that is running, until it is counted; NULL: it is a replay */
    struct sonde_tape script;   /* scratch for the guide */
    struct sonde_tape before;   /* scratch: a tape being run again */
    const struct sonde_legacy *legacy; /* borrowed; NULL: none */
    uint32_t n_inherited;              /* tapes of it that have been run */
    struct sonde_led led;              /* the same of its leads */
    struct sonde_worker *case_worker;  /* where each case has a process of its own */
    /* Runs one case; sonde_search_execute unless each case is to have its own process. */
    void (*execute)(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script);
    unsigned long long worker_began; /* cases before those of the worker that runs: none of them left it any state */

    /* What the last case did, and what all of them did. */
    struct sonde_coverage *coverage;
    const struct sonde_coverage_view *seen; /* of the last case; NULL when no code is instrumented */
    struct sonde_judge judge;               /* of what is of interest */
    struct sonde_stats stats;
    struct sonde_tally tally;
    struct sonde_ended *ended;   /* inputs of this search; NULL: no guide has asked yet */
    struct sonde_unique weighed; /* inputs that were weighed for cover claims */
    struct sonde_corpus corpus;  /* what guides and harvest keep */
    struct sonde_harvest harvest;
    struct sonde_found *found[SONDE_FOUND_MAX];
    _Atomic uint32_t n_found; /* stored with release after the entry: the supervisor reads both while the worker runs */
    char misuse[1024];        /* what the property did wrong, or "" */
    struct sonde_tape misused; /* what it had drawn; without spans if it was not in a case */
    uint64_t misused_at;       /* the number of that test */
    void *misuse_frames[SONDE_FRAMES];
    int n_misuse_frames;
    char warning[512];          /* that it is not deterministic, or "" */
    const char *overrun;        /* what cases had too much of; static */
    enum sonde_told_by told_by; /* what counts as another input */
    bool has_characteristic;    /* the property says which inputs count as one: others may be left when none is new */
    bool exhausted;             /* every input was tried */
    bool has_threads;           /* the code under test has started some */
    bool is_torn;               /* a worker died at work on all this */
    uint64_t replays;           /* to find unstable features */
    uint32_t unstable_places, unstable_valid_places; /* of those that the judge has counted */
    uint64_t news, told_news; /* what was new so far, as it was when the clock was last looked at, */
    double news_at;           /* and when it last changed */
    double started, cpu_started;
    struct sonde_threads threads;
    struct sonde_notebook *notebook; /* NULL: nobody asked for insight */

    /* What goes on beside the cases. */
    struct sonde_sharing sharing; /* with other jobs */
    struct sonde_leak_watch leaks;
    struct sonde_snapshot snapshot;
    struct sonde_rerun rerun;
    struct sonde_repeats repeats;
    struct sonde_pace pace;
    enum sonde_stop stopped;
    struct sonde_wishes asked;
    struct sonde_leaving left;
};

/* How many searches may run side by side: each has a case to run. */
unsigned sonde_search_jobs(const struct sonde_options *options);
/* In the heap that its worker will share. `options` are borrowed; job 0 is the first, and limits are
 * divided among jobs. */
void sonde_search_init(struct sonde_search *s, const sonde_property *property, const struct sonde_options *options,
                       unsigned job);
void sonde_search_clear(struct sonde_search *s);

/* Runs one case here and reads what was covered, into `seen`. */
void sonde_search_execute(struct sonde_search *search, struct sonde_guide *guide, const struct sonde_tape *script);
/* Runs one case, wherever cases are run, and looks at what the code under test did in it. */
static inline void sonde_search_run_case(struct sonde_search *s, struct sonde_guide *guide,
                                         const struct sonde_tape *script)
{
    s->seen = NULL; /* of a case that dies in a process of its own */
    s->execute(s, guide, script);
}

/* Has another guide choose in place of the user's. */
void sonde_search_relieve(struct sonde_search *s, const struct sonde_guide_ops *by);
/* After a worker died at work on the guides: new ones, which know no more than earlier runs left. */
void sonde_search_renew_guides(struct sonde_search *s);
/* Before the first case: begins with what earlier runs left. Lives as long as the search. */
void sonde_search_inherit(struct sonde_search *s, const struct sonde_legacy *legacy);
/* Writes down what is new since the last time; no worker may be at work on the search. */
void sonde_search_take_snapshot(struct sonde_search *s);
/* Writes down how it stands, `now` by the clock; only where there is a notebook. */
void sonde_search_note_moment(struct sonde_search *s, double now);
/* And what it leaves to the next run. */
void sonde_search_note_harvest(struct sonde_search *s);
/* All of the notebook, at the end. */
const struct sonde_insight *sonde_search_open_notebook(struct sonde_search *s);
/* Looks whether the code under test has started threads. */
void sonde_search_note_threads(struct sonde_search *s);
/* How a worker that runs its cases is watched; without a death. */
struct sonde_worker sonde_search_worker(struct sonde_search *s);
/* The case at hand has hung; and in a place where one is known to. */
bool sonde_search_has_hung(const struct sonde_search *s);
/* Then running it again with the full time would only show the same. */
bool sonde_search_knows_hang(const struct sonde_search *s);
/* Counts the places that were reached and whose counters turned out to be unstable: no input leads to them. */
void sonde_search_count_places(struct sonde_search *s);
/* How many places inputs lead to, of any verdict or valid ones. The supervisor may ask while a worker counts. */
static inline uint32_t sonde_search_places(const struct sonde_search *s, bool valid)
{
    const struct sonde_novelty *n = &s->judge.novelty;
    uint32_t all = valid ? n->n_valid_places : n->n_places,
             unstable = valid ? s->unstable_valid_places : s->unstable_places;
    return all > unstable ? all - unstable : 0;
}
/* Returns whether nothing new has come for as long as the options say. */
static inline bool sonde_search_is_flat(const struct sonde_search *s, double now)
{
    return s->options->flat_seconds > 0 && now - s->news_at > s->options->flat_seconds;
}
/* Returns the failure with such a claim; NULL: there is none yet. */
struct sonde_found *sonde_search_known(const struct sonde_search *s, const struct sonde_claim *claim);
/* Whether it has still to run what was given. */
static inline bool sonde_search_has_leads(const struct sonde_search *s)
{
    return s->legacy && s->led.n < s->legacy->n_leads;
}
/* Says why it ends; true. */
static inline bool sonde_search_stop(struct sonde_search *s, enum sonde_stop why)
{
    s->stopped = why;
    return true;
}

/* Several searches, one report.
 *
 * Numbers are added, failures of one identity become one with all its hits, counts of different inputs are those
 * of the united set, coverage is translated by the names of features, since each search gave its own ids. Guides
 * are not merged: what the first one learned is what is reported and kept. */

/* Adds up what another search showed, whose heap may go afterwards: all of it is copied. Label texts are taken over. */
void sonde_search_merge(struct sonde_search *s, const struct sonde_search *other);

/* What the supervisor reads of a search lies in memory that the code under test can write to as well. These functions end the process
 * by sonde_die_overwritten where a count, an index or a pointer cannot be what sonde wrote. */

/* Returns how many failures a search has; the entries below that number are complete. */
uint32_t sonde_damage_count(const struct sonde_search *search);
/* Returns failure i after a look at its pointer alone, for questions that follow no other. */
struct sonde_found *sonde_damage_at(const struct sonde_search *search, uint32_t i);
/* Checks all of a failure. `has_ended`: no worker writes to it. */
void sonde_damage_check_found(const struct sonde_found *found, bool has_ended);
/* Checks all failures of a search whose worker has ended. */
void sonde_damage_check(const struct sonde_search *search);

#endif
