/* Facts about a run for people: the values that its draws got (draws.c), and the input that reached each location in
 * the code first (firsts.c). Guides do not use them. */
#ifndef SONDE_FEEDBACK_INSIGHT_H
#define SONDE_FEEDBACK_INSIGHT_H

#include "base/limit.h"
#include "case/case.h"
#include "tape/label.h"
#include "tape/tape.h"

/* Draws: a histogram of the values for each drawing location of the generator. It shows people which values were tried.
 * It takes a fixed number of bytes. Only a sample of the cases counts: the first thousand, then about five hundred for
 * each doubling of the number of cases.
 *
 * Bins. A domain of at most 64 values has a bin for each value. A domain of at most 4,096 has bins of equal width.
 * Other numbers are binned by magnitude, by powers of four on both sides of zero. Lengths up to 31 have a bin each,
 * larger ones a bin for each doubling.
 *
 * Example: sonde_int(t, "x", -100000, 100000) gave 0, 1, 2, -7 and 900. Then bin 0 has one value, bin [1, 3] has two,
 * and bins [-15, -4] and [256, 1023] have one each. */

enum { SONDE_DRAWS_MAX = SONDE_LIMIT(48, 4) }; /* maximum number of histograms: of the first locations that draw */

enum sonde_draw_scale { SONDE_SCALE_EVEN, SONDE_SCALE_NUMBER, SONDE_SCALE_REAL, SONDE_SCALE_LENGTH };

/* The histogram of one draw. */
struct sonde_draw {
    uint32_t site, label, within;
    uint8_t kind;   /* enum sonde_kind; SONDE_KIND_COUNT: the number of choices of a case */
    uint8_t scale;  /* enum sonde_draw_scale */
    int64_t lowest; /* for the even scale: the lowest value */
    int64_t step;   /* for the even scale: number of values that share a bin */
    uint64_t n, n_valid;
    double least, most;
    uint32_t count[SONDE_INSIGHT_BINS], valid[SONDE_INSIGHT_BINS];
};

/* The histograms of a search. They never move, so another process may read them while they are written; a count may
 * then lack the last case. */
struct sonde_draws {
    uint64_t cases; /* number of all cases, in the sample or not */
    uint32_t n;
    uint32_t left_out; /* number of values that are in no histogram, because the table was full */
    struct sonde_draw all[SONDE_DRAWS_MAX];
};

/* Returns whether the next case is in the sample. */
static inline bool sonde_draws_wants(struct sonde_draws *draws)
{
    enum { ALL = 1000 }; /* the first cases all count */
    uint64_t i = draws->cases++;
    if (i >= 8 * ALL && i & 15) return false; /* a cheap test, which rejects nearly every case that is to be rejected */
    if (i < ALL) return true;
    unsigned doublings = 64 - (unsigned)__builtin_clzll(i / ALL);
    return (i & ((UINT64_C(1) << doublings) - 1)) == 0;
}

/* Adds a case of the sample. */
void sonde_draws_add(struct sonde_draws *draws, const struct sonde_tape *tape, bool is_valid);
/* Adds the histograms of another search. */
void sonde_draws_merge(struct sonde_draws *draws, const struct sonde_draws *other);
/* Returns a histogram for a reporter; its strings belong to the labels. */
struct sonde_tried sonde_draws_show(const struct sonde_draw *draw, const struct sonde_labels *labels);

/* Firsts: the verdicts of the runs that reached each location in the code, and the first input that did. A valid input
 * is preferred to an earlier input that is not valid. Guides use the corpus instead.
 *
 * Memory is bounded by a number of inputs and of bytes of their tokens. Beyond that, locations still get verdicts, but
 * no first input. */

enum {
    SONDE_FIRSTS_MAX = SONDE_LIMIT(1024, 8), /* maximum number of inputs */
    SONDE_FIRSTS_TOKEN = 2048,               /* bytes of one token; a longer one is truncated and cannot be replayed */
    SONDE_FIRSTS_BYTES = SONDE_LIMIT(1 << 20, 4096),
    SONDE_FIRSTS_FAILING = 256 /* maximum number of failing runs that are examined */
};

/* An input that was the first to reach some location in the code. */
struct sonde_first {
    char *token;
    uint64_t test;
    uint32_t n_choices, owns; /* owns: number of locations whose first input this is */
    bool is_valid, is_cut;
};

/* All first inputs of a search. */
struct sonde_firsts {
    uint8_t *by;     /* by[feature] has bits of enum sonde_reached_by; 0 if the feature is not a location */
    uint32_t *first; /* first[feature] is the index + 1 of its first input in `all` */
    uint32_t cap_by, cap_first;
    struct sonde_first *all;
    uint32_t n, cap, left_out, n_failing;
    size_t bytes;
};

/* Frees the memory. */
void sonde_firsts_clear(struct sonde_firsts *firsts);
/* Adds a case that reached a new location, or failed. `test` is its number. */
void sonde_firsts_add(struct sonde_firsts *firsts, const sonde *t, const struct sonde_coverage_view *seen,
                      uint64_t test);
/* Adds the inputs of another search; feature i of that search is ids[i] here. */
void sonde_firsts_merge(struct sonde_firsts *firsts, const struct sonde_firsts *other, const uint32_t *ids);

/* Returns a token for people, of at most SONDE_FIRSTS_TOKEN bytes; *is_cut reports whether it was truncated. The
 * caller frees it with sonde_free. */
char *sonde_firsts_token(const struct sonde_tape *tape, const struct sonde_labels *labels, bool *is_cut);

#endif
