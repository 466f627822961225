/* See levels.h. */
#include "feedback/levels.h"

#include "base/hash.h"
#include "feedback/registers.h"

/* What stands in place i. All places are added up, so that none has to wait for the one before; a sum of what is mixed
 * depends on the places all the same. */
static inline uint64_t in_place(uint64_t x, uint64_t i)
{
    x = (x + i * UINT64_C(0xd1342543de82ef95)) * UINT64_C(0x9e3779b97f4a7c15);
    return (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

struct sonde_level_hashes sonde_levels_hash(const struct sonde_tape *tape)
{
    uint64_t shape = tape->n_spans, skeleton = 1;
    for (uint32_t i = 1; i < tape->n_spans; i++)
        shape += in_place((uint64_t)tape->spans[i].label << 32 | tape->spans[i].parent, i);
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        uint64_t length = c->kind == SONDE_KIND_BLOB ? c->index : 0;
        shape += in_place((uint64_t)c->span << 32 | (c->site ^ (uint32_t)length), ~(uint64_t)i);
        if (sonde_choice_is_constructor(c)) skeleton += in_place(c->index + 1, i);
    }
    return (struct sonde_level_hashes){.shape = sonde_mix(shape), .skeleton = sonde_mix(shape ^ sonde_mix(skeleton))};
}

void sonde_levels_look(struct sonde_levels *levels, const struct sonde_tape *tape,
                       const struct sonde_coverage_view *seen)
{
    struct sonde_level_hashes hashes = sonde_levels_hash(tape);
    sonde_registers_raise(levels->registers[SONDE_LEVEL_SHAPE], SONDE_LEVEL_BITS, hashes.shape);
    sonde_registers_raise(levels->registers[SONDE_LEVEL_SKELETON], SONDE_LEVEL_BITS, hashes.skeleton);
    if (seen) sonde_registers_raise(levels->registers[SONDE_LEVEL_TRACE], SONDE_LEVEL_BITS, sonde_mix(seen->trace));
}

void sonde_levels_merge(struct sonde_levels *levels, const struct sonde_levels *other)
{
    levels->n += other->n;
    for (unsigned i = 0; i < SONDE_LEVELS; i++)
        sonde_registers_merge(levels->registers[i], other->registers[i], SONDE_LEVEL_BITS);
}

uint64_t sonde_levels_count(const struct sonde_levels *levels, enum sonde_level level)
{
    return sonde_registers_estimate(levels->registers[level], SONDE_LEVEL_BITS);
}
