/* Counts what a run did not test, and decides whether that makes its status 2 (--strict, --regressions). */
#include "cli/strict.h"

#include "base/die.h"

#include <stdio.h>
#include <string.h>

/* Returns whether a warning means that a passing property tested less than it seems to. With --strict it is an
 * error. */
static bool is_strict_warning(const char *kind)
{
    static const char *const kinds[] = {"no_checks", "check_never_reached", "blind", "faults_never_happened",
                                        "goal_never_reached"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kind, kinds[i])) return true;
    return false;
}

/* Prints the warnings of a property that --strict makes errors; returns whether there was one. */
static bool print_strict_warnings(const struct sonde_report *r)
{
    bool has_some = false;
    for (size_t i = 0; i < r->n_warnings; i++) {
        if (!is_strict_warning(r->warnings[i].kind)) continue;
        sonde_say("--strict: %s: %s: %s", r->property, r->warnings[i].kind, r->warnings[i].text);
        has_some = true;
    }
    return has_some;
}

static void count(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct sonde_strict *s = (struct sonde_strict *)reporter;
    const struct sonde_report *r = event->report;
    if (event->kind != SONDE_EVENT_PROPERTY_END) return;
    s->n_stored += r->n_stale + r->n_unreadable + r->n_unreplayed;
    s->n_weak += s->is_on && print_strict_warnings(r);
    s->n_regressions += r->n_regressions;
    s->n_unjudged += r->n_unjudged_regressions;
    if (r->unjudged_regressions && !s->why[0]) snprintf(s->why, sizeof s->why, "%s", r->unjudged_regressions);
}

struct sonde_strict sonde_strict_begin(bool is_on)
{
    return (struct sonde_strict){.base = {.event = count}, .is_on = is_on};
}

bool sonde_strict_is_broken(const struct sonde_strict *s)
{
    bool has_judged_none = s->n_regressions && s->n_unjudged == s->n_regressions;
    if (has_judged_none)
        sonde_say("--regressions: none of the %zu tape%s could be judged (%s); run a build that can judge them",
                  s->n_regressions, s->n_regressions == 1 ? "" : "s", s->why);
    if (!s->is_on) return has_judged_none;
    if (s->n_stored)
        sonde_say("--strict: %zu stored failure%s could not be judged; replay %s, and keep or remove the file",
                  s->n_stored, s->n_stored == 1 ? "" : "s", s->n_stored == 1 ? "it" : "them");
    if (s->n_weak)
        sonde_say("--strict: %zu propert%s less than %s to; docs/ci.md explains what to do about each warning",
                  s->n_weak, s->n_weak == 1 ? "y tests" : "ies test", s->n_weak == 1 ? "it seems" : "they seem");
    return has_judged_none || s->n_stored || s->n_weak;
}
