/* The state of one run of one property, which its phases share. engine.c creates it and calls the phases in order.
 * replay.c runs the known inputs (examples, stored failures, tokens). resume.c carries what the search learned from
 * one run to the next. confirm.c turns what the search found into reported failures. The phases use this struct and do
 * not call engine.c. */
#ifndef SONDE_ENGINE_PHASES_H
#define SONDE_ENGINE_PHASES_H

#include "engine/phases/callees.h"
#include "engine/search/options.h"
#include "engine/workers/single.h"
#include "program/place.h"
#include "store/store.h"

#include <stdatomic.h>

/* The largest number of warnings in a report; further ones are dropped. */
enum { SONDE_WARNINGS = 16 };

/* The part of the state that workers also see; it is in the heap of the first search. */
struct sonde_common {
    struct sonde_search search;
    struct sonde_single single;
    struct sonde_options options; /* the options of the searches: spawned workers cannot read engine->options */
    struct sonde_spawn spawn;     /* how workers are spawned, if options.spawn is set */
    struct sonde_legacy legacy;
    atomic_uint warm_up; /* see sonde_warm_up_share */
};

/* The run. It is in the C library's memory, which the code under test cannot reach from its worker. Phases before the
 * search run inside the heap of the first search (workers/single.h), since searches read what they create; all others
 * run outside. `failures` borrow tapes from `ours`, so they are freed first. */
struct sonde_engine {
    const sonde_property *property; /* the property, at its address in this process */
    struct sonde_common *common;
    struct sonde_search *search; /* this member and the next two point into `common` */
    struct sonde_single *single;
    struct sonde_legacy *legacy;
    struct sonde_options options; /* the options of the run, with the property's settings merged in */
    struct sonde_store *store;
    struct sonde_reporter *const *reporters;
    size_t n_reporters;
    struct sonde_report report;
    struct sonde_failure *failures;
    uint32_t n_failures, cap_failures;
    struct sonde_failure replayed; /* report.replayed points here: the values and the output of --replay */
    struct sonde_tape replayed_tape;
    struct sonde_found **ours; /* copies of the failures that the searches found and that were handled */
    uint32_t n_ours, cap_ours;
    struct sonde_found *remembered[SONDE_FOUND_MAX]; /* stored failures that still fail */
    uint32_t n_remembered;
    /* identities of failures that were reported to the reporters, whichever job found them first */
    uint64_t told[SONDE_FOUND_MAX];
    uint32_t n_told;
    /* failures that wait, while the search runs, until the fleet has decided which worker shrinks them */
    struct sonde_found *waiting[SONDE_FOUND_MAX];
    uint32_t n_waiting;
    uint32_t n_to_shrink;   /* number of failures still to be shrunk, which share the time */
    double shrink_deadline; /* when shrinking of all failures must end; 0: not set yet, or no limit */
    char **inherited;       /* the tokens of legacy->tapes */
    uint64_t *orders;       /* for each of these tokens, its number in the order of discovery */
    uint32_t cap_inherited, cap_orders;
    uint64_t *needed; /* hashes of the tokens of all tapes that a next search would begin with */
    uint32_t n_needed, cap_needed;
    struct sonde_place misuse_place;
    uint32_t n_written;        /* number of files written to --inputs-out */
    unsigned turn;             /* counter for the names of temporary files in --inputs-out */
    bool has_refused;          /* writing to --inputs-out has failed */
    struct sonde_fleet *fleet; /* the connection to other workers; NULL: the run shares nothing */
    struct sonde_outbox *post; /* the tapes received from the fleet, which all searches read; NULL: none are received */
    char replay_options[2048]; /* member `replay_options` of the report; may be empty */
    char message[1024];
    char unseen[1024]; /* describes the threads that could not be observed */
    struct sonde_warning warnings[SONDE_WARNINGS];
    char warning_texts[SONDE_WARNINGS][512]; /* parallel to warnings */
    uint32_t n_warnings;
    /* number of given inputs that are unreadable, invalid or do not fit; `message` describes the first */
    unsigned n_complaints;
    /* why stored failures and regressions could not be judged */
    char unjudged[1024], unjudged_regressions[1024];
    char other_draws[256], other_build[256]; /* `draws` and `build` of struct sonde_against_counts */
    char not_compared[512];                  /* why --against could not compare most cases; "": it could */
    struct sonde_outside outside;            /* what the test calls that the build does not cover */
    char stale[1024];                        /* describes the first stored failure that no longer replays as it did */
};

/* Sends an event to the run's reporters. Must be called outside of every heap, because memory that reporters allocate
 * outlives the run. */
void sonde_engine_tell(struct sonde_engine *e, struct sonde_event event);

/* ---- Before the search (replay.c, inputs.c, import.c, resume.c) */

/* Runs the inputs that are known before the search. Returns false if a given input cannot be read, or its run drew
 * other values than it names; e->message says why. */
bool sonde_engine_replay(struct sonde_engine *e);
/* Checks whether --inputs can be read and --inputs-out written, before anything is run. Returns false with an error in
 * e->message. */
bool sonde_engine_check_inputs(struct sonde_engine *e);
/* Reads --inputs. Unusable files are skipped with a warning. */
void sonde_engine_take_inputs(struct sonde_engine *e);
/* Checks whether the files of --import exist, before anything is run. Returns false with an error in e->message. */
bool sonde_engine_check_imports(struct sonde_engine *e);
/* Imports the files; called before sonde_engine_recall. A file that cannot be imported as a whole causes a warning. */
void sonde_engine_import(struct sonde_engine *e);
/* Makes the search begin with the tapes and the learned data that earlier runs left in the store. */
void sonde_engine_recall(struct sonde_engine *e);

/* ---- During and after the search (confirm.c, inputs.c, resume.c) */

/* Stores a failure as it was found, and reports it; called while the search runs. */
void sonde_engine_found(struct sonde_engine *e, const struct sonde_search *search, const struct sonde_found *found);
/* Confirms, shrinks, shows and stores one failure while its search may run. Does nothing if a failure with the same
 * identity was handled before. */
void sonde_engine_handle_due(struct sonde_engine *e, const struct sonde_found *found);
/* Confirms, shrinks, shows and stores every failure that was not handled during the search. */
void sonde_engine_confirm(struct sonde_engine *e);
/* Reports as a failure that there were fewer different valid inputs than the options require. */
void sonde_engine_report_unique(struct sonde_engine *e);
/* Records the values and the output of the input of --replay, if it did not fail. */
void sonde_engine_show_replay(struct sonde_engine *e);
/* Frees the failures; called before the search is cleared, because they borrow its tapes. */
void sonde_engine_free_failures(struct sonde_engine *e);
/* Prints a warning about given inputs whose runs drew other values than they name; called after the search. */
void sonde_engine_report_inputs(struct sonde_engine *e);

/* Writes the saved corpus of a search that has ended to --inputs-out. */
void sonde_engine_write_saved(struct sonde_engine *e, const struct sonde_search *search);
/* Writes a sample of the valid inputs to --inputs-out, after all searches, and prints how many files were written. */
void sonde_engine_write_sample(struct sonde_engine *e);
/* Saves the snapshot of a search to the store. */
void sonde_engine_keep(struct sonde_engine *e, const struct sonde_search *search);
/* Saves a last snapshot of a search that has ended. */
void sonde_engine_keep_all(struct sonde_engine *e, struct sonde_search *search);
/* Removes tapes that none of the searches needed from the store, if there are many; called after all searches. */
void sonde_engine_prune(struct sonde_engine *e);
/* Frees what sonde_engine_recall and sonde_engine_lead collected; called after all searches. */
void sonde_engine_free_legacy(struct sonde_engine *e);

/* ---- The outcome (verdict.c, worth.c)
 *
 * Call the functions named judge first: they may add a failure, a misuse or a warning, from which the outcome
 * follows. */

/* Adds a failure if there were fewer different valid inputs than --min-unique asks for. */
void sonde_verdict_judge_unique(struct sonde_engine *e);
/* Judges the rules of machines: a machine without any call is a misuse, and a rule that was never called gets a
 * warning. */
void sonde_verdict_judge_machines(struct sonde_engine *e);

/* Returns the outcome of the run, by its failures, misuse and statistics. */
enum sonde_outcome sonde_verdict_outcome(struct sonde_engine *e);
/* Returns the exit status for an outcome. */
enum sonde_status sonde_verdict_status(enum sonde_outcome outcome);
/* Writes into e->message why the search gave up. */
void sonde_verdict_explain_giving_up(struct sonde_engine *e);
/* Warns if many inputs were the same; called for a run that passed. */
void sonde_verdict_warn_of_few(struct sonde_engine *e);
/* Fills in the warnings and the counts of checks of the report. Called after the outcome, because only properties that
 * hold get warnings. */
void sonde_worth_judge(struct sonde_engine *e);
/* Returns whether a new file of a failure may replace an old one (sonde_witness_replaces); the store calls it. */
bool sonde_engine_may_replace(const struct sonde_stored *old, const struct sonde_stored *new);

#endif
