/* What a run leaves for people: what its draws were answered with (draws.c), and which input reached which code first (firsts.c).
 * Guides do not use it. */
#ifndef SONDE_FEEDBACK_INSIGHT_H
#define SONDE_FEEDBACK_INSIGHT_H

#include "base/limit.h"
#include "case/case.h"
#include "tape/label.h"
#include "tape/tape.h"

/* Draws: what the draws of a property were answered with: a histogram for each place of the generator that draws, in a fixed
 * number of bytes, for people who ask "what did it try?". Only a sample of the cases is looked at: the first thousand,
 * then ever fewer, about five hundred for each doubling of the number of cases.
 *
 * Bins. A domain of at most 64 values has one for each, and one of at most 4,096 has bins of equal width. Other numbers share a
 * bin with those of like magnitude, by powers of four on both sides of zero. Lengths have their own bin up to 31, then one for each doubling.
 *
 * Example: sonde_int(t, "x", -100000, 100000) that was answered 0, 1, 2, -7 and 900 has one in the bin 0, two in the bin
 * [1, 3], one in [-15, -4] and one in [256, 1023]. */

enum { SONDE_DRAWS_MAX = SONDE_LIMIT(48, 4) };

enum sonde_draw_scale { SONDE_SCALE_EVEN, SONDE_SCALE_NUMBER, SONDE_SCALE_REAL, SONDE_SCALE_LENGTH };

struct sonde_draw {
    uint32_t site, label, within;
    uint8_t kind;   /* enum sonde_kind; SONDE_KIND_COUNT: how many choices a case made */
    uint8_t scale;  /* enum sonde_draw_scale */
    int64_t lowest; /* of an even scale, */
    int64_t step;   /* and how many values share a bin */
    uint64_t n, n_valid;
    double least, most;
    uint32_t count[SONDE_INSIGHT_BINS], valid[SONDE_INSIGHT_BINS];
};

/* Nothing in it moves, so another process may read it while it is written: a count may be a case behind. */
struct sonde_draws {
    uint64_t cases; /* that were there, whether looked at or not */
    uint32_t n;
    uint32_t left_out; /* answers at places that there was no room for */
    struct sonde_draw all[SONDE_DRAWS_MAX];
};

/* Whether the next case is in the sample. */
static inline bool sonde_draws_wants(struct sonde_draws *draws)
{
    enum { ALL = 1000 };
    uint64_t i = draws->cases++;
    if (i >= 8 * ALL && i & 15) return false; /* what the lines below say too, of nearly all, at less cost */
    if (i < ALL) return true;
    unsigned doublings = 64 - (unsigned)__builtin_clzll(i / ALL);
    return (i & ((UINT64_C(1) << doublings) - 1)) == 0;
}

/* A case that was asked for by the above. */
void sonde_draws_add(struct sonde_draws *draws, const struct sonde_tape *tape, bool is_valid);
void sonde_draws_merge(struct sonde_draws *draws, const struct sonde_draws *other);
/* For a reporter; texts are those of the labels. */
struct sonde_tried sonde_draws_show(const struct sonde_draw *draw, const struct sonde_labels *labels);

/* Firsts: which input was the first to reach a place in the code: for each place the verdicts of the runs that reached it, and
 * the first of them, a valid one if there is any. For people: guides have the corpus.
 *
 * Memory is bounded: so many inputs, so many bytes of their tokens. Beyond that the verdicts go on being noted, and only
 * the inputs are missing. */

enum {
    SONDE_FIRSTS_MAX = SONDE_LIMIT(1024, 8), /* inputs */
    SONDE_FIRSTS_TOKEN = 2048,               /* bytes of one; a longer one is cut off, and cannot be replayed */
    SONDE_FIRSTS_BYTES = SONDE_LIMIT(1 << 20, 4096),
    SONDE_FIRSTS_FAILING = 256 /* failing runs that are looked at */
};

struct sonde_first {
    char *token;
    uint64_t test;
    uint32_t n_choices, owns; /* owns: places for which it is the first */
    bool is_valid, is_cut;
};

struct sonde_firsts {
    uint8_t *by;     /* by feature id: enum sonde_reached_by; features that are no places stay 0 */
    uint32_t *first; /* index + 1 */
    uint32_t cap_by, cap_first;
    struct sonde_first *all;
    uint32_t n, cap, left_out, n_failing;
    size_t bytes;
};

void sonde_firsts_clear(struct sonde_firsts *firsts);
/* After a case that was judged to have reached a new place, or failed. `test`: its number. */
void sonde_firsts_add(struct sonde_firsts *firsts, const sonde *t, const struct sonde_coverage_view *seen,
                      uint64_t test);
/* Adds what another search noted, whose features are called ids[their id] here. */
void sonde_firsts_merge(struct sonde_firsts *firsts, const struct sonde_firsts *other, const uint32_t *ids);

/* A token for people, of at most SONDE_FIRSTS_TOKEN bytes; whether it was cut off. To be freed by sonde_free. */
char *sonde_firsts_token(const struct sonde_tape *tape, const struct sonde_labels *labels, bool *is_cut);

#endif
