/* Functions that several reporters use. */
#include "report/shared.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "store/home.h"

bool sonde_report_holds(const struct sonde_report *r)
{
    return r->outcome == SONDE_OUTCOME_PASSED || r->outcome == SONDE_OUTCOME_EXHAUSTED;
}

bool sonde_report_is_skipped(const struct sonde_report *r)
{
    return r->outcome == SONDE_OUTCOME_PASSED && r->stopped == SONDE_STOP_NOT_CONCERNED;
}

char *sonde_report_guide(const struct sonde_report *r, bool explains)
{
    struct sonde_buffer b;
    struct sonde_guide *guide = r->searcher;
    sonde_buffer_open(&b);
    if (guide && explains && guide->ops->explain) guide->ops->explain(guide, r->names, b.out);
    if (guide && !explains && guide->ops->stats) guide->ops->stats(guide, b.out);
    char *text = sonde_strdup(sonde_buffer_close(&b));
    sonde_buffer_clear(&b);
    return text;
}

/* ---- The base of a change */

void sonde_report_in_base(const struct sonde_report *r, const struct sonde_failure *f, char *out, size_t size)
{
    const char *base = r->base ? r->base : "the base", *note = f->base_note ? f->base_note : "";
    snprintf(out, size, "%s", "");
    if (f->in_base == SONDE_IN_BASE_KNOWN) snprintf(out, size, "Not new: it fails in %.200s, too", base);
    else if (f->in_base == SONDE_IN_BASE_NEW)
        snprintf(out, size, "New: it does not fail like this in %.200s; %s", base, note);
    else if (f->in_base == SONDE_IN_BASE_UNKNOWN)
        snprintf(out, size, "Not known whether it is new, so it counts as new: %s", note);
}

/* ---- Changed lines */

void sonde_report_changed(const struct sonde_changed *c, char *out, size_t size)
{
    enum { PLACES = 20 }; /* maximum number of locations on the line */
    size_t n = 0;
    struct sonde_buffer b;
    FILE *to = sonde_buffer_open(&b);
    fprintf(to, "Changed lines: %u", c->lines);
    if (!c->lines) fputs(" with code in this program", to);
    else fprintf(to, "; reached by valid inputs %u", c->valid);
    if (c->invalid_only) fprintf(to, ", only by invalid ones %u", c->invalid_only);
    if (c->unknown) fprintf(to, ", not known of %u", c->unknown);
    if (c->n_missed) fputs(", never: ", to);
    for (; n < c->n_missed && n < PLACES; n++) {
        const struct sonde_changed_place *m = &c->missed[n];
        fprintf(to, "%s%s:%u", n ? ", " : "", m->file, m->first);
        if (m->last > m->first) fprintf(to, "-%u", m->last);
    }
    if (n < c->n_missed) fprintf(to, " and %zu more", c->n_missed - n);
    snprintf(out, size, "%s", sonde_buffer_close(&b));
    sonde_buffer_clear(&b);
}

/* ---- The source location of a report */

/* Returns the assume that discarded most cases of a property that gave up, because that is the line to change.
 * Returns NULL for any other outcome. */
static const struct sonde_assume_count *worst_assume(const struct sonde_report *r)
{
    const struct sonde_assume_count *worst = NULL;
    for (size_t i = 0; i < r->n_assumes; i++)
        if (!worst || r->assumes[i].rejected > worst->rejected) worst = &r->assumes[i];
    return r->outcome == SONDE_OUTCOME_GAVE_UP ? worst : NULL;
}

/* Makes the path relative to the repository, as services expect it. */
struct sonde_spot sonde_spot_find(const struct sonde_report *report, const struct sonde_failure *failure)
{
    const struct sonde_assume_count *worst = failure ? NULL : worst_assume(report);
    const char *file = failure ? failure->file : worst ? worst->file : NULL;
    if (!file || !*file) return (struct sonde_spot){NULL, 0};
    char *program = sonde_home_executable(report->program);
    int line = failure ? failure->line : worst->line;
    struct sonde_spot spot = {sonde_home_source(file, program, line), line};
    sonde_free(program);
    return spot;
}

void sonde_spot_clear(struct sonde_spot *spot)
{
    sonde_free(spot->file);
}
