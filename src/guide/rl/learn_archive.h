/* The archive of `rl`: valid inputs, one for each skeleton, and cases that start from one of them. A skeleton is the
 * sequence of an input's constructors: draws that decide its structure. All other values are payload.
 *
 * The model alone stays in the part of the space that it learned first. Small trees have enough payload for every case,
 * so nothing makes it try larger ones, and one failure of a larger one discredits its values. So every skeleton that
 * was ever valid is kept with one input, and each case is made in one of four *ways*:
 * - free: the model draws everything.
 * - dress: a kept input again, but the numbers of one site are drawn again. This gives new payload to skeletons that
 *   free cases lack.
 * - change: a kept input again, but one constructor gets another value, the one about which least is known. Everything
 *   that follows from it is drawn. This finds new skeletons. Often all similar constructors change in the same way,
 *   because, for example, the black height of a tree cannot change at one node alone.
 * - venture: the model draws everything, except that one draw from a small domain gets its rarest value, and the model
 *   continues from there. A length that was discredited early, when nothing was known about its elements, is found
 *   valid by what was learned since.
 * If a case of the last three ways fails, its values are wrong only in that combination, so no weight is blamed.
 *
 * Dress and change have a budget: how many cases may be lost by them, compared with free ones. It is small, but larger
 * while free cases have few skeletons. Where free cases fail more often, the two ways lose nothing and take over. A
 * new skeleton counts as three valid cases. */
#ifndef SONDE_GUIDE_RL_LEARN_ARCHIVE_H
#define SONDE_GUIDE_RL_LEARN_ARCHIVE_H

#include "base/check.h"
#include "base/limit.h"

#include <sonde/extend.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    LEARN_BONES = 128,                     /* maximum number of draws of a kept input; longer inputs are not kept */
    LEARN_ARCHIVE = SONDE_LIMIT(2048, 4),  /* maximum number of kept inputs; then a new input replaces a random one */
    LEARN_KNOWN_BITS = SONDE_LIMIT(16, 4), /* log2 of the size of the table of valid skeletons */
    LEARN_RECENT = 256,                    /* number of latest free valid cases with which the next one is compared */
    LEARN_FREEDOMS = 64,                   /* number of entries in the table of sites that were dressed */
    LEARN_VENTURES = 64,                   /* maximum number of sites of small domains; ventures ignore further ones */
    LEARN_ANSWERS = 1024,                  /* number of counters of the values drawn at these sites, found by hash */
    LEARN_CHANGES = 3                      /* maximum number of constructors that change in one case */
};

enum sonde_learn_way { LEARN_FREE, LEARN_DRESS, LEARN_CHANGE, LEARN_VENTURE, LEARN_WAYS };

/* One draw of a kept input with its value: a constructor, or payload. */
struct sonde_learn_bone {
    uint64_t index;
    uint32_t site;
    uint16_t depth; /* number of open spans */
    bool is_constructor;
    bool is_narrow; /* the domain of the draw is small, as for every constructor */
};

/* A kept input. */
struct sonde_learn_skeleton {
    uint64_t hash;
    float rate; /* recent success of cases that dressed this input */
    uint32_t n, n_constructors;
    struct sonde_learn_bone bones[];
};

/* The archive, and the way of the running case. */
struct sonde_learn_archive {
    struct sonde_learn_skeleton **kept;
    uint32_t n;
    uint64_t *known, n_known; /* hash table of skeletons; a later skeleton overwrites an earlier one in the same slot */
    /* The running case. */
    enum sonde_learn_way way;
    struct sonde_learn_skeleton *followed; /* the kept input that the case follows; NULL: the model draws */
    uint32_t cursor;
    uint32_t changes[LEARN_CHANGES]; /* indices of bones that change; UINT32_MAX: none */
    bool is_alike;                   /* all bones similar to the first of `changes` change too */
    uint64_t alike_to;               /* the index that these bones get; UINT64_MAX: not known yet */
    uint32_t ventured_site;          /* one draw of this site gets its rarest value; 0: none, or it was drawn */
    /* the site and the bone that are drawn again; bone UINT32_MAX: all bones of the site */
    uint32_t dressed_site, dressed;
    struct sonde_learn_bone now[LEARN_BONES];
    uint32_t n_now, n_constructors;
    uint64_t hash;
    /* Success. */
    struct sonde_learn_way_record {
        float success, news, share; /* moving averages; news: the share of cases with a new skeleton */
        uint64_t cases, valid, fresh;
    } ways[LEARN_WAYS];
    struct sonde_learn_freedom {
        uint32_t site;
        float all, one; /* success of cases that drew all numbers of the site again, and of cases that drew one again */
    } freedoms[LEARN_FREEDOMS];
    uint32_t ventures[LEARN_VENTURES], n_ventures; /* sites of small domains */
    uint32_t answers[LEARN_ANSWERS];               /* how often each value was in valid cases or ventures */
    uint64_t recent[LEARN_RECENT], n_recent;       /* hashes of the skeletons of free valid cases */
    float collisions;                              /* recent share of free cases that repeat a recent skeleton */
};

/* Allocates an empty archive; sonde_learn_archive_clear frees it. */
void sonde_learn_archive_init(struct sonde_learn_archive *a);
void sonde_learn_archive_clear(struct sonde_learn_archive *a);

/* Chooses the way of the next case of this guide. `n`: cases since learning began. */
void sonde_learn_archive_choose(struct sonde_learn_archive *a, struct sonde_rng *rng, uint64_t n);
/* Prepares for the draws of a new case, of any guide. */
void sonde_learn_archive_begin(struct sonde_learn_archive *a);

/* How to choose at a draw of a case that is not free. */
enum sonde_learn_wish {
    LEARN_AS_MODEL, /* let the model choose */
    LEARN_AS_KEPT,  /* take the given index */
    LEARN_OTHER     /* take any index but the given one; report it with sonde_learn_archive_changed */
};
/* Returns how to choose at this draw; fills in `index` for LEARN_AS_KEPT and LEARN_OTHER. */
enum sonde_learn_wish sonde_learn_archive_wish(struct sonde_learn_archive *a, const struct sonde_learn_bone *draw,
                                               uint64_t max, uint64_t *index);
/* Reports whether this draw of a venture shall get its rarest value; true once in a case. */
bool sonde_learn_archive_ventures(struct sonde_learn_archive *a, uint32_t site, struct sonde_rng *rng);
/* Returns the counter of a value at a site, to read and to increment; two values may share a counter. */
uint32_t *sonde_learn_archive_answer(struct sonde_learn_archive *a, uint32_t site, uint64_t index);
/* Notes the index that was chosen for LEARN_OTHER. */
void sonde_learn_archive_changed(struct sonde_learn_archive *a, uint64_t index);
/* Appends a draw with its value to the running case. */
void sonde_learn_archive_add(struct sonde_learn_archive *a, const struct sonde_learn_bone *bone);
/* Reports whether the running case, which must be complete, has a known skeleton. */
bool sonde_learn_archive_knows(const struct sonde_learn_archive *a);

/* The outcome of a case. */
struct sonde_learn_outcome {
    bool is_own;   /* this guide made the case, in the way that was chosen */
    bool is_good;  /* the case was a success */
    bool is_valid; /* the input was valid */
};
/* Ends a case, of any guide: updates the rates, and keeps the case if its skeleton is new. */
void sonde_learn_archive_end(struct sonde_learn_archive *a, struct sonde_rng *rng, struct sonde_learn_outcome how);

/* Asserts that the counts in each kept input agree with its bones. */
SONDE_CHECKER(sonde_learn_archive_check, struct sonde_learn_archive);

#endif
