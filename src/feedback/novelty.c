/* See novelty.h. Nearly every run shows nothing new, so the first pass only looks; it is the whole cost then. */
#include "feedback/novelty.h"

#include "base/mem.h"

#include <string.h>

void sonde_novelty_init(struct sonde_novelty *n)
{
    memset(n, 0, sizeof *n);
}

void sonde_novelty_clear(struct sonde_novelty *n)
{
    sonde_free(n->all);
    sonde_free(n->valid);
    sonde_novelty_init(n);
}

static uint64_t *grown(uint64_t *map, uint32_t *cap, uint32_t n)
{
    uint32_t before = *cap;
    map = sonde_grow(map, cap, n, sizeof *map);
    if (*cap > before) memset(map + before, 0, (*cap - before) * sizeof *map);
    return map;
}

/* A bit for each kind of feature that shows something new. */
static uint32_t kinds_of_news(const uint64_t *map, const struct sonde_coverage_view *view)
{
    uint32_t news = 0;
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        news |= (uint32_t)(~map[f->id] >> f->mark & 1) << f->kind;
    }
    return news;
}

static void enter(uint64_t *map, const struct sonde_coverage_view *view, uint64_t *pairs, uint32_t *features,
                  uint32_t *places)
{
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        uint64_t bit = UINT64_C(1) << f->mark;
        *pairs += !(map[f->id] & bit);
        *features += map[f->id] == 0;
        *places += map[f->id] == 0 && f->kind == SONDE_FEATURE_COUNTER;
        map[f->id] |= bit;
    }
}

uint32_t sonde_novelty_judge(struct sonde_novelty *n, const struct sonde_coverage_view *view,
                             enum sonde_verdict verdict)
{
    enum { EDGES = 1 << SONDE_FEATURE_COUNTER, SIDES = 1 << SONDE_FEATURE_COMPARISON };
    uint32_t reasons = 0, news, valid_news;
    if (verdict != SONDE_VALID && verdict != SONDE_DISCARDED) return 0;
    if (view->n_ids > n->cap_all) {
        n->all = grown(n->all, &n->cap_all, view->n_ids);
        n->valid = grown(n->valid, &n->cap_valid, view->n_ids);
    }
    news = kinds_of_news(n->all, view);
    valid_news = verdict == SONDE_VALID ? kinds_of_news(n->valid, view) : 0;
    if (news) enter(n->all, view, &n->n_all, &n->n_features, &n->n_places);
    if (valid_news) enter(n->valid, view, &n->n_valid, &n->n_valid_features, &n->n_valid_places);
    if (news & EDGES) reasons |= SONDE_NEW_COVERAGE;
    if (valid_news & EDGES) reasons |= SONDE_NEW_VALID_COVERAGE;
    if ((news | valid_news) & SIDES) reasons |= SONDE_NEW_COMPARISON;
    return reasons;
}
