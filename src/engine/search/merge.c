/* See merge.h. In the supervisor, in the heap of the first search, after all workers have ended; the
 * other heap is only read. */
#include "engine/search/merge.h"

#include "base/mem.h"

#include <string.h>

static struct sonde_found *known_as(struct sonde_search *s, const struct sonde_claim *claim)
{
    for (uint32_t i = 0; i < s->n_found; i++)
        if (sonde_claim_same(&s->found[i]->claim, claim)) return s->found[i];
    return NULL;
}

static void merge_failures(struct sonde_search *s, const struct sonde_search *other)
{
    for (uint32_t i = 0; i < other->n_found; i++) {
        const struct sonde_found *theirs = other->found[i];
        struct sonde_found *ours = known_as(s, &theirs->claim);
        if (!ours && s->n_found == SONDE_FOUND_MAX) continue;
        if (!ours) ours = s->found[s->n_found++] = sonde_found_copy(theirs);
        sonde_found_merge(ours, theirs);
    }
}

static void merge_coverage(struct sonde_search *s, const struct sonde_search *other)
{
    uint32_t *ids = sonde_coverage_translate(s->coverage, other->coverage);
    sonde_novelty_merge(&s->judge.novelty, &other->judge.novelty, ids);
    sonde_coverage_merge(s->coverage, other->coverage, ids);
    if (s->notebook && other->notebook) sonde_notebook_merge(s->notebook, other->notebook, ids);
    sonde_free(ids);
}

static void merge_misuse(struct sonde_search *s, const struct sonde_search *other)
{
    memcpy(s->misuse, other->misuse, sizeof s->misuse);
    memcpy(s->misuse_frames, other->misuse_frames, sizeof s->misuse_frames);
    s->n_misuse_frames = other->n_misuse_frames;
    s->misused_at = other->misused_at;
    if (other->misused.n_spans) sonde_tape_copy(&s->misused, &other->misused);
}

/* Labels first: what follows names them by ids, which are hashes and so the same in both. Coverage has ids of its own in each
 * search, and is translated. */
void sonde_search_merge(struct sonde_search *s, const struct sonde_search *other)
{
    struct sonde_stats *a = &s->stats;
    const struct sonde_stats *b = &other->stats;
    sonde_labels_take(&s->labels, &other->labels);
    a->tests += b->tests;
    a->valid += b->valid;
    a->discarded += b->discarded;
    a->overruns += b->overruns;
    a->choices += b->choices;
    a->imported += b->imported;
    merge_coverage(s, other);
    sonde_unique_merge(&s->judge.unique, &other->judge.unique);
    sonde_levels_merge(&s->judge.levels, &other->judge.levels);
    sonde_sample_merge(&s->rerun.sample, &other->rerun.sample);
    s->has_threads |= other->has_threads;
    s->has_characteristic |= other->has_characteristic;
    sonde_tally_merge(&s->tally, &other->tally, &s->labels);
    sonde_bests_merge(&s->judge.bests, &other->judge.bests, &s->labels);
    sonde_watch_merge(s->t->watched, other->t->watched);
    sonde_reached_merge(&s->t->reached, &other->t->reached);
    merge_failures(s, other);
    s->exhausted |= other->exhausted;
    /* Reasons above TIME say more than a limit that was met; an error outweighs all. */
    if (s->stopped <= SONDE_STOP_TIME || other->stopped == SONDE_STOP_ERROR) s->stopped = other->stopped;
    if (!s->misuse[0]) merge_misuse(s, other);
    if (!s->warning[0]) memcpy(s->warning, other->warning, sizeof s->warning);
    if (!s->overrun) s->overrun = other->overrun;
}
