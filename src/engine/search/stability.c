/* See stability.h. Runs in the loop, in the same worker. The second run of a case may see what the first left in the
 * code under test; detecting such state is one of the purposes. */
#include "engine/search/stability.h"

#include "base/mem.h"
#include "engine/search/account.h"
#include "engine/search/stop.h"
#include "tape/fit.h"

#include <string.h>

/* ---- Is the property deterministic? */

/* Compares the current case with a first run of the same choices. If the draws differ, the property is not
 * deterministic, and a warning is set. */
static void compare(struct sonde_search *s, const struct sonde_tape *first)
{
    char what[256];
    if (!sonde_fit_difference(first, &s->t->tape, &s->labels, what, sizeof what)) return;
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
    sonde_search_keep_finding(s, second_run);
    if (s->t->verdict == SONDE_FAILED) return;
    compare(s, &s->before);
}

/* ---- Is the coverage deterministic? Features that differ between two runs of one tape (a hash seeded by an address, a
 * cache, a timer) would make every run look new. */

void sonde_stability_check_coverage(struct sonde_search *s)
{
    size_t n = s->seen->n_features;
    bool compared = s->seen->compared;
    struct sonde_feature *first = sonde_malloc(n * sizeof *first);
    memcpy(first, s->seen->features, n * sizeof *first);
    enum sonde_verdict verdict = s->t->verdict;
    sonde_tape_copy(&s->before, &s->t->tape);
    sonde_search_run_case(s, s->simplest, &s->before);
    sonde_search_keep_finding(s, second_run);
    s->replays++;
    /* Another verdict means another path; the features are not to blame. */
    if (s->t->verdict == verdict && sonde_coverage_compare(s->coverage, first, n, compared))
        sonde_search_count_places(s);
    sonde_free(first);
}

/* ---- Does it hold for every input?
 *
 * Uses the loop's worker, case and coverage, and none of its guides: every input is a script from the sample. */

bool sonde_rerun_is_over(struct sonde_search *s)
{
    double now = sonde_clock_now();
    if (s->n_found || s->warning[0] || s->misuse[0] || s->rerun.n >= s->rerun.sample.n) return true;
    if (sonde_stop_is_asked(s)) return true;
    if (s->options->seconds > 0 && now - s->pace.began > s->options->seconds)
        return sonde_search_stop(s, SONDE_STOP_TIME);
    return false;
}

static const char *verdict_word(enum sonde_verdict verdict)
{
    return verdict == SONDE_VALID ? "valid" : verdict == SONDE_DISCARDED ? "discarded" : "too large";
}

static void judge(struct sonde_search *s, const struct sonde_sampled *input)
{
    sonde *t = s->t;
    if (t->verdict == SONDE_FAILED || t->verdict == SONDE_MISUSE) {
        s->stats.tests++;
        sonde_search_count_other(s);
    } else if (t->verdict != input->verdict) {
        snprintf(
            s->warning, sizeof s->warning,
            "the property is not deterministic: an input that was %s was %s when it was run again. Look for clocks, "
            "addresses, uninitialised memory, or state left by earlier cases",
            verdict_word(input->verdict), verdict_word(t->verdict));
    } else {
        compare(s, &input->tape);
        s->stats.rerun += !s->warning[0];
    }
}

void sonde_rerun_run(struct sonde_search *s)
{
    while (!sonde_rerun_is_over(s)) {
        /* The input is counted before it runs, so that it counts even if its run dies. */
        const struct sonde_sampled *input = sonde_sample_at(&s->rerun.sample, s->rerun.n++);
        sonde_search_run_case(s, s->simplest, &input->tape);
        judge(s, input);
    }
    sonde_search_note_threads(s);
    /* An input whose run died or caused a warning was counted in rerun.n, but not in stats.rerun. */
    s->rerun.is_proven = s->stats.rerun == s->rerun.sample.n && !s->has_threads;
    s->left.finished = true;
}
