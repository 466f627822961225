/* See worth.h. In the supervisor, at the end of the run. Locations that were reached are in the case (case/sites.h); those that
 * exist are in notes of the program (exec/sites.h). */
#include "engine/worth.h"

#include "base/digits.h"
#include "exec/jumped.h"
#include "exec/sites.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Valid cases before something that was not reached is worth a warning: what happens in one case of 20 is then missed in one run
 * of 160. For a property without any check a few are enough. */
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

/* ---- What was reached */

/* The record of a site in a library that only the worker had loaded cannot be read here. */
static const struct sonde_site_ *readable(const struct sonde_reached_site *s)
{
    const struct sonde_site_ *site = atomic_load_explicit(&s->site, memory_order_relaxed);
    return site && sonde_sites_is_loaded(site) ? site : NULL;
}

static bool is_at(const struct sonde_site_ *site, const char *file, int line)
{
    return site->line == line && strcmp(site->file, file) == 0;
}

/* A sonde_fail that was reached is a check that failed. */
static bool is_check(const struct sonde_reached_site *s)
{
    return s->counted && (s->kind == SONDE_SITE_CHECK_ || s->kind == SONDE_SITE_FAIL_);
}

/* Whether an entry before this one has the same location: copies of an inline function have a record each. */
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

/* A sonde_fail is a check that is seen only when it fails; it may be in any function but those of other properties. */
struct fails {
    const struct sonde_engine *e;
    bool has_any;
};

static void find_fail(const struct sonde_declared *site, void *user)
{
    struct fails *f = user;
    if (f->has_any || site->kind != SONDE_SITE_FAIL_) return;
    const struct sonde_options *o = &f->e->options;
    bool is_elsewhere = false;
    for (size_t i = 0; i < o->n_all && !is_elsewhere; i++)
        is_elsewhere = i != o->property && sonde_sites_is_in(site, o->all[i].run);
    f->has_any = !is_elsewhere;
}

static void warn_of_no_checks(struct sonde_engine *e)
{
    const struct sonde_search *s = &e->search;
    char valid[SONDE_GROUPED];
    struct fails fails = {.e = e};
    if (e->report.checks || s->tally.has_cover || e->options.min_unique.n) return;
    if (sonde_jumped_is_described()) return; /* assertions of a framework cannot be counted where they hold */
    sonde_sites_each(find_fail, &fails);
    if (fails.has_any) return;
    warn(
        e, "no_checks", NULL,
        "no check was evaluated in %s valid case%s: only crashes, hangs and what a sanitizer finds could fail. Add a check, or "
        "set .crash_only = true if that is meant",
        sonde_grouped(s->stats.valid, valid), s->stats.valid == 1 ? "" : "s");
}

void sonde_worth_judge(struct sonde_engine *e)
{
    struct sonde_search *s = &e->search;
    struct sonde_report *r = &e->report;
    const struct sonde_reach *reached = &s->t->reached;
    bool holds = r->outcome == SONDE_OUTCOME_PASSED || r->outcome == SONDE_OUTCOME_EXHAUSTED;
    count_checks(reached, r);
    r->is_crash_only = e->property->crash_only;
    if (s->warning[0]) warn(e, r->warning_kind, NULL, "%s", s->warning);
    bool is_judged = holds && !e->options.replay && !reached->is_partial;
    bool has_few = !s->exhausted && s->stats.valid < A_FEW;
    if (is_judged && !has_few && !r->is_crash_only) warn_of_no_checks(e);
    r->warnings = e->warnings;
    r->n_warnings = e->n_warnings;
    r->warning = e->n_warnings ? e->warnings[0].text : NULL;
    r->warning_kind = e->n_warnings ? e->warnings[0].kind : NULL;
}
