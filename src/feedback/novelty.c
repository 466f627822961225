/* See novelty.h. Nearly every run shows nothing new, so the first pass only reads, and usually no other pass is
 * needed.
 *
 * A map is an array of 64-bit sets, one per feature. Bit k is set if the feature was seen with mark k (coverage.c:
 * mark_of, comparison classes). Judging reads n_features words, without a branch per feature. */
#include "feedback/novelty.h"

#include "base/check.h"
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
    sonde_free(n->is_place);
    sonde_novelty_init(n);
}

/* Makes room for `ids` in all three arrays, which have the same capacity and grow by the same rule. Because a crash may
 * come in between, sonde_judge_recover starts with empty arrays. */
static void make_room(struct sonde_novelty *n, uint32_t ids)
{
    if (ids <= n->cap_all && ids <= n->cap_valid && ids <= n->cap_places) return;
    n->all = sonde_grow_zeroed(n->all, &n->cap_all, ids, sizeof *n->all);
    n->valid = sonde_grow_zeroed(n->valid, &n->cap_valid, ids, sizeof *n->valid);
    n->is_place = sonde_grow_zeroed(n->is_place, &n->cap_places, ids, sizeof *n->is_place);
}

/* Returns a bit for each kind of feature that shows something new. */
static uint32_t kinds_of_news(const uint64_t *map, const struct sonde_coverage_view *view)
{
    uint32_t news = 0;
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        /* Branch-free: the bit is 1 if this mark is missing in the map. */
        news |= (uint32_t)(~map[f->id] >> f->mark & 1) << f->kind;
    }
    return news;
}

/* Pointers to the counters of one map. */
struct counts {
    uint64_t *pairs;
    uint32_t *features, *places;
};

static struct counts counts_of(struct sonde_novelty *n, bool valid)
{
    if (valid) return (struct counts){&n->n_valid, &n->n_valid_features, &n->n_valid_places};
    return (struct counts){&n->n_all, &n->n_features, &n->n_places};
}

static void add(uint64_t *seen, uint64_t marks, bool is_place, struct counts counts)
{
    if (!(marks & ~*seen)) return;
    *counts.pairs += (uint64_t)__builtin_popcountll(marks & ~*seen);
    *counts.features += *seen == 0;
    *counts.places += *seen == 0 && is_place;
    *seen |= marks;
}

static void enter(struct sonde_novelty *n, bool valid, const struct sonde_coverage_view *view)
{
    uint64_t *map = valid ? n->valid : n->all;
    struct counts counts = counts_of(n, valid);
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        sonde_assert(f->id < n->cap_places && f->mark < 64); /* the mark is a bit of the map */
        n->is_place[f->id] |= f->kind == SONDE_FEATURE_COUNTER;
        add(&map[f->id], UINT64_C(1) << f->mark, n->is_place[f->id], counts);
    }
}

uint32_t sonde_novelty_judge(struct sonde_novelty *n, const struct sonde_coverage_view *view,
                             enum sonde_verdict verdict)
{
    enum { EDGES = 1 << SONDE_FEATURE_COUNTER, SIDES = 1 << SONDE_FEATURE_COMPARISON };
    uint32_t reasons = 0, news, valid_news;
    /* A failing run has often executed code that only failures reach. If that code entered the maps, the next search
     * would find less news. */
    if (verdict != SONDE_VALID && verdict != SONDE_DISCARDED) return 0;
    make_room(n, view->n_ids);
    /* Everything seen in valid runs is also in the map of all runs. So a valid run that shows nothing new among
     * valid runs shows nothing new at all. */
    valid_news = verdict == SONDE_VALID ? kinds_of_news(n->valid, view) : 0;
    news = verdict != SONDE_VALID || valid_news ? kinds_of_news(n->all, view) : 0;
    uint32_t places = n->n_places + n->n_valid_places;
    if (news) enter(n, false, view);
    if (valid_news) enter(n, true, view);
    sonde_assert(n->n_places <= n->n_features && n->n_features <= n->n_all);
    if (n->n_places + n->n_valid_places > places) reasons |= SONDE_NEW_PLACE;
    if (news & EDGES) reasons |= SONDE_NEW_COVERAGE;
    if (valid_news & EDGES) reasons |= SONDE_NEW_VALID_COVERAGE;
    if ((news | valid_news) & SIDES) reasons |= SONDE_NEW_COMPARISON;
    return reasons;
}

/* Marks mean the same in both searches, so sets are united; ids differ and are translated. */
void sonde_novelty_merge(struct sonde_novelty *n, const struct sonde_novelty *other, const uint32_t *ids)
{
    for (uint32_t i = 0; i < other->cap_places; i++) {
        if (!other->all[i]) continue;
        make_room(n, ids[i] + 1);
        n->is_place[ids[i]] |= other->is_place[i];
        add(&n->all[ids[i]], other->all[i], other->is_place[i], counts_of(n, false));
        if (other->valid[i]) add(&n->valid[ids[i]], other->valid[i], other->is_place[i], counts_of(n, true));
    }
}
