/* See shape.h. */
#include "tape/shape.h"

#include "base/hash.h"

/* Mixes x with its position i. The hash of a tape is the sum of the results, which the CPU can compute in parallel.
 * Without the position, the sum would not depend on the order. */
static inline uint64_t at_position(uint64_t x, uint64_t i)
{
    x = (x + i * UINT64_C(0xd1342543de82ef95)) * UINT64_C(0x9e3779b97f4a7c15);
    return (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

struct sonde_level_hashes sonde_tape_levels(const struct sonde_tape *tape)
{
    uint64_t shape = tape->n_spans, skeleton = 1;
    for (uint32_t i = 1; i < tape->n_spans; i++)
        shape += at_position((uint64_t)tape->spans[i].label << 32 | tape->spans[i].parent, i);
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        uint64_t length = c->kind == SONDE_KIND_BLOB ? c->index : 0;
        shape += at_position((uint64_t)c->span << 32 | (c->site ^ (uint32_t)length), ~(uint64_t)i);
        if (sonde_choice_is_constructor(c)) skeleton += at_position(c->index + 1, i);
    }
    return (struct sonde_level_hashes){.shape = sonde_mix(shape), .skeleton = sonde_mix(shape ^ sonde_mix(skeleton))};
}
