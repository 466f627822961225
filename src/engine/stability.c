/* See stability.h. */
#include "engine/stability.h"

#include "base/mem.h"

#include <string.h>

/* ---- Is the property deterministic? */

static const char *difference(const struct sonde_choice *a, const struct sonde_choice *b)
{
    if (a->label != b->label || a->kind != b->kind) return "another draw was made in its place";
    if (a->max != b->max || (a->kind != SONDE_KIND_BLOB && a->kind != SONDE_KIND_DOUBLE && a->base != b->base))
        return "its range was different";
    return NULL;
}

bool sonde_stability_difference(const struct sonde_search *s, const struct sonde_tape *a, const struct sonde_tape *b,
                                char *out, size_t size)
{
    for (uint32_t i = 0; i < a->n_choices || i < b->n_choices; i++) {
        const char *what = i >= b->n_choices   ? "the second run ended before it"
                           : i >= a->n_choices ? "the first run had ended before it"
                                               : difference(&a->choices[i], &b->choices[i]);
        if (!what) continue;
        const struct sonde_choice *c = i < a->n_choices ? &a->choices[i] : &b->choices[i];
        snprintf(out, size, "draw %u (\"%.80s\") differed: %s", i + 1, sonde_label_text(&s->labels, c->label), what);
        return true;
    }
    return false;
}

void sonde_stability_compare(struct sonde_search *s, const struct sonde_tape *first)
{
    char what[256];
    if (!sonde_stability_difference(s, first, &s->t->tape, what, sizeof what)) return;
    snprintf(s->warning, sizeof s->warning,
             "the property is not deterministic: with the same choices, %s. Look for clocks, addresses, uninitialised "
             "memory, or state left by earlier cases",
             what);
}

void sonde_stability_check_draws(struct sonde_search *s)
{
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&s->before, &s->t->tape);
    sonde_search_run_case(s, s->simplest, &s->before);
    if (s->t->verdict == SONDE_FAILED) return; /* the shrinker will tell whether that is flaky */
    sonde_stability_compare(s, &s->before);
}

/* ---- Is its coverage? Features that differ between two runs of one tape
 * (a hash seeded by an address, a cache, a timer) would make every run look new. */

void sonde_stability_check_coverage(struct sonde_search *s)
{
    size_t n = s->seen->n_features;
    bool compared = s->seen->compared;
    struct sonde_feature *first = sonde_malloc(n * sizeof *first);
    memcpy(first, s->seen->features, n * sizeof *first);
    enum sonde_verdict verdict = s->t->verdict;
    sonde_tape_copy(&s->before, &s->t->tape);
    sonde_search_run_case(s, s->simplest, &s->before);
    s->replays++;
    if (s->t->verdict == verdict) sonde_coverage_compare(s->coverage, first, n, compared);
    sonde_free(first);
}
