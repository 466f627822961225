/* See levels.h. */
#include "feedback/levels.h"

#include "base/hash.h"
#include "feedback/registers.h"
#include "tape/shape.h"

void sonde_levels_look(struct sonde_levels *levels, const struct sonde_tape *tape,
                       const struct sonde_coverage_view *seen)
{
    struct sonde_level_hashes hashes = sonde_tape_levels(tape);
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
