/* One run of one property, as its phases share it. engine.c makes it and composes them: replay.c runs what is known
 * beforehand (examples, stored failures, tokens); resume.c brings what the search learned from one run to the next;
 * confirm.c turns what the search found into reported failures. The phases know this struct and not the engine. */
#ifndef SONDE_ENGINE_PHASES_H
#define SONDE_ENGINE_PHASES_H

#include "engine/search/options.h"
#include "engine/workers/single.h"
#include "program/place.h"
#include "store/store.h"

#include <stdatomic.h>

/* At most so many warnings; the rest are counted in the last. */
enum { SONDE_WARNINGS = 16 };

/* What workers see as well: in the heap of the first search. */
struct sonde_common {
    struct sonde_search search;
    struct sonde_single single;
    struct sonde_options options; /* of the searches: spawned workers do not see the engine's */
    struct sonde_spawn spawn;     /* how workers are spawned, if they are */
    struct sonde_legacy legacy;
    atomic_uint warm_up; /* sonde_warm_up_share */
};

/* Lies in the C library's memory, which the code under test cannot reach in its worker. Phases before the search run inside the heap of
 * the first search (workers/single.h), since searches read what these make; all others run outside. `failures` borrow tapes from `ours`,
 * so they are freed before these. */
struct sonde_engine {
    const sonde_property *property; /* as this process has it */
    struct sonde_common *common;
    struct sonde_search *search; /* these: of what is common */
    struct sonde_single *single;
    struct sonde_legacy *legacy;
    struct sonde_options options; /* with the property's own settings worked in */
    struct sonde_store *store;
    struct sonde_reporter *const *reporters;
    size_t n_reporters;
    struct sonde_report report;
    struct sonde_failure *failures;
    uint32_t n_failures, cap_failures;
    struct sonde_failure replayed; /* see sonde_report */
    struct sonde_tape replayed_tape;
    struct sonde_found **ours; /* copies of what the searches found and was dealt with */
    uint32_t n_ours, cap_ours;
    struct sonde_found *remembered[SONDE_FOUND_MAX]; /* stored failures that still fail */
    uint32_t n_remembered;
    uint64_t told[SONDE_FOUND_MAX]; /* identities of failures that listeners know, whichever job found them first */
    uint32_t n_told;
    struct sonde_found *waiting[SONDE_FOUND_MAX]; /* for the fleet, while the search goes on: then they are due */
    uint32_t n_waiting;
    uint32_t n_to_shrink;   /* failures still to come, which share the time */
    double shrink_deadline; /* of all of them; 0: none yet, or no bound */
    char **inherited;       /* the texts of its tapes */
    uint64_t *orders;       /* in which they were found */
    uint32_t cap_inherited, cap_orders;
    uint64_t *needed; /* hashes of the texts of all tapes that the searches of this run would begin with */
    uint32_t n_needed, cap_needed;
    struct sonde_place misuse_place;
    uint32_t n_written;        /* to --inputs-out */
    unsigned turn;             /* of files that are written there */
    bool has_refused;          /* --inputs-out takes no more */
    struct sonde_fleet *fleet; /* NULL: the run shares nothing */
    struct sonde_outbox *post; /* what comes from there, for all searches; NULL: nothing does */
    char message[1024];
    char unseen[1024]; /* what of threads could not be seen */
    struct sonde_warning warnings[SONDE_WARNINGS];
    char warning_texts[SONDE_WARNINGS][512]; /* beside warnings */
    uint32_t n_warnings;
    unsigned n_complaints; /* inputs given by the user that are not what they should be; message is about the first */
    char unjudged[1024], unjudged_regressions[1024]; /* why stored failures and regressions could not be judged */
    char stale[1024]; /* about the first stored failure that no longer replays as it was */
};

/* Tells the run's listeners. Outside of every heap: what they keep outlives the run. */
void sonde_engine_tell(struct sonde_engine *e, struct sonde_event event);

/* ---- Before the search (replay.c, inputs.c, resume.c) */

/* Runs what is known before the search; false if an input given by the user cannot be read, or did not lead to what it
 * names (message says why). */
bool sonde_engine_replay(struct sonde_engine *e);
/* Before anything is run: whether --inputs can be read and --inputs-out written. False after a sentence in e->message. */
bool sonde_engine_check_inputs(struct sonde_engine *e);
/* Reads --inputs. What cannot be used is left out with a warning. */
void sonde_engine_take_inputs(struct sonde_engine *e);
/* Before the search: has it begin with what earlier runs left in the store. */
void sonde_engine_recall(struct sonde_engine *e);

/* ---- While it goes on, and after it (confirm.c, inputs.c, resume.c) */

/* Tells of a failure as it was found, and keeps it; called while the search goes on. */
void sonde_engine_found(struct sonde_engine *e, const struct sonde_search *search, const struct sonde_found *found);
/* Confirms, shrinks, shows and keeps one, while its search may go on, unless that was done with one of its identity. */
void sonde_engine_settle(struct sonde_engine *e, const struct sonde_found *found);
/* Confirms, shrinks, shows and keeps everything that was found and not yet settled. */
void sonde_engine_confirm(struct sonde_engine *e);
/* Fewer valid inputs were different than the options ask for. */
void sonde_engine_report_unique(struct sonde_engine *e);
/* Writes down what the input of --replay showed, if it did not fail. */
void sonde_engine_show_replay(struct sonde_engine *e);
/* Before the search is cleared: failures borrow its tapes. */
void sonde_engine_free_failures(struct sonde_engine *e);
/* After the search: says which of them did not lead to what they name. */
void sonde_engine_report_inputs(struct sonde_engine *e);

/* For each search that has ended: writes what it harvested to --inputs-out; */
void sonde_engine_write_harvest(struct sonde_engine *e, const struct sonde_search *search);
/* and, after all of them, a sample of the valid inputs. Says how many were written. */
void sonde_engine_write_sample(struct sonde_engine *e);
/* Brings to the store what the snapshot of a search holds. */
void sonde_engine_keep(struct sonde_engine *e, const struct sonde_search *search);
/* The same for a search that has ended: all that it leaves. */
void sonde_engine_keep_all(struct sonde_engine *e, struct sonde_search *search);
/* After all searches: takes out of the store what none of them needed, where that is much. */
void sonde_engine_prune(struct sonde_engine *e);
void sonde_engine_free_legacy(struct sonde_engine *e);

/* ---- What it comes to (verdict.c, worth.c)
 *
 * Judgements come first, because they may add a failure, a misuse or a warning; then the outcome, which is read off. */

void sonde_verdict_judge_unique(struct sonde_engine *e);
void sonde_verdict_judge_machines(struct sonde_engine *e);

enum sonde_outcome sonde_verdict_outcome(struct sonde_engine *e);
enum sonde_status sonde_verdict_status(enum sonde_outcome outcome);
/* Into e->message. */
void sonde_verdict_explain_giving_up(struct sonde_engine *e);
/* Where it passed. */
void sonde_verdict_warn_of_few(struct sonde_engine *e);
/* Fills the warnings of the report and its counts of checks. After the outcome, because only properties that hold are warned of. */
void sonde_worth_judge(struct sonde_engine *e);
/* For the store: sonde_witness_replaces of two files. */
bool sonde_engine_may_replace(const struct sonde_stored *old, const struct sonde_stored *new);

#endif
