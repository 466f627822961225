/* The report for GitHub Actions: annotations beside the source, and a summary of the job.
 *
 * An annotation is a line that the runner removes from the log (::error file=..,line=..::message), so it can be
 * mixed with the terminal report. The summary is appended to the file that GITHUB_STEP_SUMMARY names, as an HTML
 * table. Markdown does not change HTML as long as no line is empty; strings from the program under test are
 * written there without line ends.
 *
 * Annotations of a property are written when it ends. The table is open from BEGIN to END: a run that dies leaves
 * it without its end tag, which browsers tolerate.
 *
 *     ::error file=examples/02_lists.c,line=58,title=equal_keys_keep_their_order::...%0Areplay: s1:... */
#include "report/report.h"
#include "report/shared.h"
#include "report/write.h"

#include "base/buffer.h"
#include "base/die.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The reporter, with its two outputs. */
struct github_reporter {
    struct sonde_reporter base;
    FILE *out;     /* the log; borrowed */
    FILE *summary; /* the file for the summary, which the reporter closes; NULL: no summary is written */
};

/* ---- Annotations -----------------------------------------------------------------------------------------------*/

/* Writes a string as part of an annotation. Control characters are made visible first, so that a string cannot forge a
 * second command. Characters that would end the string are then written as %XX. With is_property (a field such as
 * file=), commas and colons are written so, too. */
static void put_escaped(FILE *out, const char *text, bool is_property)
{
    struct sonde_buffer shown;
    sonde_write_plain(sonde_buffer_open(&shown), text, strlen(text), 0);
    for (const char *c = sonde_buffer_close(&shown); *c; c++) {
        if (strchr(is_property ? "%\r\n,:" : "%\r\n", *c)) fprintf(out, "%%%02X", (unsigned)*c);
        else fputc(*c, out);
    }
    sonde_buffer_clear(&shown);
}

/* Writes an annotation. GitHub shows an annotation without a location at the top of the job. The token is included,
 * because the log may be deleted before the annotation is read. */
static void annotate(FILE *out, const char *level, const struct sonde_report *r, const struct sonde_failure *f,
                     const char *text)
{
    struct sonde_spot spot = sonde_spot_find(r, f);
    fprintf(out, "::%s ", level);
    if (spot.file) {
        fputs("file=", out);
        put_escaped(out, spot.file, true);
        if (spot.line > 0) fprintf(out, ",line=%d", spot.line);
        fputc(',', out);
    }
    fputs("title=", out);
    put_escaped(out, r->property ? r->property : "property", true);
    fputs("::", out);
    put_escaped(out, text, false);
    if (f && f->token && *f->token) {
        fputs("%0Areplay: ", out);
        put_escaped(out, f->token, false);
    }
    fputc('\n', out);
    sonde_spot_clear(&spot);
}

static void annotate_warning(FILE *out, const struct sonde_report *r, const struct sonde_warning *w)
{
    struct sonde_failure at = {.file = w->file, .line = w->line};
    annotate(out, "warning", r, w->file ? &at : NULL, w->text);
}

/* Writes an annotation for each failure and warning. A property that has no failure, but did not pass either, gets an
 * annotation too. */
static void annotate_report(FILE *out, const struct sonde_report *r)
{
    char summary[1024];
    bool holds = sonde_report_holds(r);
    sonde_report_summary(r, summary, sizeof summary);
    for (size_t i = 0; i < r->n_failures; i++) {
        const struct sonde_failure *f = &r->failures[i];
        const char *level = f->in_base == SONDE_IN_BASE_KNOWN ? "warning" : "error";
        annotate(out, level, r, f, f->message && *f->message ? f->message : summary);
    }
    if (!holds && !r->n_failures)
        annotate(out, r->outcome == SONDE_OUTCOME_GAVE_UP ? "warning" : "error", r, NULL, summary);
    for (size_t i = 0; i < r->n_warnings; i++) annotate_warning(out, r, &r->warnings[i]);
    for (int part = 0; part < 2; part++) {
        char line[2048];
        if (sonde_report_unjudged(r, part, line, sizeof line)) annotate(out, "notice", r, NULL, line);
    }
    fflush(out);
}

/* ---- The summary -----------------------------------------------------------------------------------------------*/

static void put_cell(FILE *out, const char *text)
{
    fputs("<td>", out);
    sonde_write_xml(out, text, strlen(text));
    fputs("</td>", out);
}

/* Writes the row of a property, and below it the whole report if it failed. */
static void summarize(FILE *out, const struct sonde_report *r)
{
    char summary[1024], time[SONDE_GROUPED];
    sonde_report_summary(r, summary, sizeof summary);
    fputs("<tr>", out);
    put_cell(out, r->property ? r->property : "property");
    put_cell(out, sonde_outcome_word(r->outcome));
    put_cell(out, sonde_duration(r->stats.seconds, time));
    put_cell(out, summary);
    fputs("</tr>\n", out);
    if (r->n_failures) { /* the whole report, folded until a reader opens it */
        fputs("<tr><td colspan=\"4\"><details><summary>report</summary><pre>", out);
        sonde_terminal_xml(out, r);
        fputs("</pre></details></td></tr>\n", out);
    }
    fflush(out);
}

static void github_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct github_reporter *g = (struct github_reporter *)reporter;
    if (event->kind == SONDE_EVENT_PROPERTY_END) annotate_report(g->out, event->report);
    if (!g->summary) return;
    if (event->kind == SONDE_EVENT_BEGIN)
        fputs("\n<table>\n<tr><th>property</th><th>verdict</th><th>time</th><th></th></tr>\n", g->summary);
    if (event->kind == SONDE_EVENT_PROPERTY_END) summarize(g->summary, event->report);
    if (event->kind == SONDE_EVENT_END) fputs("</table>\n\n", g->summary);
}

static void github_destroy(struct sonde_reporter *reporter)
{
    struct github_reporter *g = (struct github_reporter *)reporter;
    if (g->summary && fclose(g->summary))
        sonde_warn("the summary of the job could not be written: %s", strerror(errno));
    sonde_free(g);
}

struct sonde_reporter *sonde_github_create(FILE *out)
{
    struct github_reporter *g = sonde_reporter_new(sizeof *g, github_event);
    const char *file = getenv("GITHUB_STEP_SUMMARY");
    g->base.destroy = github_destroy;
    g->out = out;
    if (!file || !*file) return &g->base;
    /* Append: other steps of the job write to the same file. */
    g->summary = fopen(file, "ae");
    if (!g->summary) sonde_warn("GITHUB_STEP_SUMMARY: cannot write '%s': %s", file, strerror(errno));
    return &g->base;
}
