/* SARIF 2.1.0, as code scanning reads it: one run, a result for each failure, for each warning, for a property that gave up and for a misuse.
 *
 * The kind of a failure is its rule, and its id, which is the same in every run that finds the same bug, its fingerprint: so a
 * service knows an old finding from a new one though lines have moved. Results are written as they come; what counts them all
 * (rules, whether the run was whole) follows, since the order of fields means nothing in JSON.
 *
 *     {"version": "2.1.0", "runs": [{
 *       "results": [
 *         {"ruleId": "check", "level": "error", "message": {"text": "..."}, "locations": [...],
 *          "partialFingerprints": {"sondeFailure/v1": "55811cd0f09229c3"}, "properties": {... "token": "..."}}
 *       ],
 *       "invocations": [{"executionSuccessful": true, "exitCode": 1}],
 *       "tool": {"driver": {"name": "sonde", ..., "rules": [{"id": "check"}]}}
 *     }]} */
#include "report/spot.h"
#include "report/report.h"
#include "report/write.h"

#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

/* Kinds of failures and outcomes are about thirty; more could not be told apart by a reader. */
enum { RULES_MAX = 64 };

/* rules[0..n_rules) are owned; each result's rule is among them as long as there is room. */
struct sarif_reporter {
    struct sonde_reporter base;
    FILE *out;
    size_t n_results, n_rules;
    char *rules[RULES_MAX];
};

static void put_text(FILE *out, const char *text)
{
    sonde_write_json(out, text ? text : "", text ? strlen(text) : 0);
}

static void add_rule(struct sarif_reporter *s, const char *name)
{
    for (size_t i = 0; i < s->n_rules; i++)
        if (!strcmp(s->rules[i], name)) return;
    if (s->n_rules < RULES_MAX) s->rules[s->n_rules++] = sonde_strdup(name);
}

/* A path as a relative URI, or an absolute one where it is not under the root. RFC 3986: what is not
 * plain is percent-encoded byte by byte. */
static void put_uri(FILE *out, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./~+=@,";
    fputs(*path == '/' ? "\"file://" : "\"", out);
    for (; *path; path++) {
        if (strchr(plain, *path)) fputc(*path, out);
        else fprintf(out, "%%%02X", (unsigned char)*path);
    }
    fputc('"', out);
}

/* The property is a logical location, also where no file is known: a result without any location is
 * dropped by some services. */
static void put_location(FILE *out, const struct sonde_report *r, const struct sonde_failure *f)
{
    struct sonde_spot spot = sonde_spot_find(r, f);
    fputs("\"locations\": [{", out);
    if (spot.file) {
        fputs("\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", out);
        put_uri(out, spot.file);
        if (*spot.file != '/') fputs(", \"uriBaseId\": \"%SRCROOT%\"", out);
        fputs("}", out);
        if (spot.line > 0) fprintf(out, ", \"region\": {\"startLine\": %d}", spot.line);
        fputs("}, ", out);
    }
    fputs("\"logicalLocations\": [{\"kind\": \"function\", \"name\": ", out);
    put_text(out, r->property ? r->property : "property");
    fputs("}]}]", out);
    sonde_spot_clear(&spot);
}

/* As text: a seed has 64 bits, and readers of JSON may keep 53 of them. */
static void put_properties(FILE *out, const struct sonde_report *r, const struct sonde_failure *f)
{
    fputs("\"properties\": {\"property\": ", out);
    put_text(out, r->property);
    fprintf(out, ", \"seed\": \"%" PRIu64 "\"", r->seed);
    if (f && f->token) {
        fputs(", \"token\": ", out);
        put_text(out, f->token);
    }
    fputc('}', out);
}

static void put_result(struct sarif_reporter *s, const struct sonde_report *r, const struct sonde_failure *f,
                       const char *rule, const char *level, const char *message)
{
    FILE *out = s->out;
    add_rule(s, rule);
    fputs(s->n_results++ ? ",\n    {\"ruleId\": " : "\n    {\"ruleId\": ", out);
    put_text(out, rule);
    fprintf(out, ", \"level\": \"%s\", \"message\": {\"text\": ", level);
    put_text(out, message && *message ? message : rule);
    fputs("}, ", out);
    put_location(out, r, f);
    if (f && *f->id) {
        fputs(", \"partialFingerprints\": {\"sondeFailure/v1\": ", out);
        put_text(out, f->id);
        fputc('}', out);
    }
    fputs(", ", out);
    put_properties(out, r, f);
    fputc('}', out);
}

/* A flaky failure is a warning: nobody can reproduce it yet. */
static void put_report(struct sarif_reporter *s, const struct sonde_report *r)
{
    char summary[1024];
    sonde_report_summary(r, summary, sizeof summary);
    for (size_t i = 0; i < r->n_failures; i++) {
        const struct sonde_failure *f = &r->failures[i];
        put_result(s, r, f, f->kind ? f->kind : "fail", f->flaky ? "warning" : "error", f->message);
    }
    for (size_t i = 0; i < r->n_warnings; i++) {
        const struct sonde_warning *w = &r->warnings[i];
        struct sonde_failure at = {.file = w->file, .line = w->line};
        put_result(s, r, w->file ? &at : NULL, w->kind, "warning", w->text);
    }
    for (int part = 0; part < 2; part++) {
        char line[2048];
        if (sonde_report_unjudged(r, part, line, sizeof line)) put_result(s, r, NULL, "not_judged", "note", line);
    }
    bool holds = r->outcome == SONDE_OUTCOME_PASSED || r->outcome == SONDE_OUTCOME_EXHAUSTED;
    if (holds || r->n_failures) return;
    bool is_misuse = r->outcome == SONDE_OUTCOME_ERROR || r->outcome == SONDE_OUTCOME_FALSIFIED;
    put_result(s, r, NULL, sonde_outcome_word(r->outcome), is_misuse ? "error" : "warning", summary);
}

/* A finding is a successful run of the tool; only usage errors, internal ones and interruptions are
 * not. */
static void put_end(struct sarif_reporter *s, enum sonde_status status)
{
    FILE *out = s->out;
    bool whole = status == SONDE_PASSED || status == SONDE_FALSIFIED || status == SONDE_GAVE_UP;
    fprintf(out, "\n  ],\n  \"invocations\": [{\"executionSuccessful\": %s, \"exitCode\": %d}],\n",
            whole ? "true" : "false", (int)status);
    fputs("  \"columnKind\": \"unicodeCodePoints\",\n", out);
    fputs("  \"tool\": {\"driver\": {\"name\": \"sonde\", \"version\": \"" SONDE_VERSION "\", \"rules\": [", out);
    for (size_t i = 0; i < s->n_rules; i++) {
        fputs(i ? ", {\"id\": " : "{\"id\": ", out);
        put_text(out, s->rules[i]);
        fputc('}', out);
    }
    fputs("]}}\n}]}\n", out);
    fflush(out);
}

static void sarif_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct sarif_reporter *s = (struct sarif_reporter *)reporter;
    if (event->kind == SONDE_EVENT_BEGIN) fputs("{\"version\": \"2.1.0\", \"runs\": [{\n  \"results\": [", s->out);
    if (event->kind == SONDE_EVENT_PROPERTY_END) put_report(s, event->report);
    if (event->kind == SONDE_EVENT_END) put_end(s, event->status);
}

static void sarif_destroy(struct sonde_reporter *reporter)
{
    struct sarif_reporter *s = (struct sarif_reporter *)reporter;
    for (size_t i = 0; i < s->n_rules; i++) sonde_free(s->rules[i]);
    sonde_free(s);
}

struct sonde_reporter *sonde_sarif_create(FILE *out)
{
    struct sarif_reporter *s = sonde_calloc(1, sizeof *s);
    s->base.event = sarif_event;
    s->base.destroy = sarif_destroy;
    s->out = out;
    return &s->base;
}
