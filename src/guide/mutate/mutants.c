/* Mutants without a guide; see struct sonde_mutants in guides.h. There are no hints from comparisons here: the fuzzer
 * that asks for mutants watches comparisons itself. */
#include "guide/guides.h"
#include "guide/mutate/mutate.h"

#include "base/mem.h"

enum { DONORS = 32 << 20 }; /* maximum size of all donor tapes in bytes */

struct sonde_mutants {
    struct sonde_rng *rng; /* borrowed */
    struct sonde_guide_setup setup;
    struct sonde_parents donors;
    struct sonde_hints hints;
    struct sonde_mutate mutate;
};

struct sonde_mutants *sonde_mutants_create(struct sonde_rng *rng)
{
    struct sonde_mutants *m = sonde_calloc(1, sizeof *m);
    m->rng = rng;
    sonde_parents_init(&m->donors, NULL, DONORS);
    sonde_mutate_init(&m->mutate, &m->setup, rng, &m->donors, &m->hints);
    return m;
}

void sonde_mutants_free(struct sonde_mutants *m)
{
    sonde_mutate_clear(&m->mutate);
    sonde_parents_clear(&m->donors);
    sonde_free(m);
}

static void keep_donor(struct sonde_parents *donors, const struct sonde_tape *tape, bool is_valid)
{
    enum sonde_pool pool = is_valid ? SONDE_POOL_VALID : SONDE_POOL_DISCARDED;
    struct sonde_observation nothing = {.verdict = is_valid ? SONDE_VALID : SONDE_DISCARDED};
    sonde_parents_keep(donors, pool, &(struct sonde_run){.tape = tape, .observation = &nothing});
}

void sonde_mutants_add_donor(struct sonde_mutants *m, const struct sonde_tape *tape, bool is_valid)
{
    keep_donor(&m->donors, tape, is_valid);
}

void sonde_mutants_take_valid(struct sonde_mutants *m, struct sonde_tape *to)
{
    enum { RIVALS = 3 };
    const struct sonde_pooled *valid = sonde_parents_pick(&m->donors, SONDE_POOL_VALID, m->rng, RIVALS);
    if (valid) sonde_tape_copy(to, &valid->kept->tape);
}

void sonde_mutants_change(struct sonde_mutants *m, struct sonde_tape *script)
{
    sonde_mutate(&m->mutate, script);
}

bool sonde_mutants_cross(struct sonde_mutants *m, struct sonde_tape *script, const struct sonde_tape *other)
{
    struct sonde_parents only; /* holds only the other tape, so that the part must come from it */
    sonde_parents_init(&only, NULL, DONORS);
    keep_donor(&only, other, true);
    m->mutate.parents = &only;
    bool crossed = sonde_mutate_splice(&m->mutate, script);
    m->mutate.parents = &m->donors;
    sonde_parents_clear(&only);
    return crossed;
}
