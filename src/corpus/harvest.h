/* The saved corpus, a view of the corpus: the tapes that a run stores for the next one. It is a small set that
 * together covers everything the run has covered.
 *
 * A tape stays as long as it *owns* something:
 * - a location in the code with a rough count of how often it was passed; exact counts make nearly every tape look
 *   different;
 * - the highest count of a location: the longest loop;
 * - the highest value of a utility;
 * - the path past the most assumes;
 * - a change of the user's feedback.
 *
 * A valid input takes over the things that a discarded input owns. The set has few tapes and few bytes; when it is
 * full, the tape that owns least is dropped.
 *
 * Example: a run of an hour keeps some hundred tapes in its pools, the saved corpus perhaps sixty. It has the first
 * valid tape at each location in the code, the longest run of each loop, and the best of each utility. The next run
 * begins with these, in the order in which they were found. */
#ifndef SONDE_CORPUS_HARVEST_H
#define SONDE_CORPUS_HARVEST_H

#include "corpus/corpus.h"
#include "corpus/owners.h"

enum {
    SONDE_SAVED_MAX = SONDE_LIMIT(1024, 24), /* maximum number of tapes */
    SONDE_SAVED_TARGETS = 64, /* maximum number of utilities that own a tape; a case has at most as many */
    SONDE_SAVED_STATES = 64   /* number of the newest states of a feedback that own a tape */
};

/* The first reason for which a tape was kept; files of the store contain it as a word. */
enum sonde_saved_for { SONDE_FOR_COVERAGE, SONDE_FOR_TARGET, SONDE_FOR_STATE, SONDE_FOR_DEPTH };
/* Returns the word for a reason. The words are part of the format of the store and must not change. */
const char *sonde_saved_word(enum sonde_saved_for what);

/* The reasons for which a run is examined. */
enum {
    SONDE_SAVED_REASONS =
        SONDE_NEW_COVERAGE | SONDE_NEW_VALID_COVERAGE | SONDE_NEW_TARGET | SONDE_NEW_STATE | SONDE_NEW_DEPTH
};

/* A tape of the saved corpus. */
struct sonde_saved_tape {
    struct sonde_owner owner; /* first member, so that a pointer to it is a pointer to the entry */
    struct sonde_kept *kept;
    uint32_t slot;
    uint64_t order;  /* number of tapes that had been kept before this one */
    bool is_written; /* the tape was written to the store; set by the code that does so */
    enum sonde_saved_for what;
};

/* The saved corpus of a search. */
struct sonde_saved {
    struct sonde_corpus *corpus;                     /* borrowed; NULL: tapes are separate copies */
    struct sonde_saved_tape *slots[SONDE_SAVED_MAX]; /* NULL: free */
    uint32_t n;
    uint64_t kept; /* number of tapes ever kept */
    /* The things are utilities, the newest states, the depth, and for each feature its classes of counts and its
     * highest count. */
    struct sonde_owners owners;
    uint8_t *highest; /* highest count of each feature, indexed by feature id */
    uint32_t cap_highest;
    struct {
        uint32_t label;
        double best;
    } targets[SONDE_SAVED_TARGETS];
    uint32_t n_targets;
    uint64_t n_states;
    size_t bytes, limit;
};

/* Makes an empty saved corpus. `corpus` is borrowed; `limit` is in bytes. */
void sonde_saved_init(struct sonde_saved *saved, struct sonde_corpus *corpus, size_t limit);
/* Drops all tapes and frees the memory. */
void sonde_saved_clear(struct sonde_saved *saved);
/* Keeps the tape of a run if the tape owns anything. */
void sonde_saved_offer(struct sonde_saved *saved, const struct sonde_run *run);

/* Something that an entry owns and that has a meaning beyond this run. It is a location in the code with a class of
 * counts; the last class is for the highest count. Or it is a utility with its rounded best value. */
struct sonde_saved_thing {
    bool is_target;
    uint32_t id;    /* id of the feature, or of the utility's label */
    uint32_t which; /* class of counts of the feature, or rounded value of the utility */
};
/* A function that is called for each thing with its owner. */
typedef void sonde_saved_visit(void *context, const struct sonde_saved_tape *by, const struct sonde_saved_thing *thing);
/* Calls `visit` for every thing that has an owner. */
void sonde_saved_each_thing(const struct sonde_saved *saved, sonde_saved_visit *visit, void *context);

#endif
