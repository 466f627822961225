/* The search: run case after case, add up what they showed, keep what failed, until a bound is met. It is the loop
 * that a worker owns; everything it learns lies in this struct. */
#ifndef SONDE_ENGINE_SEARCH_H
#define SONDE_ENGINE_SEARCH_H

#include "base/bytes.h"
#include "base/clock.h"
#include "base/limit.h"
#include "corpus/harvest.h"
#include "engine/exchange.h"
#include "engine/options.h"
#include "engine/sample.h"
#include "engine/tally.h"
#include "exec/threads.h"
#include "exec/worker.h"
#include "feedback/judge.h"
#include "observe/coverage.h"

/* A failure as it was found: what tells it from others, and the smallest tape that showed it. */
struct sonde_found {
    uint64_t identity;
    struct sonde_tape tape;
    struct sonde_claim claim;
    uint64_t test; /* number of the first test that showed it, from 1 */
    uint64_t hits;
    uint64_t size;              /* of the first tape */
    struct sonde_tape *earlier; /* tapes of the cases before it, oldest first: it may depend on what they left behind */
    uint32_t n_earlier;
    struct sonde_tape smaller; /* a later, smaller tape of the same failure; empty if there is none */
    bool told;                 /* listeners know, the store has it */
    bool settled;              /* was confirmed, shrunk and shown while the search went on */
    char *regression;          /* the file that showed it, if one did; else NULL */
};

void sonde_found_free(struct sonde_found *found);

enum { SONDE_FOUND_MAX = SONDE_LIMIT(256, 2) };

/* What earlier runs left: tapes to begin with, and what the guide had learned. */
struct sonde_legacy {
    struct sonde_tape *tapes;
    uint32_t n, cap;
    struct sonde_bytes learned; /* may be empty */
};

/* What is to be kept of a search while it goes on: the worker writes it down when it is asked to, the supervisor brings
 * it to the store. */
enum sonde_snapshot_state { SONDE_SNAPSHOT_NONE, SONDE_SNAPSHOT_ASKED, SONDE_SNAPSHOT_READY };
struct sonde_snapshot {
    atomic_int state;
    struct sonde_bytes tapes;   /* those that are new: why (a byte), when (4 bytes); the text of the tape; a NUL */
    struct sonde_bytes learned; /* by the guide */
};

struct sonde_search {
    const sonde_property *property;
    struct sonde_spawn *spawn;           /* NULL: workers are forked */
    sonde_property own;                  /* `property` where workers are spawned: each puts its own version there */
    const struct sonde_options *options; /* with the property's own settings worked in */
    struct sonde_labels labels;
    sonde *t;
    struct sonde_guide_setup setups[4]; /* what the guides were made from */
    struct sonde_guide *guide;          /* of the user's choice */
    struct sonde_guide *relief;         /* who chooses in its place, since it only repeated itself; NULL: it does */
    struct sonde_guide *sampler;        /* uniform: for cover claims */
    struct sonde_guide *simplest;       /* fills gaps in replays */
    struct sonde_tape script;           /* scratch for the guide */
    struct sonde_tape before;           /* scratch: a tape being run again */

    struct sonde_stats stats;
    struct sonde_unique weighed; /* inputs that were weighed for cover claims */
    bool by_trace;               /* inputs are told apart by the way through the code, where it is instrumented */
    struct sonde_coverage *coverage;
    const struct sonde_coverage_view *seen; /* of the last case; NULL when no code is instrumented */
    struct sonde_judge judge;               /* of what is of interest */
    uint64_t replays;                       /* to find unstable features */
    struct sonde_outbox *outbox; /* what it found worth keeping, for others and for itself; NULL: nothing is */
    struct sonde_inbox *inboxes; /* the first is its own outbox, read again after a tear; then those of other jobs */
    unsigned n_inboxes, next_inbox;
    uint32_t look_in; /* cases before it looks whether there is something */
    uint64_t published;
    struct sonde_tally tally;
    struct sonde_found *found[SONDE_FOUND_MAX];
    _Atomic uint32_t n_found;
    unsigned long long worker_began;   /* cases before those of the worker that runs: none of them left it any state */
    const struct sonde_legacy *legacy; /* borrowed; NULL: none */
    uint32_t n_inherited;              /* tapes of it that have been run */
    struct sonde_harvest harvest;
    struct sonde_snapshot snapshot;
    bool is_torn;             /* a worker died at work on the above */
    uint64_t news, told_news; /* what was new so far, as it was when the clock was last looked at, */
    double news_at;           /* and when it last changed */
    enum sonde_stop stopped;
    bool exhausted;
    struct sonde_sample sample; /* what is run again before every input is claimed to hold */
    bool is_rerun;              /* that is being done, */
    uint32_t n_rerun;           /* and has begun for so many */
    bool is_proven;             /* all of them did the same again */
    struct sonde_threads threads;
    bool has_threads;        /* the code under test has started some */
    bool has_characteristic; /* the property says which inputs count as one: others may be left when none is new */
    uint64_t look_at; /* when to look whether inputs repeat: a number of valid cases, or of cases by the relief */
    uint64_t valid_then, unique_then; /* how it stood at the last look */
    volatile bool finished;           /* the loop has ended in good order */
    volatile int stop_asked;          /* from outside: end the loop; 1 + enum sonde_stop */
    volatile bool pause_asked;        /* from outside: leave the loop, to come back */
    bool seeks_leaks;                 /* there is a tool that can */
    uint32_t leak_every, leak_left;   /* valid cases between checks for leaks; 0: none are made */
    volatile bool sender_wanted;      /* from outside: a case sent a signal to the supervisor; leave the loop */
    volatile bool leak_suspected;     /* one of the last cases leaks: the worker has stopped for that */
    unsigned long long child_of;      /* the case, by its number, whose child came back after its end; 0: none */
    bool checks_each_leak;            /* where each case has a process of its own */
    bool may_be_replaced;             /* the worker, by another one that goes on */
    volatile bool is_worn;            /* a tool says no more in this worker: another one goes on */
    uint32_t leak_false_alarms;       /* in vain: it was a case that an assume had ended */
    unsigned job;                     /* number of this search among those that run side by side */
    uint64_t tests, runs;             /* its share of the bounds; 0: no bound */
    char misuse[1024];                /* what the property did wrong, or "" */
    struct sonde_tape misused;        /* what it had drawn; without spans if it was not in a case */
    uint64_t misused_at;              /* the number of that test */
    void *misuse_frames[SONDE_FRAMES];
    int n_misuse_frames;
    char warning[512];   /* that it is not deterministic, or "" */
    const char *overrun; /* what cases had too much of; static */

    double started, cpu_started;
    double began;         /* the loop, which is what the limit of time is for: not what is read before it */
    uint64_t clock_every; /* cases between looks at the clock */
    uint64_t quota;       /* cases before the bounds must be looked at again */
    double clock_last, told_last;
    void (*progress)(struct sonde_search *search, void *user); /* now and then; may be NULL */
    void *user;
    struct sonde_worker *case_worker; /* where each case has a process of its own */
    /* Runs one case; exec_inline unless each case is to have its own process. */
    void (*execute)(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script);
};

/* How many searches may run side by side: each has a case to run. */
unsigned sonde_search_jobs(const struct sonde_options *options);
void sonde_search_init(struct sonde_search *s, const sonde_property *property, const struct sonde_options *options,
                       unsigned job);
/* Runs one case here and reads what was covered, into `seen`. */
void sonde_search_execute(struct sonde_search *search, struct sonde_guide *guide, const struct sonde_tape *script);
void sonde_search_clear(struct sonde_search *s);
void sonde_search_run(struct sonde_search *s);
/* Before the first case: begins with what earlier runs left. Lives as long as the search. */
void sonde_search_inherit(struct sonde_search *s, const struct sonde_legacy *legacy);
/* Writes down what is new since the last time; no worker may be at work on the search. */
void sonde_search_take_snapshot(struct sonde_search *s);
/* Nothing new has come for as long as the options say. */
bool sonde_search_is_flat(const struct sonde_search *s, double now);
/* Counts the case that was just run, by whoever. */
void sonde_search_count(struct sonde_search *s);
/* After the search: whether it has tried every input, and they are to be run again before that is claimed. */
bool sonde_search_needs_rerun(const struct sonde_search *s);
/* sonde_search_run then does that, from where it is. */
void sonde_search_begin_rerun(struct sonde_search *s);
/* Whether a bound is met. */
bool sonde_search_is_over(struct sonde_search *s);
/* After the worker that ran a case has died: counts the case, whose claim is filled in. `torn`: it died outside user
 * code, so what the guide knows cannot be trusted. */
void sonde_search_death(struct sonde_search *s, bool torn);
/* Searches that run side by side, each with its own heap: from now on they read what the others keep. */
void sonde_search_connect(struct sonde_search *s, struct sonde_search *const *all, unsigned n);
/* Adds up what another search showed; it is left without failures. Label texts are taken over. */
void sonde_search_merge(struct sonde_search *s, struct sonde_search *other);

/* How two runs that got the same answers differ: at which draw, and in what; false if they do not. */
bool sonde_search_difference(const struct sonde_search *s, const struct sonde_tape *first,
                             const struct sonde_tape *second, char *out, size_t size);

/* Which bug a claim is about; and the looser question that shrinking asks. */
uint64_t sonde_claim_identity(const struct sonde_claim *claim);
uint64_t sonde_claim_brief(const struct sonde_claim *claim);
/* Whether two claims are about one bug: hangs are when the way to one of them is a part of the way to the other. */
bool sonde_claim_same(const struct sonde_claim *a, const struct sonde_claim *b);

#endif
