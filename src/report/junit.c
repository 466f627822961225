/* JUnit XML for continuous-integration servers: one test suite with one test case per property. A failure contains
 * the terminal report. The attributes of the suite count its test cases, so these are kept in memory until the
 * end.
 *
 * The dialect is the one that Jenkins and GitLab read: <testsuites><testsuite><testcase>, with failure, error or
 * skipped inside. A property that gave up is skipped: it neither passed nor failed.
 *
 *     <testsuites name="02_lists" tests="2" failures="1" errors="0" skipped="0" time="0.1">
 *       <testsuite ...the same...>
 *         <testcase classname="02_lists" name="result_is_sorted" time="0.1">
 *           <system-out>10,000 valid cases in 0.1 s</system-out>
 *         </testcase>
 *         <testcase ...>
 *           <failure message="a[i - 1].place &lt; a[i].place" type="check">the terminal report</failure> */
#include "report/report.h"
#include "report/shared.h"
#include "report/write.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "base/strings.h"

#include <string.h>

/* The reporter. */
struct junit_reporter {
    struct sonde_reporter base;
    FILE *out;
    struct sonde_buffer cases; /* the test cases so far, as XML */
    char *suite;               /* named after the program of the first report */
    size_t n, n_failures, n_errors, n_skipped;
    double seconds;
};

/* Writes an attribute. sonde_write_xml escapes quotes, too. */
static void put_attribute(FILE *out, const char *name, const char *value)
{
    fprintf(out, " %s=\"", name);
    sonde_write_xml(out, value, strlen(value));
    fputc('"', out);
}

/* Writes seconds with a decimal point. printf follows the locale of the program under test, which may use a comma. */
static void put_seconds(FILE *out, double seconds)
{
    char text[40];
    snprintf(text, sizeof text, "%.6f", seconds);
    for (char *c = text; *c; c++) {
        if (*c == ',') *c = '.';
    }
    put_attribute(out, "time", text);
}

/* Writes an element that contains the terminal report without colours, in which the replay command names its
 * property. `type` may be NULL. */
static void put_element(FILE *out, const char *element, const char *type, const char *message,
                        const struct sonde_report *report)
{
    fprintf(out, "      <%s", element);
    put_attribute(out, "message", message);
    if (type) put_attribute(out, "type", type);
    fputc('>', out);
    sonde_terminal_xml(out, report);
    fprintf(out, "</%s>\n", element);
}

/* Writes an element for each failure. A property that failed without a recorded failure gets one, too, because
 * servers count elements. */
static void put_failed(FILE *out, const struct sonde_report *r)
{
    for (size_t i = 0; i < r->n_failures; i++) {
        /* A copy of the report with one failure, so that the element is about that failure alone. */
        struct sonde_report one = *r;
        const struct sonde_failure *f = &r->failures[i];
        const char *message = f->condition && *f->condition ? f->condition : f->message ? f->message : "";
        one.failures = f;
        one.n_failures = 1;
        put_element(out, "failure", f->kind, message, &one);
    }
    if (!r->n_failures) put_element(out, "failure", NULL, r->message ? r->message : "falsified", r);
}

/* Writes the location of the first failure, for services that link to it. */
static void put_spot(FILE *out, const struct sonde_report *r)
{
    char line[24];
    struct sonde_spot spot = sonde_spot_find(r, r->n_failures ? r->failures : NULL);
    snprintf(line, sizeof line, "%d", spot.line);
    if (spot.file) put_attribute(out, "file", spot.file);
    if (spot.file && spot.line > 0) put_attribute(out, "line", line);
    sonde_spot_clear(&spot);
}

/* Writes how many stored failures and regressions could not be judged, and why. Used in an element without the terminal
 * report. */
static void put_unjudged(FILE *out, const struct sonde_report *r)
{
    char line[2048];
    for (int part = 0; part < 2; part++) {
        if (!sonde_report_unjudged(r, part, line, sizeof line)) continue;
        fputc('\n', out);
        sonde_write_xml(out, line, strlen(line));
    }
}

static void put_skipped(struct junit_reporter *j, const char *summary)
{
    j->n_skipped++;
    fputs("      <skipped", j->cases.out);
    put_attribute(j->cases.out, "message", summary);
    fputs("/>\n", j->cases.out);
}

/* Adds the test case of a property. Every property gets one, whatever its outcome: if one is missing, a server
 * takes the test for deleted. */
static void junit_property(struct junit_reporter *j, const struct sonde_report *r)
{
    FILE *out = j->cases.out;
    char summary[1024];
    const char *program = sonde_last_part(r->program ? r->program : "sonde");
    if (!j->suite) j->suite = sonde_strdup(program);
    sonde_report_summary(r, summary, sizeof summary);
    j->n++;
    j->seconds += r->stats.seconds;
    fputs("    <testcase", out);
    put_attribute(out, "classname", program);
    put_attribute(out, "name", r->property ? r->property : "property");
    put_seconds(out, r->stats.seconds);
    put_spot(out, r);
    fputs(">\n", out);
    switch (r->outcome) {
    case SONDE_OUTCOME_PASSED:
    case SONDE_OUTCOME_EXHAUSTED:
        if (sonde_report_is_skipped(r)) put_skipped(j, summary);
        fputs("      <system-out>", out);
        sonde_write_xml(out, summary, strlen(summary));
        for (size_t i = 0; i < r->n_warnings; i++) {
            fputs("&#10;Warning: ", out);
            sonde_write_xml(out, r->warnings[i].text, strlen(r->warnings[i].text));
        }
        put_unjudged(out, r);
        fputs("</system-out>\n", out);
        break;
    case SONDE_OUTCOME_GAVE_UP: put_skipped(j, summary); break;
    case SONDE_OUTCOME_FALSIFIED:
    case SONDE_OUTCOME_FLAKY:
        j->n_failures += !r->is_excused;
        j->n_skipped += r->is_excused;
        if (r->is_excused) put_element(out, "skipped", "known", "fails in the base too", r);
        else put_failed(out, r);
        break;
    case SONDE_OUTCOME_ERROR:
        j->n_errors++;
        put_element(out, "error", "misuse", summary, r);
        break;
    case SONDE_OUTCOME_INTERRUPTED:
    case SONDE_OUTCOME_NOT_RUN:
        j->n_errors++;
        put_element(out, "error", sonde_outcome_word(r->outcome), summary, r);
        break;
    }
    bool holds = sonde_report_holds(r);
    if (!holds && (r->n_unjudged || r->n_unjudged_regressions)) {
        fputs("      <system-out>", out);
        put_unjudged(out, r);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

/* Writes the counts. The outer and the inner element have the same ones, since there is one suite. */
static void put_totals(const struct junit_reporter *j)
{
    fprintf(j->out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", j->n, j->n_failures, j->n_errors,
            j->n_skipped);
    put_seconds(j->out, j->seconds);
    fputs(">\n", j->out);
}

/* Writes the whole file. A run that dies earlier leaves it empty, which servers take for an error. */
static void junit_end(struct junit_reporter *j)
{
    const char *suite = j->suite ? j->suite : "sonde";
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites", j->out);
    put_attribute(j->out, "name", suite);
    put_totals(j);
    fputs("  <testsuite", j->out);
    put_attribute(j->out, "name", suite);
    put_totals(j);
    fputs(sonde_buffer_close(&j->cases), j->out);
    fputs("  </testsuite>\n</testsuites>\n", j->out);
    fflush(j->out);
}

static void junit_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct junit_reporter *j = (struct junit_reporter *)reporter;
    if (event->kind == SONDE_EVENT_PROPERTY_END) junit_property(j, event->report);
    if (event->kind == SONDE_EVENT_END) junit_end(j);
}

static void junit_destroy(struct sonde_reporter *reporter)
{
    struct junit_reporter *j = (struct junit_reporter *)reporter;
    sonde_buffer_clear(&j->cases);
    sonde_free(j->suite);
    sonde_free(j);
}

struct sonde_reporter *sonde_junit_create(FILE *out)
{
    struct junit_reporter *j = sonde_reporter_new(sizeof *j, junit_event);
    j->base.destroy = junit_destroy;
    j->out = out;
    sonde_buffer_open(&j->cases);
    return &j->base;
}
