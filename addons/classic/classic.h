/* The published baselines: guides implemented as papers describe them, for comparison. They use only sonde/extend.h,
 * as a custom guide would, and register themselves in programs that link libsonde_classic. */
#ifndef SONDE_CLASSIC_CLASSIC_H
#define SONDE_CLASSIC_CLASSIC_H

#include <sonde/extend.h>

#include <string.h>

extern int sonde_classic_; /* never 0; using it links the file that registers the guides */
extern const struct sonde_guide_ops sonde_guide_rl_classic;     /* RLCheck */
extern const struct sonde_guide_ops sonde_guide_cgpt_classic;   /* FuzzChick */
extern const struct sonde_guide_ops sonde_guide_zest_bytes;     /* Zest */
extern const struct sonde_guide_ops sonde_guide_crowbar;        /* QcCrowbar */
extern const struct sonde_guide_ops sonde_guide_target_classic; /* targeted testing with a pool of seeds */
extern const struct sonde_guide_ops sonde_guide_hill;           /* targeted testing by hill climbing */
extern const struct sonde_guide_ops sonde_guide_anneal;         /* targeted testing by simulated annealing */

/* Returns whether some counter has a new count, and records the new counts. Counts are compared in AFL's classes (1, 2,
 * 3, 4-7, 8-15, 16-31, 32-127, more), or by their bits. `bits` is an array with one entry per feature; it grows as
 * needed. */
bool classic_shows_new_classes(uint8_t **bits, uint32_t *cap, const struct sonde_coverage_view *view);
bool classic_shows_new_bits(uint8_t **bits, uint32_t *cap, const struct sonde_coverage_view *view);
/* Returns AFL's score of an input, given its cost and edges relative to the means; 100 is average. */
double classic_score(double speed, double size);

/* Moves a number by up to a tenth of its range. Returns false if the choice is to be drawn again: one time in ten for
 * numbers, always for anything else. */
bool classic_step(struct sonde_rng *rng, struct sonde_tape *script, uint32_t choice);

/* One entry of the state in RLCheck's figure 3: the value of a node, or the child that the path takes. */
struct classic_entry {
    uint32_t name; /* site of the draw, or label of the list */
    bool is_value;
    uint64_t value; /* 0 unless is_value */
};
/* Fills entries[] with the state of a choice that is drawn in `span` after `end` choices, the nearest entry first.
 * Returns the number of entries, at most `max`. */
uint32_t classic_parents(const struct sonde_tape *tape, uint32_t span, uint32_t end, struct classic_entry *entries,
                         uint32_t max);

/* Returns true with probability 1/n. */
static inline bool classic_one_in(struct sonde_rng *rng, uint64_t n)
{
    return sonde_rng_upto(rng, n - 1) == 0;
}

/* Grows an array to hold at least n elements, the new ones zero. Returns the array. */
static inline void *classic_grow(void *array, uint32_t *cap, uint32_t n, size_t size)
{
    if (n <= *cap) return array;
    uint32_t more = *cap ? *cap : 16;
    while (more < n) more *= 2;
    array = sonde_realloc(array, more * size);
    memset((char *)array + *cap * size, 0, (more - *cap) * size);
    *cap = more;
    return array;
}

#endif
