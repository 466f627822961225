/* See relief.h. The order of relief: whatever the user chose, then `random` (which remembers what was
 * tried), then `enumerate` (which knows when there is nothing left). Decided by counts alone, so that a
 * seed gives the same run on any machine. */
#include "engine/search/relief.h"

#include "guide/guides.h"

bool sonde_relief_is_possible(const struct sonde_search *s)
{
    return s->options->gives_way && s->told_by == SONDE_TOLD_BY_TAPE && !s->has_characteristic && !s->options->fuzz
           && !s->exhausted && !s->n_found && !s->repeats.is_over;
}

uint64_t sonde_relief_after(const struct sonde_search *s)
{
    return s->repeats.look_at - (s->relief ? s->stats.tests : s->stats.valid);
}

static const struct sonde_guide_ops *next_relief(const struct sonde_search *s)
{
    const struct sonde_guide_ops *last = s->relief ? s->relief->ops : s->guide->ops;
    if (last == &sonde_guide_enumerate) return NULL;
    return last == &sonde_guide_random || last == &sonde_guide_auto ? &sonde_guide_enumerate : &sonde_guide_random;
}

void sonde_relief_look(struct sonde_search *s)
{
    bool estimated;
    const struct sonde_stats *n = &s->stats;
    if ((s->relief ? n->tests : n->valid) < s->repeats.look_at) return;
    uint64_t unique = sonde_unique_settle(&s->judge.unique, &estimated);
    /* Not at the first look, which has nothing to compare with; and never by an estimate, whose error
     * looks like standing still. */
    bool is_stuck = s->repeats.valid_then && unique == s->repeats.unique_then && !estimated;
    const struct sonde_guide_ops *by = is_stuck ? next_relief(s) : NULL;
    if (is_stuck) sonde_search_relieve(s, by);
    s->repeats.is_over = is_stuck && !by;
    s->repeats.valid_then = n->valid;
    s->repeats.unique_then = unique;
    /* Twice as many valid cases; under relief as many cases again, valid or not, because it may find no
     * valid one. */
    s->repeats.look_at = s->relief ? n->tests + n->valid : 2 * n->valid;
}
