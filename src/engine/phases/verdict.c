/* Decides the result of a run, after its cases have run and its failures are confirmed: an outcome, a status, and
 * warnings. */
#include "engine/phases/phases.h"

#include "base/digits.h"
#include "exec/interrupt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Returns the assume that rejected most inputs, to be named when most inputs are discarded. */
static const struct sonde_assume_count *most_rejecting(const struct sonde_tally *tally)
{
    const struct sonde_assume_count *most = NULL;
    for (uint32_t i = 0; i < tally->n_assumes; i++)
        if (!most || tally->assumes[i].rejected > most->rejected) most = &tally->assumes[i];
    return most;
}

/* Writes "only 12 of 42,174 inputs were valid", or that none was, and returns its length. The cause follows as another
 * sentence: report/terminal.c prints the two apart. */
static int count_the_valid(struct sonde_engine *e)
{
    const struct sonde_search *s = e->search;
    char valid[SONDE_GROUPED], tests[SONDE_GROUPED];
    sonde_grouped(s->stats.valid, valid);
    sonde_grouped(s->stats.tests, tests);
    if (s->stats.valid) return snprintf(e->message, sizeof e->message, "only %s of %s inputs were valid", valid, tests);
    if (!s->stats.tests) return snprintf(e->message, sizeof e->message, "no case was run before the time limit");
    if (s->stats.tests == 1) return snprintf(e->message, sizeof e->message, "the only input was not valid");
    return snprintf(e->message, sizeof e->message,
                    s->exhausted ? "no input is valid; all were tried, in %s cases" : "none of %s inputs was valid",
                    tests);
}

void sonde_verdict_explain_giving_up(struct sonde_engine *e)
{
    const struct sonde_stats *n = &e->search->stats;
    const struct sonde_assume_count *most = most_rejecting(&e->search->tally);
    if (e->not_compared[0]) {
        snprintf(e->message, sizeof e->message, "%s", e->not_compared);
        return;
    }
    int used = count_the_valid(e);
    char *rest = e->message + used, lost[SONDE_GROUPED];
    size_t room = sizeof e->message - (size_t)used;
    const char *what = e->search->overrun ? e->search->overrun : "choices";
    bool can_be_raised = !strcmp(what, "choices") || !strcmp(what, "spans");
    if (n->overruns > n->discarded) {
        int more = snprintf(rest, room, ". %s of the cases needed more %s than a case may use; draw less",
                            sonde_grouped(n->overruns, lost), what);
        if (can_be_raised)
            snprintf(rest + more, room - (size_t)more, ", or raise --max-choices (now %" PRIu64 ")",
                     e->options.max_choices);
    } else if (most)
        snprintf(rest, room,
                 ". %s:%d: the precondition %s discarded %s; draw values that meet it instead of assuming it",
                 most->file ? most->file : "sonde", most->line, most->condition, sonde_grouped(most->rejected, lost));
}

/* Checks outcomes in the order of importance. After a misuse the results are meaningless. A firm failure outweighs a
 * flaky one. An interrupted run has no verdict. */
enum sonde_outcome sonde_verdict_outcome(struct sonde_engine *e)
{
    struct sonde_search *s = e->search;
    if (s->misuse[0]) return SONDE_OUTCOME_ERROR;
    bool firm = false, flaky = false;
    for (uint32_t i = 0; i < e->n_failures; i++) {
        firm |= !e->failures[i].flaky;
        flaky |= e->failures[i].flaky;
    }
    if (firm) return SONDE_OUTCOME_FALSIFIED;
    if (flaky) return SONDE_OUTCOME_FLAKY;
    if (s->stopped == SONDE_STOP_INTERRUPTED) return SONDE_OUTCOME_INTERRUPTED;
    if (s->stopped == SONDE_STOP_NOT_CONCERNED && !e->not_compared[0]) return SONDE_OUTCOME_PASSED;
    if (s->stopped == SONDE_STOP_GAVE_UP || s->stats.valid == 0 || e->not_compared[0]) return SONDE_OUTCOME_GAVE_UP;
    /* Exhausted is reported only if every sampled input did the same when it ran again, and all threads were
     * observed. */
    bool is_followed = !sonde_threads_unseen(s->t, e->unseen, sizeof e->unseen) && !e->report.against.draws_differ
                       && !e->report.against.lost;
    return s->rerun.is_proven && is_followed && !s->warning[0] ? SONDE_OUTCOME_EXHAUSTED : SONDE_OUTCOME_PASSED;
}

/* A flaky failure gives the status of a failure: a test that fails now and then must not pass. */
enum sonde_status sonde_verdict_status(enum sonde_outcome outcome)
{
    switch (outcome) {
    case SONDE_OUTCOME_PASSED:
    case SONDE_OUTCOME_EXHAUSTED: return SONDE_PASSED;
    case SONDE_OUTCOME_FALSIFIED:
    case SONDE_OUTCOME_FLAKY: return SONDE_FALSIFIED;
    case SONDE_OUTCOME_GAVE_UP: return SONDE_GAVE_UP;
    case SONDE_OUTCOME_ERROR: return SONDE_USAGE;
    case SONDE_OUTCOME_INTERRUPTED:
    case SONDE_OUTCOME_NOT_RUN: return (enum sonde_status)sonde_interrupt_status();
    }
    return SONDE_INTERNAL;
}

/* ---- How many inputs were different */

/* Returns whether the number of different inputs means something. It does not for a single given input, for an
 * exhausted space, or if the user defines which inputs count as one. */
static bool counts_inputs(const struct sonde_engine *e)
{
    const struct sonde_search *s = e->search;
    return !e->options.replay && !s->exhausted && s->identity_by == SONDE_IDENTITY_BY_TAPE && !s->has_characteristic;
}

/* Makes too few different inputs a failure (--min-unique); called before the verdict. Does nothing if a more important
 * verdict is known already, or if there cannot be more inputs. */
void sonde_verdict_judge_unique(struct sonde_engine *e)
{
    const struct sonde_stats *n = &e->search->stats;
    struct sonde_least least = e->options.min_unique;
    if (e->options.replay || e->search->exhausted || !n->valid || e->n_failures || e->search->misuse[0]) return;
    if (e->search->stopped == SONDE_STOP_INTERRUPTED || e->search->stopped == SONDE_STOP_NOT_CONCERNED) return;
    /* An estimate may be too low. Three percent are far more than its error (0.2 %). */
    uint64_t at_most = n->unique_valid + (n->unique_estimated ? n->unique_valid / 32 : 0);
    bool is_enough = least.is_percent ? at_most * 100 >= least.n * n->valid : at_most >= least.n;
    if (!is_enough) sonde_engine_report_unique(e);
}

void sonde_verdict_warn_of_few(struct sonde_engine *e)
{
    /* warns of fewer than FEW different inputs, if these are less than one in SHARE of the valid ones */
    enum { FEW = 100, SHARE = 10 };
    struct sonde_search *s = e->search;
    const struct sonde_stats *n = &s->stats;
    char unique[SONDE_GROUPED], valid[SONDE_GROUPED];
    if (s->stopped == SONDE_STOP_NOT_CONCERNED) return;
    if (!counts_inputs(e) || s->warning[0] || n->unique_valid >= FEW || n->unique_valid * SHARE >= n->valid) return;
    snprintf(s->warning, sizeof s->warning,
             "only %s of %s valid inputs were different, and there may be more. "
             "Draw from a larger range, or give --min-unique to make this a failure",
             sonde_grouped(n->unique_valid, unique), sonde_grouped(n->valid, valid));
    e->report.warning_kind = "few_different";
}

/* A machine that called nothing makes the verdict an error; a rule that was never called causes a warning. (A longer
 * run that detects either ends at once, and reports the location.) */
void sonde_verdict_judge_machines(struct sonde_engine *e)
{
    char text[SONDE_COMPLAINT];
    struct sonde_search *s = e->search;
    if (e->options.replay || e->n_failures || s->misuse[0] || s->warning[0] || !s->stats.valid) return;
    if (s->stopped == SONDE_STOP_NOT_CONCERNED) return;
    enum sonde_watch_end end = sonde_watch_end(s->t->watched, &s->labels, s->exhausted, text);
    if (end == SONDE_WATCH_MACHINE) snprintf(s->misuse, sizeof s->misuse, "%s", text);
    if (end != SONDE_WATCH_RULE) return;
    snprintf(s->warning, sizeof s->warning, "%s", text);
    e->report.warning_kind = "never_called";
}
