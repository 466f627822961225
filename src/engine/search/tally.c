/* See tally.h. The test of cover checks follows QuickCheck's checkCoverage: a Wilson interval with certainty 10^9 and
 * tolerance 0.9. A check is met when the lower end of the interval is at least 0.9 times the wanted share. It is
 * missed when the upper end is below the wanted share, and undecided otherwise.
 *
 * | checkCoverage (QuickCheck 2.14) | function | difference |
 * | wilson, wilsonLow, wilsonHigh | wilson | z < 0 gives the lower end |
 * | sufficientlyCovered | judge_by_samples, lower end | none |
 * | insufficientlyCovered | judge_by_samples, upper end | none |
 * | the denominator: all valid cases | `independent`, `mass` | only cases that were drawn as the generator would |
 * | not there | judge_exactly | of an exhausted space the share is computed, not sampled | */
#include "engine/search/tally.h"

#include <math.h>
#include <string.h>

void sonde_tally_clear(struct sonde_tally *tally)
{
    sonde_free(tally->assumes);
    sonde_free(tally->labels);
    sonde_free(tally->label_ids);
    sonde_free(tally->masses);
    memset(tally, 0, sizeof *tally);
}

/* Pointers are compared: the strings are literals of one macro expansion. */
static bool same_place(const struct sonde_assume_count *a, const struct sonde_rejection *r)
{
    return a->line == r->line && a->condition == r->condition && a->file == r->file;
}

void sonde_tally_reject(struct sonde_tally *tally, const struct sonde_rejection *r)
{
    for (uint32_t i = 0; i < tally->n_assumes; i++) {
        if (!same_place(&tally->assumes[i], r)) continue;
        tally->assumes[i].rejected++;
        return;
    }
    tally->assumes =
        sonde_grow(tally->assumes, &tally->cap_assumes, (size_t)tally->n_assumes + 1, sizeof *tally->assumes);
    tally->assumes[tally->n_assumes++] =
        (struct sonde_assume_count){.file = r->file, .line = r->line, .condition = r->condition, .rejected = 1};
}

/* Returns the count of a label, and adds it if it is new. Labels are in the order of first use; a linear search is
 * enough, since a property has few. */
static struct sonde_label_count *label_of(struct sonde_tally *tally, const struct sonde_labels *names, uint32_t id)
{
    for (uint32_t i = 0; i < tally->n_labels; i++)
        if (tally->label_ids[i] == id) return &tally->labels[i];
    size_t n = (size_t)tally->n_labels + 1;
    tally->labels = sonde_grow(tally->labels, &tally->cap_labels, n, sizeof *tally->labels);
    tally->label_ids = sonde_grow(tally->label_ids, &tally->cap_ids, n, sizeof *tally->label_ids);
    tally->masses = sonde_grow(tally->masses, &tally->cap_masses, n, sizeof *tally->masses);
    tally->masses[tally->n_labels] = 0;
    tally->label_ids[tally->n_labels] = id;
    tally->labels[tally->n_labels] = (struct sonde_label_count){.name = sonde_label_text(names, id)};
    return &tally->labels[tally->n_labels++];
}

void sonde_tally_valid(struct sonde_tally *tally, const sonde *t, bool independent)
{
    tally->independent += independent;
    for (uint32_t i = 0; i < t->n_hits; i++) {
        const struct sonde_hit *hit = &t->hits[i];
        struct sonde_label_count *label = label_of(tally, t->labels, hit->name);
        label->count += hit->met;
        if (hit->wanted == 0) continue;
        label->wanted = hit->wanted;
        tally->has_cover = true;
        label->met += independent && hit->met;
    }
}

void sonde_tally_weigh(struct sonde_tally *tally, const sonde *t, double probability)
{
    if (probability < 0) tally->is_inexact = true;
    if (!tally->is_inexact) tally->mass += probability;
    for (uint32_t i = 0; i < t->n_hits && !tally->is_inexact; i++) {
        const struct sonde_hit *hit = &t->hits[i];
        if (hit->wanted == 0 || !hit->met) continue;
        tally->masses[label_of(tally, t->labels, hit->name) - tally->labels] += probability;
    }
}

/* Counts are matched by location and by label, which are the same in every worker of one program. */
void sonde_tally_merge(struct sonde_tally *tally, const struct sonde_tally *other, const struct sonde_labels *labels)
{
    for (uint32_t i = 0; i < other->n_assumes; i++) {
        const struct sonde_assume_count *a = &other->assumes[i];
        struct sonde_rejection place = {.file = a->file, .line = a->line, .condition = a->condition};
        sonde_tally_reject(tally, &place);
        for (uint32_t k = 0; k < tally->n_assumes; k++)
            if (same_place(&tally->assumes[k], &place)) tally->assumes[k].rejected += a->rejected - 1;
    }
    for (uint32_t i = 0; i < other->n_labels; i++) {
        const struct sonde_label_count *theirs = &other->labels[i];
        struct sonde_label_count *ours = label_of(tally, labels, other->label_ids[i]);
        ours->count += theirs->count;
        ours->met += theirs->met;
        if (theirs->wanted > 0) ours->wanted = theirs->wanted;
    }
    tally->independent += other->independent;
    tally->has_cover |= other->has_cover;
    tally->is_inexact |= other->has_cover; /* both tallies may have weighed the same input */
}

/* Returns one end of the Wilson interval for k of n; z < 0 is the lower end. */
static double wilson(uint64_t k, uint64_t n, double z)
{
    sonde_assert(n > 0 && k <= n);
    double p = (double)k / (double)n, m = (double)n;
    return (p + z * z / (2 * m) + z * sqrt(p * (1 - p) / m + z * z / (4 * m * m))) / (1 + z * z / m);
}

/* Judges by the exact share, except for rounding. */
static void judge_exactly(struct sonde_label_count *label, double met, double all)
{
    const double rounding = 1e-9;
    sonde_assert(all > 0 && met >= 0 && met <= all); /* holds in spite of rounding: both are sums in the same order */
    label->is_exact = true;
    label->share = 100 * met / all;
    label->cover = label->share >= label->wanted - rounding ? SONDE_COVER_MET : SONDE_COVER_MISSED;
}

bool sonde_tally_is_doubtful(const struct sonde_label_count *label)
{
    const double z = 3; /* with this value, a check that is just met appears doubtful by chance in one run of 700 */
    return label->cover == SONDE_COVER_OPEN && label->sampled
           && wilson(label->met, label->sampled, z) < label->wanted / 100;
}

static void judge_by_samples(struct sonde_label_count *label)
{
    const double z = 6.1094; /* normal quantile for an error of 1 in 10^9, on both sides together */
    const double tolerance = 0.9, claim = label->wanted / 100;
    label->cover = SONDE_COVER_OPEN;
    if (label->sampled == 0) return;
    if (wilson(label->met, label->sampled, -z) >= tolerance * claim) label->cover = SONDE_COVER_MET;
    else if (wilson(label->met, label->sampled, z) < claim) label->cover = SONDE_COVER_MISSED;
}

const struct sonde_label_count *sonde_tally_judge(struct sonde_tally *tally, bool is_complete)
{
    const struct sonde_label_count *missed = NULL;
    for (uint32_t i = 0; i < tally->n_labels; i++) {
        struct sonde_label_count *label = &tally->labels[i];
        if (label->wanted == 0) continue;
        label->sampled = tally->independent;
        if (is_complete && !tally->is_inexact && tally->mass > 0) judge_exactly(label, tally->masses[i], tally->mass);
        else judge_by_samples(label);
        if (label->cover == SONDE_COVER_MISSED && !missed) missed = label;
    }
    return missed;
}
