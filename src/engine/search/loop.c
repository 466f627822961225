/* See loop.h. Each step of the loop is in another file. Guides plan cases, exec runs them, account.c judges them and
 * lets guides learn, stability.c and leaks.c check now and then, and stop.c ends the loop. Runs in the worker of the
 * search, or in the only process. */
#include "engine/search/loop.h"

#include "engine/search/account.h"
#include "engine/search/stability.h"
#include "engine/search/stop.h"
#include "exec/exec.h"
#include "exec/family.h"
#include "program/sanitizer.h"
#include "guide/guides.h"
#include "tape/fit.h"

/* ---- Plan and run */

/* Returns the guide for the next case. While there are cover checks, one case in four is drawn by `uniform`, because
 * cover checks can be judged only by independent draws. `enumerate` keeps all cases: it tries every input, so the exact
 * shares are known in the end. */
static struct sonde_guide *author_of_next(const struct sonde_search *s)
{
    bool samples = s->tally.has_cover && s->stats.tests % 4 == 3 && s->guide->ops != &sonde_guide_enumerate;
    if (samples || s->exhausted) return s->sampler;
    return s->relief ? s->relief : s->guide;
}

/* Returns the guide that planned the last case and clears it, so that a replay is credited to no guide. */
static struct sonde_guide *take_author(struct sonde_search *s)
{
    struct sonde_guide *author = s->author;
    s->author = NULL;
    return author;
}

static enum sonde_plan plan_by(struct sonde_guide *author, struct sonde_search *s)
{
    return author->ops->start ? author->ops->start(author, &s->script) : SONDE_PLAN_FRESH;
}

/* Runs a case planned by a guide; returns false if there is nothing left to try. If threads race, two runs of one input
 * may differ. So the search then continues after all inputs have been tried. */
static bool run_next(struct sonde_search *s)
{
    struct sonde_guide *author = author_of_next(s);
    enum sonde_plan plan = plan_by(author, s);
    if (plan == SONDE_PLAN_DONE) {
        s->exhausted = true;
        sonde_search_note_threads(s);
        if (!s->has_threads) {
            sonde_search_stop(s, SONDE_STOP_EXHAUSTED);
            return false;
        }
        author = s->sampler; /* never returns DONE */
        plan = plan_by(author, s);
    }
    s->author = author;
    sonde_search_run_case(s, author, plan == SONDE_PLAN_SCRIPT ? &s->script : NULL);
    return true;
}

/* Returns whether a draw of the run has a label of the script. */
static bool has_a_label_of(const struct sonde_tape *ran, const struct sonde_tape *script)
{
    for (uint32_t i = 0; i < script->n_choices; i++)
        for (uint32_t k = 0; k < ran->n_choices; k++)
            if (script->choices[i].label == ran->choices[k].label) return true;
    return script->n_choices == 0;
}

/* Records whether a lead (a given input) was followed. A lead of another generator may name values that the property
 * never draws. */
static void note_fit(struct sonde_search *s, const struct sonde_lead *lead)
{
    struct sonde_fit fit = {0};
    s->led.n_valid += s->t->verdict == SONDE_VALID;
    if (!lead->path || s->job > 0) return;
    sonde_fit_judge(&fit, &lead->tape, &s->t->tape, &s->labels, "file");
    /* Labels are checked as well: a script counts as followed even if an assume ended the run before the rest was
     * drawn. */
    bool is_unrelated = !has_a_label_of(&s->t->tape, &lead->tape);
    if ((sonde_fit_is_followed(&fit) && !is_unrelated) || s->led.n_strayed++ > 0) return;
    snprintf(s->led.strayed, sizeof s->led.strayed, "%.500s does not produce the values it names: %s", lead->path,
             is_unrelated ? "the property draws none of its values" : fit.text);
}

/* Raises the limits by one case: given and inherited inputs come on top of the budget, or they would shorten the
 * search. */
static void raise_limits(struct sonde_search *s)
{
    bool is_valid = s->t->verdict == SONDE_VALID;
    if (s->pace.tests && is_valid) s->pace.tests++;
    if (s->pace.runs) s->pace.runs++;
    if (!is_valid) s->pace.lost++;
}

/* Records the result of the lead that ran last. The first job counts examples among its own cases. */
static void end_lead(struct sonde_search *s)
{
    const struct sonde_lead *lead = &s->legacy->leads[s->led.n - 1];
    s->led.is_running = false;
    note_fit(s, lead);
    if (!lead->is_counted || s->job > 0) raise_limits(s);
}

/* Runs the next given input. */
static void run_lead(struct sonde_search *s)
{
    const struct sonde_lead *lead = &s->legacy->leads[s->led.n++];
    s->led.is_running = true;
    if (!sonde_search_has_leads(s)) s->pace.quota = 0; /* limits are not checked before the last lead has run */
    sonde_search_run_case(s, lead->is_open ? s->sampler : s->simplest, &lead->tape);
    end_lead(s);
}

static bool has_inherited(const struct sonde_search *s)
{
    return s->legacy && s->n_inherited < s->legacy->n;
}

/* Runs the next tape that an earlier run left. */
static void run_inherited(struct sonde_search *s)
{
    sonde_search_run_case(s, s->simplest, &s->legacy->tapes[s->n_inherited++]);
    raise_limits(s);
    if (!has_inherited(s)) s->pace.quota = 0; /* the last one may show that the property is not concerned */
}

/* ---- Beside the cases */

static void look_for_leaks(struct sonde_search *s)
{
    if (s->leaks.every && sonde_leak_watch_look(&s->leaks, s->t)) s->left.leak_suspected = true;
}

/* Runs a tape that another job found worth keeping, if there is one. Every guide learns from it. */
static void run_received(struct sonde_search *s)
{
    if (!sonde_sharing_receive(&s->sharing, &s->before)) return;
    sonde_search_run_case(s, s->simplest, &s->before);
    s->stats.imported++;
    sonde_search_account(s, NULL);
    look_for_leaks(s);
}

/* Gives children of the last cases some time to return, because the end of the worker kills them. */
static void await_children(struct sonde_search *s)
{
    const double patience = 1; /* seconds */
    if (!sonde_forked_late && !atomic_load_explicit(&s->asked.stop, memory_order_relaxed))
        sonde_forked_late = sonde_forked_take(patience);
    s->left.child_of = sonde_forked_late;
    const struct sonde_claim *claim = sonde_forked_claim();
    s->left.child_claim = claim && sonde_forked_late ? *claim : (struct sonde_claim){.kind = SONDE_CLAIM_NONE};
}

/* Returns whether the supervisor asks the worker to leave. Reads the requests with relaxed memory order: noticing them
 * one case later is soon enough (search.h). */
static bool must_leave(const struct sonde_search *s)
{
    return s->left.leak_suspected || s->left.is_silent || atomic_load_explicit(&s->asked.pause, memory_order_relaxed)
           || atomic_load_explicit(&s->asked.sender, memory_order_relaxed);
}

static void begin(struct sonde_search *s)
{
    s->pace.quota = 0;
    sonde_forked_late = s->left.child_of = 0;
    s->pace.clock_last = sonde_clock_now();
    if (s->pace.began == 0) s->pace.began = s->pace.clock_last;
    /* All cases that were started so far ran in other processes. */
    s->worker_began = atomic_load(&s->t->started);
    sonde_coverage_reset(s->coverage);
    sonde_threads_begin(&s->threads);
    if (s->notebook) sonde_series_begin(&s->notebook->series);
}

static void end(struct sonde_search *s)
{
    if (s->leaks.every && sonde_leak_watch_has_leaked(&s->leaks)) s->left.leak_suspected = true; /* the last batch */
    sonde_search_note_threads(s);
    await_children(s);
    s->left.finished = !must_leave(s) && !s->left.child_of;
}

/* Returns whether a new worker would see more than this one. Some sanitizers report a location once per process. With
 * --against, the other program may have lost state that this worker still has. */
static bool needs_new_worker(void)
{
    return sonde_tools_report_no_more() || sonde_against_is_out_of_step();
}

/* ---- The loop */

/* Ends the rerun and returns true if the search must continue. A property that is not deterministic may draw other
 * values next, although every input was tried. */
static bool continues_after_rerun(struct sonde_search *s)
{
    if (!s->warning[0] || s->n_found || s->misuse[0] || s->stopped != SONDE_STOP_EXHAUSTED) return false;
    s->rerun.is_on = s->left.finished = false;
    s->stopped = SONDE_STOP_TESTS;
    return true;
}

void sonde_search_run(struct sonde_search *s)
{
    begin(s);
    if (s->rerun.is_on) {
        sonde_rerun_run(s);
        if (!continues_after_rerun(s)) return;
    }
    while (!sonde_stop_is_due(s) && !must_leave(s) && !sonde_forked_late) {
        if (sonde_search_has_leads(s)) run_lead(s);
        else if (has_inherited(s)) run_inherited(s);
        else if (!run_next(s)) break;
        uint32_t reasons = sonde_search_account(s, take_author(s));
        sonde_stability_check(s, reasons);
        look_for_leaks(s);
        sonde_assert(!s->sharing.n_inboxes || s->sharing.look_in > 0);
        if (s->sharing.n_inboxes && --s->sharing.look_in == 0) run_received(s);
        if (s->t->verdict == SONDE_FAILED) s->left.is_silent = s->leaks.is_replaceable && needs_new_worker();
    }
    end(s);
}

bool sonde_search_is_over(struct sonde_search *s)
{
    return s->rerun.is_on ? sonde_rerun_is_over(s) : sonde_stop_is_due(s);
}

void sonde_search_death(struct sonde_search *s, bool torn)
{
    struct sonde_guide *author = take_author(s);
    s->pace.quota = 0;
    s->seen = NULL; /* the counters were lost with the worker */
    if (s->vicinity) sonde_vicinity_case(s->vicinity, s->coverage, s->t->verdict, sonde_coverage_last(s->coverage));
    if (s->led.is_running) {
        sonde_tape_end(&s->t->tape);
        end_lead(s);
    }
    if (torn) sonde_search_count_torn(s);
    else sonde_search_account(s, author);
}

/* Returns whether all conditions for reporting "exhausted" hold. If one does not, running the inputs again proves
 * nothing. */
static bool needs_rerun(const struct sonde_search *s)
{
    return s->exhausted && s->stats.valid && !s->stats.overruns && !s->n_found && !s->misuse[0] && !s->warning[0]
           && !s->has_threads && s->rerun.sample.n && !s->rerun.sample.is_cut && s->stopped == SONDE_STOP_EXHAUSTED;
}

bool sonde_search_rerun(struct sonde_search *s)
{
    if (!needs_rerun(s)) return false;
    s->rerun.is_on = true;
    s->left.finished = false;
    atomic_store_explicit(&s->asked.stop, 0, memory_order_relaxed);
    s->pace.began = 0; /* the rerun gets the full time again */
    return true;
}
