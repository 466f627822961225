/* A view of the corpus, the harvest: what a run leaves to the next one. A small set of tapes that together show all that the run has shown.
 *
 * A tape stays as long as it *owns* something: a place in the code with a rough count of how often it was passed (exact
 * counts make nearly every tape look different), the highest count of a place (the furthest that a loop has come), the
 * highest value of a utility, the way through most assumes, a change of the user's feedback. What a discarded input owns, a valid one takes over. It holds few tapes and few bytes; where
 * there is no more room, the one that owns least goes.
 *
 * Example: a run of an hour keeps some hundred tapes in its pools. The harvest holds perhaps sixty: for each place
 * in the code the first valid tape that came there, for each loop the one that went round most often, and the
 * best of each utility. The next run begins with these, in the order in which they were found. */
#ifndef SONDE_CORPUS_HARVEST_H
#define SONDE_CORPUS_HARVEST_H

#include "corpus/corpus.h"
#include "corpus/owners.h"

enum {
    SONDE_HARVEST_MAX = SONDE_LIMIT(1024, 24), /* tapes */
    SONDE_HARVEST_TARGETS = 64,
    SONDE_HARVEST_STATES = 64
};

/* What it was kept for first; the words stand in the files of the store. */
enum sonde_harvested_for { SONDE_FOR_COVERAGE, SONDE_FOR_TARGET, SONDE_FOR_STATE, SONDE_FOR_DEPTH };
/* Part of the format of the store: words do not change. */
const char *sonde_harvested_word(enum sonde_harvested_for what);

/* The reasons that a run is looked at for. */
enum {
    SONDE_HARVESTED =
        SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_TARGET | SONDE_NEW_STATE | SONDE_NEW_DEPTH
};

struct sonde_harvested {
    struct sonde_owner owner; /* first, so that an owner is an entry */
    struct sonde_kept *kept;
    uint32_t slot;
    uint64_t order;  /* how many had been kept before it */
    bool is_written; /* whoever writes them down says so here */
    enum sonde_harvested_for what;
};

struct sonde_harvest {
    struct sonde_corpus *corpus;                      /* borrowed; NULL: it keeps its own tapes */
    struct sonde_harvested *slots[SONDE_HARVEST_MAX]; /* NULL: free */
    uint32_t n;
    uint64_t kept; /* ever */
    struct sonde_owners
        owners;       /* of utilities, the newest states, depth; by feature, of each rough count and the highest */
    uint8_t *highest; /* count, by feature */
    uint32_t cap_highest;
    struct {
        uint32_t label;
        double best;
    } targets[SONDE_HARVEST_TARGETS];
    uint32_t n_targets;
    uint64_t n_states;
    size_t bytes, limit;
};

/* The corpus is borrowed; `limit` in bytes. */
void sonde_harvest_init(struct sonde_harvest *harvest, struct sonde_corpus *corpus, size_t limit);
void sonde_harvest_clear(struct sonde_harvest *harvest);
/* Keeps the tape of a run if it owns anything. */
void sonde_harvest_offer(struct sonde_harvest *harvest, const struct sonde_run *run);

/* Something that an entry owns and that has a meaning beyond this run: a place in the code with a class of counts (the last of them
 * is the highest count), or a utility with its best value, roughly. */
struct sonde_harvest_thing {
    bool is_target;
    uint32_t id;    /* of the feature, or of the utility's label */
    uint32_t which; /* class of counts, or what the value is about */
};
typedef void sonde_harvest_visit(void *context, const struct sonde_harvested *by,
                                 const struct sonde_harvest_thing *thing);
void sonde_harvest_each_thing(const struct sonde_harvest *harvest, sonde_harvest_visit *visit, void *context);

#endif
