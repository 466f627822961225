/* Inputs that were run, by the hash of their choices: so that a case is not run once more.
 *
 * A property that draws the same does the same. So a case that has drawn all that an earlier one drew before it ended will
 * draw no more: it is that case again. This is known with the answer to its last draw, before the code under test has run for
 * it, and another answer can be given instead (draw.c). Where every answer to a draw would end so, what was drawn before it
 * leads to nothing new either, and is entered, too.
 *
 * A valid input that is known brings nothing, but one that is not valid brings no more: where hardly any of those that were answered
 * otherwise was valid (say, the last draw must equal another), valid ones are left alone, but for a few to see whether that
 * still holds.
 *
 * Of two hashes that fall on one place the later stays. What is forgotten costs a case, no more. */
#ifndef SONDE_CASE_ENDED_H
#define SONDE_CASE_ENDED_H

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_ENDED_BITS = 16 };

struct sonde_ended {
    uint32_t hashes[1 << SONDE_ENDED_BITS]; /* 0: none; the lowest bit: valid, or it leads to one that is */
    float lost;         /* part of the valid ones that, answered otherwise, were so no more, lately */
    uint32_t occasions; /* to do so, while most are lost */
    bool is_changed;    /* the running case would have been a valid one */
};

enum sonde_end { SONDE_END_NONE, SONDE_END_DISCARDED, SONDE_END_VALID };

static inline void sonde_ended_add(struct sonde_ended *e, uint64_t hash, bool is_valid)
{
    e->hashes[hash >> (64 - SONDE_ENDED_BITS)] = ((uint32_t)hash & ~1u) | is_valid;
}

static inline enum sonde_end sonde_ended_at(const struct sonde_ended *e, uint64_t hash)
{
    uint32_t met = e->hashes[hash >> (64 - SONDE_ENDED_BITS)];
    return (met | 1) != ((uint32_t)hash | 1) ? SONDE_END_NONE : met & 1 ? SONDE_END_VALID : SONDE_END_DISCARDED;
}

/* Is the running case, which would be a known one, to be another? */
static inline bool sonde_ended_changes(struct sonde_ended *e, enum sonde_end end)
{
    enum { ONE_IN = 16 };
    const float most = 0.9f;
    if (end != SONDE_END_VALID) return true;
    if (e->lost > most && ++e->occasions % ONE_IN != 0) return false;
    e->is_changed = true;
    return true;
}

/* The running case has ended. */
static inline void sonde_ended_note(struct sonde_ended *e, uint64_t hash, bool is_valid)
{
    const float of_a_case = 1.0f / 32;
    if (e->is_changed) e->lost += ((float)!is_valid - e->lost) * of_a_case;
    sonde_ended_add(e, hash, is_valid);
}

#endif
