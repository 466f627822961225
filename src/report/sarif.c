/* SARIF 2.1.0, the format of code scanning services. The file has one run. Failures, warnings, properties that
 * gave up and misuses are its results.
 *
 * The kind of a failure is its rule, and the failure's id is its fingerprint. The id is the same in every run that
 * finds the same bug. So a service can tell old findings from new ones after lines have moved. Results are written
 * as they come. Rules and the exit code follow at the end, since the order of fields has no meaning in JSON.
 *
 *     {"version": "2.1.0", "runs": [{
 *       "results": [
 *         {"ruleId": "check", "level": "error", "message": {"text": "..."}, "locations": [...],
 *          "partialFingerprints": {"sondeFailure/v1": "55811cd0f09229c3"}, "properties": {... "token": "..."}}
 *       ],
 *       "invocations": [{"executionSuccessful": true, "exitCode": 1}],
 *       "tool": {"driver": {"name": "sonde", ..., "rules": [{"id": "check"}]}}
 *     }]} */
#include "report/report.h"
#include "report/shared.h"

#include "base/json.h"
#include "base/mem.h"

#include <inttypes.h>
#include <string.h>

enum { RULES_MAX = 64 }; /* there are about thirty kinds of failures and outcomes */

/* The reporter. rules[0..n_rules) are owned; they include the rule of every result, up to RULES_MAX. */
struct sarif_reporter {
    struct sonde_reporter base;
    FILE *out;
    size_t n_results, n_rules;
    char *rules[RULES_MAX];
};

/* Adds a rule unless it is there already. */
static void add_rule(struct sarif_reporter *s, const char *name)
{
    for (size_t i = 0; i < s->n_rules; i++)
        if (!strcmp(s->rules[i], name)) return;
    if (s->n_rules < RULES_MAX) s->rules[s->n_rules++] = sonde_strdup(name);
}

/* Writes a path as a URI, relative unless the path is absolute. Other characters than the plain ones of RFC 3986 are
 * percent-encoded byte by byte. */
static void put_uri(struct sonde_json_out *to, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./~+=@,";
    static const char file[] = "file://";
    size_t size = sizeof file + 3 * strlen(path), n = 0;
    char *uri = sonde_malloc(size);
    if (*path == '/') n = (size_t)snprintf(uri, size, file);
    for (; *path; path++)
        n += (size_t)snprintf(uri + n, size - n, strchr(plain, *path) ? "%c" : "%%%02X", (unsigned char)*path);
    sonde_json_string(to, uri, n);
    sonde_free(uri);
}

void sonde_sarif_location(struct sonde_json_out *to, const char *file, int line)
{
    sonde_json_put(to, "physicalLocation: {artifactLocation: {uri:");
    put_uri(to, file);
    if (*file != '/') sonde_json_put(to, "uriBaseId: %s", "%SRCROOT%");
    sonde_json_put(to, "}");
    if (line > 0) sonde_json_put(to, "region: {startLine: %d}", line);
    sonde_json_put(to, "}");
}

/* Writes the location of a result. It names the property even if no file is known, because some services drop a
 * result without any location. */
static void put_location(struct sonde_json_out *to, const struct sonde_report *r, const struct sonde_failure *f)
{
    struct sonde_spot spot = sonde_spot_find(r, f);
    sonde_json_put(to, "locations: [{");
    if (spot.file) sonde_sarif_location(to, spot.file, spot.line);
    sonde_json_put(to, "logicalLocations: [{kind: %s, name: %s}]}]", "function",
                   r->property ? r->property : "property");
    sonde_spot_clear(&spot);
}

/* Writes additional fields. The seed is a string: it has 64 bits, of which some JSON parsers keep only 53. */
static void put_properties(struct sonde_json_out *to, const struct sonde_report *r, const struct sonde_failure *f)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    sonde_json_put(to, "properties: {property: %s, seed: %s", r->property ? r->property : "", seed);
    if (f && f->token) sonde_json_put(to, "token: %s", f->token);
    sonde_json_put(to, "}");
}

/* Writes one result; `f` may be NULL, and then the result has no fingerprint or token. */
static void put_result(struct sarif_reporter *s, const struct sonde_report *r, const struct sonde_failure *f,
                       const char *rule, const char *level, const char *message)
{
    struct sonde_json_out to = {.out = s->out};
    add_rule(s, rule);
    fputs(s->n_results++ ? ",\n    " : "\n    ", s->out);
    sonde_json_put(&to, "{ruleId: %s, level: %s, message: {text: %s}", rule, level,
                   message && *message ? message : rule);
    put_location(&to, r, f);
    if (f && *f->id) sonde_json_put(&to, "partialFingerprints: {sondeFailure/v1: %s}", f->id);
    if (f && f->in_base)
        sonde_json_put(&to, "baselineState: %s", f->in_base == SONDE_IN_BASE_KNOWN ? "unchanged" : "new");
    put_properties(&to, r, f);
    sonde_json_put(&to, "}");
}

/* Returns the level of a failure. A flaky failure is a warning, because it cannot be reproduced reliably; so is one
 * that the change did not introduce. */
static const char *level_of(const struct sonde_failure *f)
{
    return f->flaky || f->in_base == SONDE_IN_BASE_KNOWN ? "warning" : "error";
}

/* Writes all results of a property. */
static void put_report(struct sarif_reporter *s, const struct sonde_report *r)
{
    char summary[1024];
    sonde_report_summary(r, summary, sizeof summary);
    for (size_t i = 0; i < r->n_failures; i++) {
        const struct sonde_failure *f = &r->failures[i];
        put_result(s, r, f, f->kind ? f->kind : "fail", level_of(f), f->message);
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
    bool holds = sonde_report_holds(r);
    if (holds || r->n_failures) return;
    bool is_misuse = r->outcome == SONDE_OUTCOME_ERROR || r->outcome == SONDE_OUTCOME_FALSIFIED;
    put_result(s, r, NULL, sonde_outcome_word(r->outcome), is_misuse ? "error" : "warning", summary);
}

/* Writes the rest. A run with findings was a successful execution of the tool. Usage errors, internal errors and
 * interruptions were not. */
static void put_end(struct sarif_reporter *s, enum sonde_status status, const struct sonde_changed *changed)
{
    FILE *out = s->out;
    bool whole = status == SONDE_PASSED || status == SONDE_FALSIFIED || status == SONDE_GAVE_UP;
    struct sonde_json_out rest = {.out = out, .between = ",\n  ", .has_value = true};
    fputs("\n  ]", out);
    sonde_json_put(&rest, "invocations: [{executionSuccessful: %hhd, exitCode: %d}]", whole, (int)status);
    if (changed) {
        sonde_json_put(&rest, "properties: {changed: ");
        sonde_json_changed(&rest, changed);
        sonde_json_put(&rest, "}");
    }
    sonde_json_put(&rest, "columnKind: %s", "unicodeCodePoints");
    sonde_json_put(&rest, "tool: {driver: {name: %s, version: %s, rules: [", "sonde", SONDE_VERSION);
    for (size_t i = 0; i < s->n_rules; i++) sonde_json_put(&rest, "{id: %s}", s->rules[i]);
    sonde_json_put(&rest, "]}}");
    fputs("\n}]}\n", out);
    fflush(out);
}

static void sarif_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct sarif_reporter *s = (struct sarif_reporter *)reporter;
    if (event->kind == SONDE_EVENT_BEGIN) fputs("{\"version\": \"2.1.0\", \"runs\": [{\n  \"results\": [", s->out);
    if (event->kind == SONDE_EVENT_PROPERTY_END) put_report(s, event->report);
    if (event->kind == SONDE_EVENT_END) put_end(s, event->status, event->changed);
}

static void sarif_destroy(struct sonde_reporter *reporter)
{
    struct sarif_reporter *s = (struct sarif_reporter *)reporter;
    for (size_t i = 0; i < s->n_rules; i++) sonde_free(s->rules[i]);
    sonde_free(s);
}

struct sonde_reporter *sonde_sarif_create(FILE *out)
{
    struct sarif_reporter *s = sonde_reporter_new(sizeof *s, sarif_event);
    s->base.destroy = sarif_destroy;
    s->out = out;
    return &s->base;
}
