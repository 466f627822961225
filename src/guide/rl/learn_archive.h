/* Valid inputs that `rl` knows, one of each skeleton, and the cases that start from one of them.
 *
 * The model alone is content with the part of the space that it learned first: small trees have payload enough for every
 * case, so nothing asks for larger ones, and one failure of a larger one writes its answers off. Here every skeleton that was
 * ever valid is kept with one input, and a case goes one of four *ways*:
 *   free     the model draws everything;
 *   dress    a kept input again, but the numbers of one site are drawn anew: new payload for skeletons that free cases lack;
 *   change   a kept input again, but an answer of one constructor is another, and what follows from that is drawn: the
 *            way to new skeletons. The answer is the one of which least is known. Often all answers like it change alike:
 *            the black height of a tree cannot change in one place;
 *   venture  the model draws everything, but one draw of few answers has the one that was least seen, and the model goes on
 *            from there. A length that was written off early, because nothing was known about its elements then, is
 *            found valid by what was learned since.
 * Whatever fails on the last three ways is wrong only for the rest, so nothing is blamed for it.
 *
 * The second and the third have a budget: how many cases may be lost by them, compared with free ones. It is small, larger while free cases are
 * of few skeletons, and where free cases fail more often they lose nothing and take over. What they bring, a skeleton that is
 * new, counts as three valid cases. */
#ifndef SONDE_GUIDE_RL_LEARN_ARCHIVE_H
#define SONDE_GUIDE_RL_LEARN_ARCHIVE_H

#include "base/check.h"
#include "base/limit.h"

#include <sonde/extend.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    LEARN_BONES = 128,                     /* answers of an input that is kept; longer ones are not */
    LEARN_ARCHIVE = SONDE_LIMIT(2048, 4),  /* inputs; then a new one replaces any */
    LEARN_KNOWN_BITS = SONDE_LIMIT(16, 4), /* of the table of skeletons that were valid */
    LEARN_RECENT = 256,                    /* free valid cases that are compared with the next */
    LEARN_FREEDOMS = 64,                   /* sites of numbers */
    LEARN_VENTURES = 64,                   /* sites of few answers; further ones are not ventured at */
    LEARN_ANSWERS = 1024,                  /* of them, by hash */
    LEARN_CHANGES = 3                      /* answers that change in one case, at most */
};

enum sonde_learn_way { LEARN_FREE, LEARN_DRESS, LEARN_CHANGE, LEARN_VENTURE, LEARN_WAYS };

/* An answer: of a constructor, or payload. */
struct sonde_learn_bone {
    uint64_t index;
    uint32_t site;
    uint16_t depth; /* spans that were open */
    bool is_constructor;
    bool is_narrow; /* it was one of few answers, of a constructor or not */
};

struct sonde_learn_skeleton {
    uint64_t hash;
    float rate; /* success of late, when it was dressed */
    uint32_t n, n_constructors;
    struct sonde_learn_bone bones[];
};

struct sonde_learn_archive {
    double budget, settle; /* knobs of rl */
    struct sonde_learn_skeleton **kept;
    uint32_t n;
    uint64_t *known, n_known; /* hashes, each at its place: of two the later stays */
    /* Of the case at hand. */
    enum sonde_learn_way way;
    struct sonde_learn_skeleton *followed; /* NULL: the model draws */
    uint32_t cursor;
    uint32_t changes[LEARN_CHANGES]; /* bones that change; UINT32_MAX: none */
    bool is_alike;                   /* all like the first of them change, */
    uint64_t alike_to;               /* to this; UINT64_MAX: not known yet */
    uint32_t ventured_site;          /* one of its draws has the answer that was least seen; 0: that is done */
    uint32_t dressed_site, dressed;  /* the site whose numbers are drawn anew; the one of them, UINT32_MAX: all */
    struct sonde_learn_bone now[LEARN_BONES];
    uint32_t n_now, n_constructors;
    uint64_t hash;
    /* How it goes. */
    struct sonde_learn_way_record {
        float success, news, share; /* moving averages; news: a skeleton that is new */
        uint64_t cases, valid, fresh;
    } ways[LEARN_WAYS];
    struct sonde_learn_freedom {
        uint32_t site;
        float all, one; /* success when all numbers of the site were drawn anew, when one was */
    } freedoms[LEARN_FREEDOMS];
    uint32_t ventures[LEARN_VENTURES], n_ventures; /* sites of few answers */
    uint32_t answers[LEARN_ANSWERS];               /* how often each was in valid cases, or ventured */
    uint64_t recent[LEARN_RECENT], n_recent;       /* skeletons of free valid cases */
    float collisions;                              /* how often two of them are the same */
};

void sonde_learn_archive_init(struct sonde_learn_archive *a);
void sonde_learn_archive_clear(struct sonde_learn_archive *a);

/* Before a case of its own: which way it goes. `n`: cases since there is something to learn. */
void sonde_learn_archive_choose(struct sonde_learn_archive *a, struct sonde_rng *rng, uint64_t n);
/* Before the answers of any case. */
void sonde_learn_archive_begin(struct sonde_learn_archive *a);

/* How a draw of a case that is not free is to be answered. */
enum sonde_learn_wish {
    LEARN_AS_MODEL, /* as the model thinks right */
    LEARN_AS_KEPT,  /* by the index */
    LEARN_OTHER     /* by any other than the index, and say which (sonde_learn_archive_changed) */
};
enum sonde_learn_wish sonde_learn_archive_wish(struct sonde_learn_archive *a, const struct sonde_learn_bone *draw,
                                               uint64_t max, uint64_t *index);
/* True for the one draw of a venture that it is about. */
bool sonde_learn_archive_ventures(struct sonde_learn_archive *a, uint32_t site, struct sonde_rng *rng);
/* How often this answer was seen, to read and to count; two answers may share a count. */
uint32_t *sonde_learn_archive_answer(struct sonde_learn_archive *a, uint32_t site, uint64_t index);
void sonde_learn_archive_changed(struct sonde_learn_archive *a, uint64_t index);
/* A draw was answered. */
void sonde_learn_archive_add(struct sonde_learn_archive *a, const struct sonde_learn_bone *bone);

struct sonde_learn_outcome {
    bool is_own;   /* of this guide: it went the way that was chosen */
    bool is_good;  /* a success */
    bool is_valid; /* ... and a valid input */
};
/* After the answers of any case: keeps it if its skeleton is new. */
void sonde_learn_archive_end(struct sonde_learn_archive *a, struct sonde_rng *rng, struct sonde_learn_outcome how);

/* Hashes and counts of what is kept are those of the bones. */
SONDE_CHECKER(sonde_learn_archive_check, struct sonde_learn_archive);

#endif
