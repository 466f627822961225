/* See branches.h. Hints hold the last unequal sides of each comparison. */
#include "guide/goal/branches.h"

#include "base/hash.h"
#include "guide/goal/attack_parts.h"

enum {
    MET = 8,     /* unequal sides at a location, before it is repaired */
    RARE = 8,    /* an equality that holds in one case of so many is left to chance */
    DOUBT = 8,   /* repairs after which a location is judged, */
    PART = 4,    /* by whether this part of them made its sides equal */
    BORED = 64,  /* repairs without news; then fewer are made, half as many after twice as many */
    LEAST = 1024 /* at least one input in so many is repaired */
};

void sonde_branches_init(struct sonde_branches *b, uint64_t seed, uint64_t stream)
{
    *b = (struct sonde_branches){.cases = 0};
    sonde_rng_seed(&b->rng, seed, stream);
    sonde_tape_init(&b->tape);
}

void sonde_branches_clear(struct sonde_branches *b)
{
    sonde_tape_clear(&b->tape);
}

static bool is_refuted(const struct sonde_goal_branch *x)
{
    return x->tries >= DOUBT && x->hits * PART < x->tries;
}

/* Returns the entry of a comparison; NULL if another one has its place. */
static struct sonde_goal_branch *branch_of(struct sonde_branches *b, uint32_t id, uint64_t left, uint64_t right)
{
    struct sonde_goal_branch *x = &b->table[sonde_mix(id) % SONDE_BRANCHES];
    if (x->id == id + 1) return x;
    if (x->id && x->hits && !is_refuted(x)) return NULL;
    *x = (struct sonde_goal_branch){.id = id + 1, .a = left, .b = right};
    return x;
}

static bool is_due(struct sonde_branches *b, const struct sonde_goal_branch *x)
{
    if (!x->varies[0] || !x->varies[1] || x->unequal < MET || is_refuted(x)) return false;
    if (x->equal * RARE > x->unequal) return false;
    uint32_t every = x->since / BORED + 1;
    return sonde_rng_upto(&b->rng, (every < LEAST ? every : LEAST) - 1) == 0;
}

/* A comparison whose sides were equal has a feature and no hint. */
static void count_equal(struct sonde_branches *b, const struct sonde_coverage_view *seen)
{
    for (size_t i = 0; i < seen->n_features; i++) {
        const struct sonde_feature *f = &seen->features[i];
        if (f->kind != SONDE_FEATURE_COMPARISON || f->mark != 0) continue;
        struct sonde_goal_branch *x = &b->table[sonde_mix(f->id) % SONDE_BRANCHES];
        if (x->id == f->id + 1) x->equal++;
    }
}

bool sonde_branches_consider(struct sonde_branches *b, const struct sonde_run *run, struct sonde_tape *script)
{
    const struct sonde_coverage_view *seen = run->observation->coverage;
    if (!seen || !seen->compared || run->observation->verdict != SONDE_VALID) return false;
    const struct sonde_hint *found = NULL;
    b->at = NULL;
    count_equal(b, seen);
    for (size_t i = 0; i < seen->n_hints; i++) {
        const struct sonde_hint *h = &seen->hints[i];
        struct sonde_goal_branch *x = branch_of(b, h->id, h->a, h->b);
        if (!x) continue;
        x->unequal++;
        x->varies[0] |= h->a != x->a;
        x->varies[1] |= h->b != x->b;
        if (!found && is_due(b, x)) found = h, b->at = x;
    }
    if (!found) return false;
    const struct sonde_comparison c = {.a = found->a, .b = found->b, .bytes = (uint8_t)found->bytes};
    b->at->tries++;
    sonde_tape_copy(&b->tape, run->tape);
    sonde_tape_end(&b->tape);
    return sonde_attack_copy_number(&b->tape, &c, &b->rng, script);
}

void sonde_branches_learn(struct sonde_branches *b, const struct sonde_run *run)
{
    const struct sonde_coverage_view *seen = run->observation->coverage;
    struct sonde_goal_branch *x = b->at;
    bool is_equal = false, is_news = run->interest.reasons & (SONDE_NEW_VALID_COVERAGE | SONDE_NEW_COVERAGE);
    if (!x || !seen) return;
    for (size_t i = 0; i < seen->n_features; i++) {
        const struct sonde_feature *f = &seen->features[i];
        is_equal |= f->kind == SONDE_FEATURE_COMPARISON && f->id + 1 == x->id && f->mark == 0;
    }
    x->hits += is_equal;
    x->since = is_news ? 0 : x->since + 1;
    b->cases++;
    b->hits += is_equal;
    b->news += is_news;
}
