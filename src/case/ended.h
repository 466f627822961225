/* The hashes of inputs that were run, so that the same case is not run again.
 *
 * A property that draws the same values does the same. So a case whose draws so far are all the draws of an earlier
 * case will draw no more: it is a repeat. draw.c knows this when the last draw gets its value, before the code under
 * test runs, and can then return another value instead. Where every value of a draw would repeat a case, the draws
 * before it lead to nothing new either, so their hash is entered, too.
 *
 * A repeated valid input shows nothing new, but neither does an invalid one. If the last value must, for example, equal
 * another value, then changing it rarely gives a valid input. In such a property valid repeats are not changed, except
 * a few that test whether this still holds.
 *
 * If two hashes fall on one slot, the later one stays. A lost hash costs at most one repeated case. */
#ifndef SONDE_CASE_ENDED_H
#define SONDE_CASE_ENDED_H

#include <stdbool.h>
#include <stdint.h>

enum { SONDE_ENDED_BITS = 16 };

/* The hashes of the inputs that a search has run, by their high bits. All zeros is empty. */
struct sonde_ended {
    /* 0 is a free slot. The lowest bit is set if the input is valid, or begins a valid input. */
    uint32_t hashes[1 << SONDE_ENDED_BITS];
    float lost;         /* moving average: share of valid repeats that became invalid when changed */
    uint32_t occasions; /* number of valid repeats met while `lost` was high */
    bool is_changed;    /* the running case was changed, because it would have repeated a valid case */
};

/* How an earlier case with the same choices ended. NONE: there is no such case, as far as is known. */
enum sonde_end { SONDE_END_NONE, SONDE_END_DISCARDED, SONDE_END_VALID };

/* Enters the hash of an input, in place of an older hash in the same slot. */
static inline void sonde_ended_add(struct sonde_ended *e, uint64_t hash, bool is_valid)
{
    e->hashes[hash >> (64 - SONDE_ENDED_BITS)] = ((uint32_t)hash & ~1u) | is_valid;
}

/* Returns how the case with this hash ended; NONE if the hash is not known. Compares 47 of its 64 bits. */
static inline enum sonde_end sonde_ended_at(const struct sonde_ended *e, uint64_t hash)
{
    uint32_t met = e->hashes[hash >> (64 - SONDE_ENDED_BITS)];
    return (met | 1) != ((uint32_t)hash | 1) ? SONDE_END_NONE : met & 1 ? SONDE_END_VALID : SONDE_END_DISCARDED;
}

/* Returns whether the running case, which would repeat a known one, is to be changed. If changes made most valid
 * repeats invalid (`most`), only one in ONE_IN is changed. */
static inline bool sonde_ended_changes(struct sonde_ended *e, enum sonde_end end)
{
    enum { ONE_IN = 16 };
    const float most = 0.9f;
    if (end != SONDE_END_VALID) return true;
    if (e->lost > most && ++e->occasions % ONE_IN != 0) return false;
    e->is_changed = true;
    return true;
}

/* Records that the running case has ended. `of_a_case` is the weight of one case in the moving average. */
static inline void sonde_ended_note(struct sonde_ended *e, uint64_t hash, bool is_valid)
{
    const float of_a_case = 1.0f / 32;
    if (e->is_changed) e->lost += ((float)!is_valid - e->lost) * of_a_case;
    sonde_ended_add(e, hash, is_valid);
}

#endif
