/* See stability.h. Runs in the loop, by the same worker: the second run of a case may see what the
 * first left behind in the code under test, which is one of the things looked for. */
#include "engine/search/stability.h"

#include "base/mem.h"
#include "engine/search/account.h"

#include <string.h>

/* ---- Is the property deterministic? */

/* Only label, kind and domain: the answers are the same by construction. */
static const char *difference(const struct sonde_choice *a, const struct sonde_choice *b)
{
    if (a->label != b->label || a->kind != b->kind) return "another draw was made in its place";
    if (a->max != b->max || (a->kind != SONDE_KIND_BLOB && a->kind != SONDE_KIND_DOUBLE && a->base != b->base))
        return "its range was different";
    return NULL;
}

/* From choice i on, the first that counts: calls of machines that were taken back are on the tape that a guide made, and left out
 * when it is followed. */
static uint32_t skip_taken_back(const struct sonde_tape *tape, uint32_t i)
{
    const uint32_t taken_back = SONDE_SPAN_CALL | SONDE_SPAN_REJECTED;
    if (i >= tape->n_choices) return i;
    for (uint32_t span = tape->choices[i].span; span; span = tape->spans[span].parent)
        if ((tape->spans[span].flags & taken_back) == taken_back) return skip_taken_back(tape, tape->spans[span].end);
    return i;
}

bool sonde_stability_difference(const struct sonde_search *s, const struct sonde_tape *a, const struct sonde_tape *b,
                                char *out, size_t size)
{
    for (uint32_t i = 0, k = 0;; i++, k++) {
        i = skip_taken_back(a, i);
        k = skip_taken_back(b, k);
        if (i >= a->n_choices && k >= b->n_choices) return false;
        const char *what = k >= b->n_choices   ? "the second run ended before it"
                           : i >= a->n_choices ? "the first run had ended before it"
                                               : difference(&a->choices[i], &b->choices[k]);
        if (!what) continue;
        const struct sonde_choice *c = i < a->n_choices ? &a->choices[i] : &b->choices[k];
        uint32_t at = i < a->n_choices ? i : k;
        snprintf(out, size, "draw %u (\"%.80s\") differed: %s", at + 1, sonde_label_text(&s->labels, c->label), what);
        return true;
    }
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

static const char second_run[] = "when a case was run a second time";

void sonde_stability_check_draws(struct sonde_search *s)
{
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&s->before, &s->t->tape);
    sonde_search_run_case(s, s->simplest, &s->before);
    sonde_search_meet(s, second_run);
    if (s->t->verdict == SONDE_FAILED) return;
    sonde_stability_compare(s, &s->before);
}

/* ---- Is its coverage? Features that differ between two runs of one tape
 * (a hash seeded by an address, a cache, a timer) would make every run look new. */

/* Not kept up to date one by one: a feature may become unstable after it was seen. */
void sonde_stability_count_places(struct sonde_search *s)
{
    const struct sonde_novelty *n = &s->judge.novelty;
    uint32_t places = 0, valid_places = 0;
    for (uint32_t id = 0; id < n->cap_places; id++) {
        if (!n->is_place[id] || !sonde_coverage_is_unstable(s->coverage, id)) continue;
        places += n->all[id] != 0;
        valid_places += n->valid[id] != 0;
    }
    s->unstable_places = places;
    s->unstable_valid_places = valid_places;
}

void sonde_stability_check_coverage(struct sonde_search *s)
{
    size_t n = s->seen->n_features;
    bool compared = s->seen->compared;
    struct sonde_feature *first = sonde_malloc(n * sizeof *first);
    memcpy(first, s->seen->features, n * sizeof *first);
    enum sonde_verdict verdict = s->t->verdict;
    sonde_tape_copy(&s->before, &s->t->tape);
    sonde_search_run_case(s, s->simplest, &s->before);
    sonde_search_meet(s, second_run);
    s->replays++;
    /* Another verdict took another way by itself; that is not the features' fault. */
    if (s->t->verdict == verdict && sonde_coverage_compare(s->coverage, first, n, compared))
        sonde_stability_count_places(s);
    sonde_free(first);
}
