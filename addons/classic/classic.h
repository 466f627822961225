/* The published baselines: guides that are what papers describe, to compare with. They are made of sonde/extend.h alone, as a guide
 * of a user's own would be, and register themselves where a program links libsonde_classic. */
#ifndef SONDE_CLASSIC_CLASSIC_H
#define SONDE_CLASSIC_CLASSIC_H

#include <sonde/extend.h>

#include <string.h>

extern int sonde_classic_;                                    /* not 0; names the file that registers them */
extern const struct sonde_guide_ops sonde_guide_rl_classic;   /* RLCheck */
extern const struct sonde_guide_ops sonde_guide_cgpt_classic; /* FuzzChick */
extern const struct sonde_guide_ops sonde_guide_zest_bytes;   /* Zest */
extern const struct sonde_guide_ops sonde_guide_crowbar;      /* QcCrowbar */
extern const struct sonde_guide_ops sonde_guide_hill;         /* targeted testing by hill climbing, */
extern const struct sonde_guide_ops sonde_guide_anneal;       /* and by simulated annealing */

/* AFL's map: whether some counter was hit so often as never before, in its classes (1, 2, 3, 4-7, 8-15, 16-31, 32-127, more) or by the
 * bits of the count. `bits` is an array by feature that grows. */
bool classic_shows_new_classes(uint8_t **bits, uint32_t *cap, const struct sonde_coverage_view *view);
bool classic_shows_new_bits(uint8_t **bits, uint32_t *cap, const struct sonde_coverage_view *view);
/* AFL's score of an input, 100 for one like the average: how its cost and its edges compare with the means. */
double classic_score(double speed, double size);

/* An array that holds at least n elements; those that it gained are zero. */
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
