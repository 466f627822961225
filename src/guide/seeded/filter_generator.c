/* The filter `generator`: selects tapes that take a new path in the generator. It is algorithm 4 of the thesis
 * (generator coverage filtering), without instrumentation.
 *
 * The tape shows what the generator did: which draw followed which, and how often (1, 2, 3, 4-7, 8-15, 16-31, 32-127,
 * more). This is finer than branches, because it also shows the class of the value before. One pass over the tape and a
 * lookup in a set are enough. */
#include "base/hash.h"
#include "base/limit.h"
#include "base/map.h"
#include "base/mem.h"
#include "guide/seeded/filter_draws.h"
#include "guide/seeded/filter_parts.h"

enum { PATHS_MAX = SONDE_LIMIT(1 << 20, 1 << 8) };

struct sonde_generator_paths {
    struct sonde_map seen; /* hashes of paths, as keys */
    struct sonde_transitions scratch;
};

struct sonde_generator_paths *sonde_generator_paths_create(void)
{
    return sonde_calloc(1, sizeof(struct sonde_generator_paths));
}

void sonde_generator_paths_free(struct sonde_generator_paths *w)
{
    if (!w) return;
    sonde_map_clear(&w->seen);
    sonde_transitions_clear(&w->scratch);
    sonde_free(w);
}

/* Adds a path; returns whether it was new. When the set has PATHS_MAX paths, no path is new any more. The value in the
 * map is a count that may wrap after 2^32 tapes; only the step from 0 to 1 matters. */
static bool add(struct sonde_generator_paths *w, uint64_t path)
{
    if (w->seen.n == PATHS_MAX) return false;
    return ++*sonde_map_at(&w->seen, path) == 1;
}

static uint64_t bucket(uint32_t count)
{
    static const uint32_t starts[] = {1, 2, 3, 4, 8, 16, 32, 128};
    uint64_t n = 0;
    while (n < sizeof starts / sizeof *starts && count >= starts[n]) n++;
    return n;
}

bool sonde_generator_paths_add(struct sonde_generator_paths *w, const struct sonde_tape *tape)
{
    bool is_new = false;
    sonde_transitions_of(&w->scratch, tape);
    for (uint32_t i = 0; i < w->scratch.n; i++) {
        const struct sonde_transition *t = &w->scratch.all[i];
        is_new |= add(w, sonde_mix(t->key + bucket(t->count)));
    }
    for (uint32_t i = 0; i < w->scratch.n_branches; i++) is_new |= add(w, sonde_mix(w->scratch.branches[i]));
    return is_new;
}
