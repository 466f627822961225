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

static bool shows_new(const uint64_t *map, const struct sonde_coverage_view *view)
{
    uint64_t unseen = 0;
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        unseen |= ~map[f->id] >> f->mark & 1;
    }
    return unseen != 0;
}

static void enter(uint64_t *map, const struct sonde_coverage_view *view, uint64_t *pairs, uint32_t *features)
{
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        uint64_t bit = UINT64_C(1) << f->mark;
        *pairs += !(map[f->id] & bit);
        *features += map[f->id] == 0;
        map[f->id] |= bit;
    }
}

uint32_t sonde_novelty_judge(struct sonde_novelty *n, const struct sonde_coverage_view *view,
                             enum sonde_verdict verdict)
{
    uint32_t reasons = 0;
    if (verdict != SONDE_VALID && verdict != SONDE_DISCARDED) return 0;
    if (view->n_ids > n->cap_all) {
        n->all = grown(n->all, &n->cap_all, view->n_ids);
        n->valid = grown(n->valid, &n->cap_valid, view->n_ids);
    }
    if (shows_new(n->all, view)) {
        enter(n->all, view, &n->n_all, &n->n_features);
        reasons |= SONDE_NEW_COVERAGE;
    }
    if (verdict == SONDE_VALID && shows_new(n->valid, view)) {
        enter(n->valid, view, &n->n_valid, &n->n_valid_features);
        reasons |= SONDE_NEW_VALID_COVERAGE;
    }
    return reasons;
}
