/* Judges how much a passed run proves: counts the checks that were evaluated, and warns if a property tests less than
 * it seems to.
 *
 * A false alarm is worse than a miss. So a warning needs enough valid cases, and a location belongs to a property only
 * if it is in the property's function.
 *
 * Runs in the supervisor, at the end of the run. Reached locations are recorded in the case (case/sites.h); all
 * existing locations are in ELF notes of the program (program/sites.h). */
#include "engine/phases/phases.h"

#include "base/digits.h"
#include "exec/exec.h"
#include "program/sites.h"
#include "program/witness.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A location that was not reached is worth a warning after ENOUGH valid cases. With 100, something that happens in one
 * case of 20 is missed in one run of 160. For a property without any check, A_FEW valid cases are enough. */
enum { ENOUGH = 100, A_FEW = 10 };

__attribute__((format(printf, 4, 5))) static void warn(struct sonde_engine *e, const char *kind,
                                                       const struct sonde_declared *at, const char *format, ...)
{
    if (e->n_warnings == SONDE_WARNINGS) return;
    uint32_t i = e->n_warnings++;
    va_list args;
    va_start(args, format);
    vsnprintf(e->warning_texts[i], sizeof e->warning_texts[i], format, args);
    va_end(args);
    e->warnings[i] = (struct sonde_warning){.kind = kind,
                                            .text = e->warning_texts[i],
                                            .file = at ? at->file : NULL,
                                            .line = at ? at->line : 0};
}

/* ---- The other program of --against */

/* Warns of differences that the comparison could not see, whatever the outcome is. */
static void judge_comparison(struct sonde_engine *e)
{
    enum { enough = 100 }; /* cases: of fewer, all may well show the same */
    const struct sonde_against_report *a = &e->report.against;
    char own[sizeof e->other_build], n[SONDE_GROUPED];
    const char *unseen;
    sonde_witness_build(own, sizeof own);
    if (a->draws_differ && !e->not_compared[0])
        warn(e, "other_draws", NULL,
             "%s case%s could not be compared, because %.200s drew other values; the first: %.200s",
             sonde_grouped(a->draws_differ, n), a->draws_differ == 1 ? "" : "s", a->program, a->draws);
    if (a->lost && !e->not_compared[0])
        warn(e, "not_answered", NULL, "%s case%s could not be compared, because %.200s did not answer",
             sonde_grouped(a->lost, n), a->lost == 1 ? "" : "s", a->program);
    if (a->compared && !a->values)
        warn(e, "only_verdicts", NULL,
             "no observed value was compared with %.200s, only how cases ended; show results by sonde_observe",
             a->program);
    if (a->is_copy)
        warn(e, "same_program", NULL, "%.200s is this program, byte for byte, so no difference can show", a->program);
    if (a->values && !a->varies && a->compared >= enough)
        warn(e, "same_values", NULL,
             "all %s compared cases showed the same values; does the property get beyond an error, and show what its "
             "input leads to?",
             sonde_grouped(a->compared, n));
    if (e->other_build[0] && !sonde_witness_is_same_build(own, e->other_build))
        warn(e, "other_build", NULL,
             "%.200s was built differently (%.100s; this program: %.100s): a difference may come from the build",
             a->program, e->other_build, own);
    for (size_t i = 0; (unseen = sonde_against_unseen(i)) != NULL; i++)
        warn(e, "accepted_unseen", NULL, "--accept: no case showed the accepted difference '%.100s'", unseen);
}

/* ---- Reached locations */

/* Returns the record of a site; NULL if it is in a library that only the worker had loaded, and so cannot be read
 * here. */
static const struct sonde_site_ *readable(const struct sonde_reached_site *s)
{
    const struct sonde_site_ *site = atomic_load_explicit(&s->site, memory_order_relaxed);
    return site && sonde_sites_is_loaded(site) ? site : NULL;
}

static bool is_at(const struct sonde_site_ *site, const char *file, int line)
{
    return site->line == line && strcmp(site->file, file) == 0;
}

/* Returns whether the site is a check. A sonde_fail is one: reaching it means that it failed. */
static bool is_check(const struct sonde_reached_site *s)
{
    return s->counted && (s->kind == SONDE_SITE_CHECK_ || s->kind == SONDE_SITE_FAIL_);
}

/* Returns whether an earlier entry has the same location: copies of an inline function have a record each. */
static bool is_counted(const struct sonde_reach *r, uint32_t i)
{
    const struct sonde_site_ *site = readable(&r->sites[i]);
    for (uint32_t k = 0; site && k < i; k++) {
        const struct sonde_site_ *other = is_check(&r->sites[k]) ? readable(&r->sites[k]) : NULL;
        if (other && is_at(other, site->file, site->line)) return true;
    }
    return false;
}

static void count_checks(const struct sonde_reach *r, struct sonde_report *report)
{
    report->checks = r->more;
    for (uint32_t i = 0; i < SONDE_SITES; i++) {
        const struct sonde_reached_site *s = &r->sites[i];
        if (!is_check(s)) continue;
        report->checks += s->counted;
        report->check_locations += !is_counted(r, i);
    }
}

/* ---- No checks at all */

static void warn_of_no_checks(struct sonde_engine *e)
{
    const struct sonde_search *s = e->search;
    char valid[SONDE_GROUPED];
    if (e->report.checks || s->tally.has_cover || e->options.min_unique.n) return;
    if (sonde_exec_has_adapter()) return; /* assertions of a framework are not counted if they hold */
    if (sonde_fails_may_run(&e->options, e->property->run)) return;
    warn(e, "no_checks", NULL,
         "no check was evaluated in %s valid case%s: only crashes, hangs and what a sanitizer finds could fail. Add a "
         "check, or set .crash_only = true if that is intended",
         sonde_grouped(s->stats.valid, valid), s->stats.valid == 1 ? "" : "s");
}

/* ---- Locations that were not reached */

/* Returns how often all copies of one location were reached in cases that count. */
static uint64_t times_reached(const struct sonde_reach *r, const struct sonde_declared *at)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < SONDE_SITES; i++) {
        const struct sonde_site_ *site =
            r->sites[i].kind == at->kind && r->sites[i].counted ? readable(&r->sites[i]) : NULL;
        if (site && is_at(site, at->file, at->line) && strcmp(site->text, at->text) == 0) n += r->sites[i].counted;
    }
    return n;
}

static bool is_warned_of(const struct sonde_engine *e, const char *kind, const char *file, int line)
{
    for (uint32_t i = 0; i < e->n_warnings; i++) {
        const struct sonde_warning *w = &e->warnings[i];
        if (!strcmp(w->kind, kind) && w->file && w->line == line && !strcmp(w->file, file)) return true;
    }
    return false;
}

/* The search for unreached locations. If two functions in different files have one name, it is not known which is the
 * property's. */
struct unreached {
    struct sonde_engine *e;
    const char *file; /* source file of the property's sites; NULL: no site found yet */
    bool is_ambiguous;
};

static void compare_files(const struct sonde_declared *site, void *user)
{
    struct unreached *u = user;
    if (!sonde_sites_is_in(site, u->e->property->run)) return;
    if (!u->file) u->file = site->file;
    else if (strcmp(u->file, site->file) != 0) u->is_ambiguous = true;
}

static void warn_of_unreached(const struct sonde_declared *site, void *user)
{
    struct unreached *u = user;
    struct sonde_engine *e = u->e;
    char valid[SONDE_GROUPED];
    bool is_check = site->kind == SONDE_SITE_CHECK_, is_cover = site->kind == SONDE_SITE_COVER_;
    const char *kind = is_cover ? "cover_never_reached" : "check_never_reached";
    if ((!is_check && !is_cover) || sonde_fails_is_never(site->text) || is_warned_of(e, kind, site->file, site->line))
        return;
    if (!sonde_sites_is_in(site, e->property->run) || times_reached(&e->search->t->reached, site)) return;
    sonde_grouped(e->search->stats.valid, valid);
    if (is_check)
        warn(e, kind, site, "the check at %s:%d was not reached in any of %s valid cases: %.200s", site->file,
             site->line, valid, site->text);
    else
        warn(e, kind, site,
             "the sonde_cover at %s:%d was not reached in any of %s valid cases, so it requires nothing; "
             "call it in every case",
             site->file, site->line, valid);
}

static void judge_unreached(struct sonde_engine *e)
{
    struct unreached u = {.e = e};
    sonde_sites_each(compare_files, &u);
    if (u.file && !u.is_ambiguous) sonde_sites_each(warn_of_unreached, &u);
}

/* ---- Assumes, covers, faults */

static void judge_assumes(struct sonde_engine *e)
{
    enum { REJECTED = 20 }; /* minimum number of rejections for a warning: fewer may be chance */
    const struct sonde_reach *r = &e->search->t->reached;
    for (uint32_t i = 0; i < SONDE_SITES; i++) {
        const struct sonde_reached_site *s = &r->sites[i];
        if (s->kind != SONDE_SITE_ASSUME_ || s->rejected < REJECTED || s->rejected < s->all) continue;
        const struct sonde_site_ *site = readable(s);
        char times[SONDE_GROUPED];
        if (!site || sonde_fails_is_never(site->text)) continue;
        warn(e, "assume_never_held", &(struct sonde_declared){.file = site->file, .line = site->line},
             "the assume at %s:%d did not hold in any of the %s times that it was reached: %.200s", site->file,
             site->line, sonde_grouped(s->rejected, times), site->text);
    }
}

static void judge_covers(struct sonde_engine *e)
{
    const struct sonde_tally *tally = &e->search->tally;
    for (uint32_t i = 0; i < tally->n_labels; i++) {
        const struct sonde_label_count *l = &tally->labels[i];
        char sampled[SONDE_GROUPED];
        if (l->wanted == 0 || !sonde_tally_is_doubtful(l)) continue;
        warn(e, "cover_undecided", NULL,
             "sonde_cover(\"%.100s\") requires %g %%, and held in %.1f %% of %s independent cases: too few to be sure, "
             "but it is likely to be missed. Run more cases (--tests)",
             l->name, l->wanted, 100 * (double)l->met / (double)l->sampled, sonde_grouped(l->sampled, sampled));
    }
}

static void judge_faults(struct sonde_engine *e)
{
    enum { ARMED = 20 }; /* minimum number of cases in which a fault was armed: fewer may be chance */
    static const char *const texts[SONDE_FAILING_KINDS] = {
        [SONDE_FAILING_CALLS] =
            "sonde_faults was on in %s cases, but no call that can fail was made: the code under test makes no such "
            "call in the property's thread, or makes it in a library whose calls sonde cannot replace",
        [SONDE_FAILING_PROCESS] =
            "a crash or power cut was drawn in %s cases, but no call that changes a file was made: the code under test "
            "makes no such call in the property's thread, or makes it in a library whose calls sonde cannot replace",
        [SONDE_FAILING_MEMORY] =
            "sonde_oom was on in %s cases, but no memory was allocated: the code under test allocates none in the "
            "property's thread, or does so in a library whose allocations sonde cannot replace"};
    for (size_t i = 0; i < SONDE_FAILING_KINDS; i++) {
        const struct sonde_failing_count *f = &e->search->t->reached.failing[i];
        char armed[SONDE_GROUPED], text[512];
        if (f->met || f->armed < (e->search->exhausted ? 1 : ARMED)) continue;
        snprintf(text, sizeof text, texts[i], sonde_grouped(f->armed, armed));
        warn(e, "faults_never_happened", NULL, "%s", text);
    }
}

static void judge_goal(struct sonde_engine *e)
{
    const struct sonde_arrivals *a = e->search->arrivals;
    char valid[SONDE_GROUPED];
    if (!a || a->valid) return;
    warn(e, "goal_never_reached", NULL,
         "--goal: no input of %s valid ones reached %.300s. --blockers may name what is in the way",
         sonde_grouped(e->search->stats.valid, valid), a->at.name);
}

static void judge_sight(struct sonde_engine *e)
{
    struct sonde_outside *outside = &e->outside;
    sonde_outside_find(e->search, e->property->run, outside);
    if (outside->unseen[0] && !outside->is_blind) e->report.uninstrumented = outside->unseen;
    if (outside->unwatched[0]) e->report.unsanitized = outside->unwatched;
    if (!outside->is_blind) return;
    warn(e, "blind", NULL,
         "the search does not see the code under test: no case reached instrumented code beyond the test itself, "
         "and the property calls functions that are not instrumented: %s. Compile them with sonde cc, too",
         outside->unseen);
}

void sonde_worth_judge(struct sonde_engine *e)
{
    struct sonde_search *s = e->search;
    struct sonde_report *r = &e->report;
    const struct sonde_reach *reached = &s->t->reached;
    bool holds = r->outcome == SONDE_OUTCOME_PASSED || r->outcome == SONDE_OUTCOME_EXHAUSTED;
    count_checks(reached, r);
    r->is_crash_only = e->property->crash_only;
    if (s->warning[0]) warn(e, r->warning_kind, NULL, "%s", s->warning);
    bool is_searched = !e->options.replay && s->stopped != SONDE_STOP_NOT_CONCERNED;
    bool is_judged = holds && is_searched && !reached->is_partial;
    bool has_few = !s->exhausted && s->stats.valid < A_FEW, has_enough = s->exhausted || s->stats.valid >= ENOUGH;
    bool is_compared = r->against.program && r->against.values;
    if (is_judged && !has_few && !r->is_crash_only && !is_compared) warn_of_no_checks(e);
    if (is_judged && has_enough) judge_unreached(e);
    if (is_judged) judge_assumes(e);
    if (is_judged) judge_covers(e);
    if (is_judged) judge_faults(e);
    if (is_judged) judge_goal(e);
    if (is_judged) judge_sight(e);
    if (r->against.program) judge_comparison(e);
    r->warnings = e->warnings;
    r->n_warnings = e->n_warnings;
    r->warning = e->n_warnings ? e->warnings[0].text : NULL;
    r->warning_kind = e->n_warnings ? e->warnings[0].kind : NULL;
}
