/* One run of one property, as its phases share it. engine.c makes it and composes them: replay.c runs what is known
 * beforehand (examples, stored failures, tokens); resume.c brings what the search learned from one run to the next;
 * confirm.c turns what the search found into reported failures. The phases know this struct and not the engine. */
#ifndef SONDE_ENGINE_PHASES_H
#define SONDE_ENGINE_PHASES_H

#include "base/heap.h"
#include "engine/search/options.h"
#include "engine/workers/single.h"
#include "program/place.h"
#include "store/store.h"

#include <stdatomic.h>

/* At most so many warnings; the rest are counted in the last. */
enum { SONDE_WARNINGS = 16 };

/* Lies in the heap of the first search. `failures` borrow tapes from `settled`, `remembered` and
 * search.found, so they are freed before these. */
struct sonde_engine {
    const sonde_property *property; /* as this process has it */
    struct sonde_search search;
    struct sonde_single single;
    struct sonde_spawn spawn;     /* how workers are spawned, if they are */
    struct sonde_options options; /* with the property's own settings worked in */
    struct sonde_store *store;
    struct sonde_reporter *const *reporters;
    size_t n_reporters;
    struct sonde_report report;
    struct sonde_failure *failures;
    uint32_t n_failures, cap_failures;
    struct sonde_failure replayed; /* see sonde_report */
    struct sonde_tape replayed_tape;
    struct sonde_found *settled[SONDE_FOUND_MAX]; /* our copies of those that have been dealt with, beside failures */
    uint32_t n_settled;
    struct sonde_found *remembered[SONDE_FOUND_MAX]; /* stored failures that still fail */
    uint32_t n_remembered;
    uint64_t told[SONDE_FOUND_MAX]; /* identities of failures that listeners know, whichever job found them first */
    uint32_t n_told;
    uint32_t n_to_shrink;    /* failures still to come, which share the time */
    double shrink_deadline;  /* of all of them; 0: none yet, or no bound */
    struct sonde_heap *heap; /* what this struct owns lies there; NULL: with the C library */
    struct sonde_legacy legacy;
    char **inherited; /* the texts of its tapes */
    uint64_t *orders; /* in which they were found */
    uint32_t cap_inherited, cap_orders;
    uint64_t *needed; /* hashes of the texts of all tapes that the searches of this run would begin with */
    uint32_t n_needed, cap_needed;
    struct sonde_place misuse_place;
    uint32_t n_written;        /* to --inputs-out */
    unsigned turn;             /* of files that are written there */
    bool has_refused;          /* --inputs-out takes no more */
    struct sonde_fleet *fleet; /* NULL: the run shares nothing */
    char message[1024];
    atomic_uint warm_up; /* sonde_warm_up_share */
    char unseen[1024];   /* what of threads could not be seen */
    struct sonde_warning warnings[SONDE_WARNINGS];
    char warning_texts[SONDE_WARNINGS][512]; /* beside warnings */
    uint32_t n_warnings;
    unsigned n_complaints; /* inputs given by the user that are not what they should be; message is about the first */
    char unjudged[1024], unjudged_regressions[1024]; /* why stored failures and regressions could not be judged */
    char stale[1024]; /* about the first stored failure that no longer replays as it was */
};

/* Tells the run's listeners; what they keep is theirs, with the C library. */
void sonde_engine_tell(struct sonde_engine *e, struct sonde_event event);

#endif
