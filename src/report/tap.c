/* TAP version 13: a plan, a line per property, and diagnostics in YAML. The diagnostics are fields of the JSON
 * report, since every JSON value is also a YAML value. Not version 14, which prove and other consumers refuse. A
 * property that gave up is skipped; one that a signal interrupted is not ok.
 *
 *     TAP version 13
 *     1..2
 *     ok 1 - result_is_sorted
 *       ---
 *       "verdict": "passed"
 *       "tests": 10000
 *       ...
 *     not ok 2 - equal_keys_keep_their_order
 *       ---
 *       ...
 *     # FAIL equal_keys_keep_their_order: falsified      the page of terminal.c, for people */
#include "report/report.h"
#include "report/shared.h"
#include "report/write.h"

#include "base/buffer.h"
#include "base/json.h"

/* The reporter. */
struct tap_reporter {
    struct sonde_reporter base;
    FILE *out;
    size_t n; /* number of the last test */
};

/* Writes a description with # and \ escaped. That includes the backslashes that sonde_write_line writes for control
 * characters. */
static void tap_description(FILE *out, const char *text)
{
    struct sonde_buffer line;
    sonde_write_line(sonde_buffer_open(&line), text);
    for (const char *c = sonde_buffer_close(&line); *c; c++) {
        if (*c == '#' || *c == '\\') fputc('\\', out);
        fputc(*c, out);
    }
    sonde_buffer_clear(&line);
}

/* Writes the terminal report of a failure as comments, for readers that show the lines as they are. */
static void tap_page(FILE *out, const struct sonde_report *r)
{
    struct sonde_buffer page;
    struct sonde_terminal_style style = {.several = true, .hints = true};
    sonde_terminal_print(sonde_buffer_open(&page), &style, r);
    sonde_buffer_close(&page);
    while (page.n > 0 && page.text[page.n - 1] == '\n') page.n--;
    for (size_t i = 0; i < page.n; i++) {
        if (i == 0 || page.text[i - 1] == '\n') fputs(page.text[i] == '\n' ? "#" : "# ", out);
        fputc(page.text[i] == '\t' ? ' ' : page.text[i], out); /* a tab is a control character */
    }
    if (page.n > 0) fputc('\n', out);
    sonde_buffer_clear(&page);
}

/* Writes the line of a property and its diagnostics. A skipped test is "ok" in TAP, and main.c makes the exit
 * status agree (status_for). */
static void tap_property(struct tap_reporter *t, const struct sonde_report *r)
{
    char summary[1024];
    bool gave_up = r->outcome == SONDE_OUTCOME_GAVE_UP;
    bool holds = sonde_report_holds(r);
    sonde_report_summary(r, summary, sizeof summary);
    fprintf(t->out, "%sok %zu - ", holds || gave_up ? "" : "not ", ++t->n);
    tap_description(t->out, r->property ? r->property : "property");
    if (gave_up) {
        fputs(" # SKIP gave up: ", t->out);
        sonde_write_line(t->out, summary);
    }
    if (sonde_report_is_skipped(r)) {
        fputs(" # SKIP ", t->out);
        sonde_write_line(t->out, summary);
    }
    if (r->is_excused) fputs(" # TODO fails in the base too", t->out);
    if (r->outcome == SONDE_OUTCOME_NOT_RUN) fputs(" # not run", t->out);
    if (r->outcome == SONDE_OUTCOME_INTERRUPTED) fputs(" # interrupted", t->out);
    fputs("\n  ---\n  ", t->out);
    sonde_json_fields(&(struct sonde_json_out){.out = t->out, .between = "\n  "}, r, true);
    fputs("\n  ...\n", t->out);
    for (int part = 0; part < 2; part++) {
        char line[2048];
        if (!sonde_report_unjudged(r, part, line, sizeof line)) continue;
        fputs("# ", t->out);
        sonde_write_line(t->out, line);
        fputc('\n', t->out);
    }
    if (!holds && r->outcome != SONDE_OUTCOME_NOT_RUN) tap_page(t->out, r);
    fflush(t->out);
}

static void tap_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct tap_reporter *t = (struct tap_reporter *)reporter;
    /* The plan comes first, so that consumers can tell that a run which died is incomplete. */
    if (event->kind == SONDE_EVENT_BEGIN) fprintf(t->out, "TAP version 13\n1..%zu\n", event->n_properties);
    if (event->kind == SONDE_EVENT_PROPERTY_END) tap_property(t, event->report);
    fflush(t->out);
}

struct sonde_reporter *sonde_tap_create(FILE *out)
{
    struct tap_reporter *t = sonde_reporter_new(sizeof *t, tap_event);
    t->out = out;
    return &t->base;
}
