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
