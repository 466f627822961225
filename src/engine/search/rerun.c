/* See rerun.h. Uses the loop's worker, case and coverage, and none of its guides: every input is a
 * script from the sample. */
#include "engine/search/rerun.h"

#include "engine/search/account.h"
#include "engine/search/stability.h"
#include "engine/search/stop.h"

/* Every condition is one under which "exhausted" could be claimed; where one is missing, running again
 * proves nothing. */
bool sonde_rerun_is_needed(const struct sonde_search *s)
{
    return s->exhausted && s->stats.valid && !s->stats.overruns && !s->n_found && !s->misuse[0] && !s->warning[0]
           && !s->has_threads && s->rerun.sample.n && s->stopped == SONDE_STOP_EXHAUSTED;
}

void sonde_rerun_begin(struct sonde_search *s)
{
    s->rerun.is_on = true;
    s->left.finished = false;
    atomic_store_explicit(&s->asked.stop, 0, memory_order_relaxed);
    s->pace.began = 0; /* it has the time once more */
}

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
        sonde_stability_compare(s, &input->tape);
        s->stats.rerun += !s->warning[0];
    }
}

void sonde_rerun_run(struct sonde_search *s)
{
    while (!sonde_rerun_is_over(s)) {
        const struct sonde_sampled *input =
            sonde_sample_at(&s->rerun.sample, s->rerun.n++); /* counted even if it dies */
        sonde_search_run_case(s, s->simplest, &input->tape);
        judge(s, input);
    }
    sonde_search_note_threads(s);
    /* An input that died or warned was counted in rerun.n and not in stats.rerun. */
    s->rerun.is_proven = s->stats.rerun == s->rerun.sample.n && !s->has_threads;
    s->left.finished = true;
}
