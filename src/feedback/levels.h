/* Valid inputs are different in more than one way, and a search that makes ever more of one sort may lack all others. So
 * they are counted on several levels, each apart:
 *   shape      which spans and draws there are, in what order, and how long, whatever their values
 *   skeleton   ... and which constructors: the answers of draws with few answers that are no numbers
 *   trace      the way through instrumented code, with counts
 *   payload    everything (feedback/unique.h counts that, not this)
 * Counts are estimates (registers.h) in a fixed number of bytes. In long runs a sample has to do: drawing a number takes a
 * nanosecond or two, and looking at it again as much. */
#ifndef SONDE_FEEDBACK_LEVELS_H
#define SONDE_FEEDBACK_LEVELS_H

#include "observe/coverage.h"
#include "tape/tape.h"

enum sonde_level { SONDE_LEVEL_SHAPE, SONDE_LEVEL_SKELETON, SONDE_LEVEL_TRACE, SONDE_LEVELS };

enum {
    SONDE_LEVEL_BITS = 14,      /* of the registers of a level, 16 kB: a standard error of 0.8 % */
    SONDE_LEVELS_ALL = 1 << 17, /* valid inputs up to which each is looked at; from then on one in */
    SONDE_LEVELS_ONE_IN = 8
};

struct sonde_levels {
    uint64_t n; /* valid inputs */
    uint8_t registers[SONDE_LEVELS][1 << SONDE_LEVEL_BITS];
};

void sonde_levels_look(struct sonde_levels *levels, const struct sonde_tape *tape,
                       const struct sonde_coverage_view *seen);
/* A valid input; `seen` is NULL where the code is not instrumented. */
static inline void sonde_levels_add(struct sonde_levels *levels, const struct sonde_tape *tape,
                                    const struct sonde_coverage_view *seen)
{
    if (levels->n++ < SONDE_LEVELS_ALL || levels->n % SONDE_LEVELS_ONE_IN == 0) sonde_levels_look(levels, tape, seen);
}

void sonde_levels_merge(struct sonde_levels *levels, const struct sonde_levels *other);
/* How many were different; of a long run, among those that were looked at. */
uint64_t sonde_levels_count(const struct sonde_levels *levels, enum sonde_level level);

#endif
