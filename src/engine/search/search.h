/* A search: the state of one worker's loop, with all that it learns. This header has the struct and its life cycle.
 * Other files work on it: loop.c runs a search, account.c counts a case, stop.c ends a search, stability.c checks
 * whether results repeat. This header includes none of their headers.
 *
 * The struct is in memory shared with the worker (base/heap.h), and the worker writes it while it runs.
 *
 * One round of the loop (loop.c): a guide starts the next case, perhaps with a script, and exec runs it. account.c
 * counts it, collects the observation, has it judged (feedback/judge.h), keeps what is of interest, and lets every
 * guide learn. stability.c may run it again. Then the loop checks for leaks, tapes of other jobs and requests of the
 * supervisor, and stop.c decides whether to continue. A worker that dies in the middle is replaced, and the new one
 * continues with the next case. No round needs data of the round before it. */
#ifndef SONDE_ENGINE_SEARCH_H
#define SONDE_ENGINE_SEARCH_H

#include "base/clock.h"
#include "corpus/corpus.h"
#include "corpus/harvest.h"
#include "engine/search/exchange.h"
#include "engine/search/found.h"
#include "engine/search/leaks.h"
#include "engine/search/destination.h"
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

/* An input that the user gave: an example, a regression, or one of --inputs. */
struct sonde_lead {
    struct sonde_tape tape;
    /* path of the file that the input came from, for messages; NULL: its run is known to draw the values it names */
    char *path;
    bool is_open;    /* draws that the tape leaves open get uniform values; otherwise they get the simplest ones */
    bool is_counted; /* the lead counts towards the limits of the search; otherwise it is run in addition */
};

/* The start of a search: the given inputs, tapes from earlier runs, and what the guide had learned. */
struct sonde_legacy {
    struct sonde_lead *leads; /* the given inputs, which run first */
    uint32_t n_leads, cap_leads;
    uint32_t n_counted; /* number of leads with is_counted */
    struct sonde_tape *tapes;
    uint32_t n, cap;
    struct sonde_bytes learned; /* data that the guide learned in earlier runs; may be empty */
};

enum { SONDE_STRAYED_TEXT = 1200 }; /* bytes of a description of values that were not drawn */

/* The results of the leads. */
struct sonde_led {
    uint32_t n;      /* number of leads that have been run, including a running one */
    bool is_running; /* the running case is a lead; if it ends the worker, its end is recorded by the supervisor */
    uint32_t n_valid;
    /* number of leads that name values which the property did not draw; `strayed` describes the first */
    uint32_t n_strayed;
    char strayed[SONDE_STRAYED_TEXT];
};

/* The limits of a search, and when to check them next. */
struct sonde_pace {
    uint64_t tests, runs; /* this search's share of the limits; 0: no limit */
    uint64_t quota;       /* number of cases before the limits must be checked again; 0: check now */
    uint64_t clock_every; /* number of cases between two readings of the clock */
    double clock_last;
    uint64_t lost; /* number of leads and inherited tapes that were not valid; these do not count as discarded cases */
    /* when the loop began; the limit of time counts from here, without the time for reading files before it */
    double began;
};

/* The check whether the search only finds the same inputs again (stop.c). */
struct sonde_repeats {
    uint64_t look_at;                 /* when to check: a number of valid cases, or of all cases while `relief` plans */
    uint64_t valid_then, unique_then; /* the counts at the last check */
    bool is_over;                     /* the relief found nothing either: the user's guide plans all remaining cases */
};

/* The rerun: inputs run a second time before the report states that the property holds for every input. */
struct sonde_rerun {
    struct sonde_sample sample;
    bool is_on;     /* the second run is in progress */
    uint32_t n;     /* number of inputs whose second run has begun */
    bool is_proven; /* all inputs had the same result the second time */
};

/* Requests of the supervisor, which stores them while the worker runs; the worker reads them between two cases. Each
 * request is one word, and the worker reads no other data because of it. So relaxed memory order is enough, and only
 * the last request counts. */
struct sonde_requests {
    atomic_int stop;   /* end the loop: 1 + enum sonde_stop; 0: continue */
    atomic_bool pause; /* leave the loop; a new worker will continue it later */
    atomic_bool look;  /* read the clock now: cases have become so slow that the quota would take too long */
    /* a case sent a signal to the supervisor: leave the loop, so that culprit.c can find the case */
    atomic_bool sender;
};

/* The reason why the worker has left the loop. The worker writes it; the supervisor reads it only after the kernel has
 * reported the worker's end. Everything that the worker wrote to shared memory is visible by then. */
struct sonde_leaving {
    bool finished;       /* the loop has ended normally */
    bool leak_suspected; /* one of the last cases leaks */
    bool is_silent;      /* the sanitizer makes no further reports in this process: a new worker must continue */
    /* number of the case whose child returned or failed after the case had ended; 0: none */
    unsigned long long child_of;
    struct sonde_claim child_claim; /* the child's failure; kind NONE: the child returned */
};

/* One search. The worker writes it while there is one, otherwise the supervisor does. While the worker runs, the
 * supervisor writes only asked. It reads n_found and the entries below it, snapshot when it is READY, and copies of
 * the notebook that check themselves. Single words, such as stats, news_at and positions of inboxes, may be a few
 * cases old. */
struct sonde_search {
    /* The property, how it is run, and by which guides. */
    const sonde_property *property;
    struct sonde_spawn *spawn; /* how workers are spawned; NULL: they are forked */
    /* the property, if workers are spawned: each worker writes a copy with its own addresses here */
    sonde_property own;
    const struct sonde_options *options; /* the options of the run, with the property's settings merged in */
    unsigned job;                        /* number of this search among those that run side by side */
    struct sonde_labels labels;
    sonde *t;
    struct sonde_guide_setup setups[4]; /* the arguments from which the guides were created */
    struct sonde_guide *guide;          /* the guide that the user chose */
    /* the guide that plans instead of `guide`, which only repeated itself; NULL: `guide` plans */
    struct sonde_guide *relief;
    struct sonde_guide *sampler;  /* the uniform guide, for cover checks */
    struct sonde_guide *simplest; /* the guide that fills gaps in replays with the simplest values */
    /* the guide that planned the running case, until the case is counted; NULL: it is a replay */
    struct sonde_guide *author;
    struct sonde_tape script;          /* scratch for the guide */
    struct sonde_tape before;          /* scratch: a tape being run again */
    const struct sonde_legacy *legacy; /* inputs and learned data that the search starts from; borrowed; NULL: none */
    uint32_t n_inherited;              /* number of tapes of earlier runs (legacy->tapes) that this search has run */
    struct sonde_led led;              /* results of the given inputs (legacy->leads) that this search has run */
    struct sonde_worker *case_worker;  /* the worker of the running case, if each case has its own process */
    /* Runs one case: sonde_search_execute, unless each case has its own process. */
    void (*execute)(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script);
    /* number of cases that ran before this worker's first case; they left no state in this worker */
    unsigned long long worker_began;

    /* Results of the last case, and of all cases. */
    struct sonde_coverage *coverage;
    const struct sonde_coverage_view *seen; /* coverage of the last case; NULL when no code is instrumented */
    struct sonde_judge judge;               /* decides which cases are of interest */
    struct sonde_stats stats;
    struct sonde_tally tally;
    struct sonde_ended *ended;   /* inputs that this search has run; NULL: no guide has asked for them yet */
    struct sonde_unique weighed; /* inputs that were weighed for cover checks */
    struct sonde_corpus corpus;  /* tapes that the guides and `saved` refer to */
    struct sonde_saved saved;
    struct sonde_found *found[SONDE_FOUND_MAX];
    /* number of entries in found[]; stored with release after the new entry, because the supervisor reads both
     * meanwhile */
    _Atomic uint32_t n_found;
    char misuse[1024];         /* what the property did wrong, or "" */
    struct sonde_tape misused; /* the values drawn before the misuse; without spans if it happened outside of a case */
    uint64_t misused_at;       /* number of the case with the misuse */
    void *misuse_frames[SONDE_FRAMES];
    int n_misuse_frames;
    char warning[512];                  /* a warning that the property is not deterministic, or "" */
    const char *overrun;                /* the resource of which cases used too much; static */
    enum sonde_identity_by identity_by; /* what makes two inputs different */
    /* the property defines which inputs count as the same: even if no input is new, others may be left */
    bool has_characteristic;
    bool exhausted;   /* every input was tried */
    bool has_threads; /* the code under test has started threads */
    bool is_torn;     /* a worker died while it was writing this struct */
    uint64_t replays; /* number of second runs made to find unstable features */
    /* number of locations with unstable counters among the locations that the judge has counted */
    uint32_t unstable_places, unstable_valid_places;
    uint64_t news, told_news; /* number of new things found, now and when the clock was last read */
    double news_at;           /* when `news` last changed */
    double started, cpu_started;
    struct sonde_threads threads;
    struct sonde_notebook *notebook; /* NULL: insight was not requested */
    struct sonde_arrivals *arrivals; /* NULL: no code is named that inputs are to reach */
    struct sonde_vicinity *vicinity; /* NULL: no code is known to have changed */
    struct sonde_code_range *near;   /* ranges of the changed code, for the coverage; may be NULL */

    /* Work beside the cases. */
    struct sonde_sharing sharing; /* this search's part in the exchange with other jobs */
    struct sonde_leak_watch leaks;
    struct sonde_snapshot snapshot;
    struct sonde_rerun rerun;
    struct sonde_repeats repeats;
    struct sonde_pace pace;
    enum sonde_stop stopped;
    struct sonde_requests asked;
    struct sonde_leaving left;
};

/* Returns how many searches may run side by side, so that each has a case to run. */
unsigned sonde_search_jobs(const struct sonde_options *options);
/* Sets up a search in the current heap, which its worker will share. `options` are borrowed. Limits are divided among
 * the jobs; job 0 is the first. */
void sonde_search_init(struct sonde_search *s, const sonde_property *property, const struct sonde_options *options,
                       unsigned job);
/* Frees the search with its guides, its corpus and its case; no worker may be running it. */
void sonde_search_clear(struct sonde_search *s);

/* Runs one case in this process and reads its coverage into `seen`. */
void sonde_search_execute(struct sonde_search *search, struct sonde_guide *guide, const struct sonde_tape *script);
/* Runs one case in this process or, if each case has its own process, in the process of the case. Reads its
 * coverage. */
static inline void sonde_search_run_case(struct sonde_search *s, struct sonde_guide *guide,
                                         const struct sonde_tape *script)
{
    s->seen = NULL; /* `seen` stays NULL if the case dies in its own process */
    s->execute(s, guide, script);
}

/* Makes another guide plan the cases instead of the user's guide. */
void sonde_search_relieve(struct sonde_search *s, const struct sonde_guide_ops *by);
/* Replaces the guides after a worker died while it was writing them. The new guides know only the learned data of
 * earlier runs. */
void sonde_search_renew_guides(struct sonde_search *s);
/* Gives the search the given inputs and the tapes and learned data of earlier runs; called before the first case.
 * `legacy` must live as long as the search. */
void sonde_search_inherit(struct sonde_search *s, const struct sonde_legacy *legacy);
/* Writes a snapshot of what is new since the last one; no worker may be running the search. */
void sonde_search_take_snapshot(struct sonde_search *s);
/* Records the current counts in the notebook, which must exist; `now` is the clock. */
void sonde_search_note_moment(struct sonde_search *s, double now);
/* Records in the notebook the tapes that the search saves for the next run. */
void sonde_search_note_saved(struct sonde_search *s);
/* Returns the whole notebook, at the end; valid until the search is cleared. */
const struct sonde_insight *sonde_search_open_notebook(struct sonde_search *s);
/* Checks whether the code under test has started threads. */
void sonde_search_note_threads(struct sonde_search *s);
/* Returns the settings for a worker that runs cases of this search; the member `death` is not set. */
struct sonde_worker sonde_search_worker(struct sonde_search *s);
/* Returns whether the current case has hung. */
bool sonde_search_has_hung(const struct sonde_search *s);
/* Returns whether a hang at the same location is known. If so, running the case again with the full time would show
 * nothing new. */
bool sonde_search_knows_hang(const struct sonde_search *s);
/* Counts reached locations with unstable counters: counters that do not depend on the input alone. */
void sonde_search_count_places(struct sonde_search *s);
/* Returns how many locations were reached by all inputs, or only by valid ones, without unstable locations. The
 * supervisor may call it while a worker counts. */
static inline uint32_t sonde_search_places(const struct sonde_search *s, bool valid)
{
    const struct sonde_novelty *n = &s->judge.novelty;
    uint32_t all = valid ? n->n_valid_places : n->n_places,
             unstable = valid ? s->unstable_valid_places : s->unstable_places;
    return all > unstable ? all - unstable : 0;
}
/* Returns whether nothing new was found for as long as the options allow. */
static inline bool sonde_search_is_flat(const struct sonde_search *s, double now)
{
    return s->options->flat_seconds > 0 && now - s->news_at > s->options->flat_seconds;
}
/* Returns the recorded failure with the same identity, owned by the search; NULL: there is none yet. */
struct sonde_found *sonde_search_known(const struct sonde_search *s, const struct sonde_claim *claim);
/* Returns whether given inputs have still to be run. */
static inline bool sonde_search_has_leads(const struct sonde_search *s)
{
    return s->legacy && s->led.n < s->legacy->n_leads;
}
/* Records why the search ends. Always returns true. */
static inline bool sonde_search_stop(struct sonde_search *s, enum sonde_stop why)
{
    s->stopped = why;
    return true;
}

/* Merging several searches for one report.
 *
 * Numbers are added, and failures with the same identity become one with all its hits. Different inputs are counted in
 * the union of the sets. Coverage is matched by the names of features, since each search has its own ids for them.
 * Guides are not merged: what the first one learned is reported and kept. */

/* Adds another search to `s`, labels included. All of it is copied, so the heap of `other` may be destroyed
 * afterwards. */
void sonde_search_merge(struct sonde_search *s, const struct sonde_search *other);

/* The supervisor reads a search from memory that the code under test can also write. These functions end the process by
 * sonde_die_overwritten if a count, an index or a pointer cannot be what sonde wrote. */

/* Returns how many failures a search has; the entries below that number are complete. */
uint32_t sonde_damage_count(const struct sonde_search *search);
/* Returns failure i after checking only its pointer, for callers that follow no other pointer. */
struct sonde_found *sonde_damage_at(const struct sonde_search *search, uint32_t i);
/* Checks all of a failure. `has_ended`: no worker writes to it. */
void sonde_damage_check_found(const struct sonde_found *found, bool has_ended);
/* Checks all failures of a search whose worker has ended. */
void sonde_damage_check(const struct sonde_search *search);

#endif
