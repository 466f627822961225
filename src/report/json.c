/* JSON lines: one object per property, each on one line. One table lists the fields; TAP uses it, too.
 *
 * The line is valid JSON whatever the program under test puts into labels, notes and messages. Strings are UTF-8,
 * with U+FFFD for invalid bytes. Numbers that JSON lacks are strings ("inf", "-inf", "nan"). Integers are plain
 * numbers of up to 64 bits. Drawn bytes are pairs of hex digits.
 *
 * Consumers may rely on one line per property, and on every field being present, null if there is no value. No
 * field is ever renamed. docs/output.md lists the fields; new ones are appended. */
#include "report/blockers.h"
#include "report/explanation.h"
#include "report/report.h"
#include "report/shared.h"
#include "report/values.h"

#include "base/json.h"
#include "base/mem.h"
#include "tape/tape.h"
#include "tape/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* maximum size in bytes of the list of one failure's values: a list of many values with long paths is cut */
enum { VALUES_BYTES_MAX = 4 << 20 };

/* The words are an interface: scripts compare them (docs/output.md). */
const char *sonde_outcome_word(enum sonde_outcome outcome)
{
    static const char *const words[] = {
        [SONDE_OUTCOME_PASSED] = "passed",
        [SONDE_OUTCOME_FALSIFIED] = "falsified",
        [SONDE_OUTCOME_EXHAUSTED] = "exhausted",
        [SONDE_OUTCOME_GAVE_UP] = "gave_up",
        [SONDE_OUTCOME_FLAKY] = "flaky",
        [SONDE_OUTCOME_ERROR] = "error",
        [SONDE_OUTCOME_INTERRUPTED] = "interrupted",
        [SONDE_OUTCOME_NOT_RUN] = "not_run",
    };
    _Static_assert(sizeof words / sizeof *words == SONDE_OUTCOME_NOT_RUN + 1, "each outcome has a word");
    return words[outcome];
}

const char *sonde_stop_word(enum sonde_stop stop)
{
    static const char *const words[] = {
        [SONDE_STOP_TESTS] = "tests",
        [SONDE_STOP_TIME] = "time",
        [SONDE_STOP_FOUND] = "found",
        [SONDE_STOP_EXHAUSTED] = "exhausted",
        [SONDE_STOP_GAVE_UP] = "gave_up",
        [SONDE_STOP_INTERRUPTED] = "interrupted",
        [SONDE_STOP_ERROR] = "error",
        [SONDE_STOP_FLAT] = "flat",
        [SONDE_STOP_NOT_CONCERNED] = "not_concerned",
    };
    _Static_assert(sizeof words / sizeof *words == SONDE_STOP_NOT_CONCERNED + 1, "each reason has a word");
    return words[stop];
}

/* ---- Values ----------------------------------------------------------------------------------------------------*/

/* Writes a drawn string, or bytes as hex digits. The buffer has 4 bytes per element, the longest character of
 * UTF-8. */
static void put_blob(struct sonde_json_out *to, const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    static const char digits[] = "0123456789abcdef";
    struct sonde_blob blob = sonde_choice_blob(tape, choice);
    char *text = sonde_malloc(4 * (size_t)blob.len + 1);
    size_t n = sonde_blob_text(&blob, text);
    if (blob.alphabet.kind == SONDE_ALPHABET_BYTES) {
        /* Convert in place from the end: two digits never overwrite a byte that is still to be read. */
        for (size_t i = n; i-- > 0;) {
            unsigned char byte = (unsigned char)text[i];
            text[2 * i] = digits[byte >> 4];
            text[2 * i + 1] = digits[byte & 15];
        }
        n *= 2;
    }
    sonde_json_string(to, text, n);
    sonde_free(text);
}

/* A tape holds a LITERAL only if it was read from a token and never drawn. A LITERAL has no type yet. */
void sonde_json_choice(struct sonde_json_out *to, const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    if (choice->kind == SONDE_KIND_LITERAL) {
        char text[4096];
        sonde_choice_print(tape, choice, text, sizeof text);
        sonde_json_put(to, "%s", text);
        return;
    }
    struct sonde_value value = sonde_choice_value(tape, choice);
    switch (value.type) {
    case SONDE_VALUE_INT: sonde_json_put(to, "%" PRId64, value.as.i); break;
    case SONDE_VALUE_UINT: sonde_json_put(to, "%" PRIu64, value.as.u); break;
    case SONDE_VALUE_BOOL: sonde_json_put(to, "%hhd", value.as.b); break;
    case SONDE_VALUE_DOUBLE: sonde_json_put(to, "%g", value.as.d); break;
    case SONDE_VALUE_BLOB: put_blob(to, tape, choice); break;
    }
}

/* State while the values of a failure are written. */
struct value_list {
    struct sonde_json_out *to;
    const struct sonde_tape *tape;
    const uint8_t *others_fail; /* may be NULL */
    size_t bytes;               /* estimated bytes of the list so far; a list beyond VALUES_BYTES_MAX is not complete */
};

/* Writes one value. Returns false to end the list, which is valid JSON at any length. */
static bool put_leaf(void *context, const struct sonde_leaf *leaf)
{
    struct value_list *list = context;
    /* The value itself is not counted: the case bounds its size, while paths can be long. */
    list->bytes += strlen(leaf->path) + 32;
    if (list->bytes > VALUES_BYTES_MAX) return false;
    sonde_json_put(list->to, "{path: %s, value:", leaf->path);
    if (leaf->choice) sonde_json_choice(list->to, list->tape, leaf->choice);
    else sonde_json_put(list->to, "%s", leaf->shown);
    unsigned others = leaf->choice && list->others_fail ? list->others_fail[leaf->choice - list->tape->choices] : 0;
    if (others) sonde_json_put(list->to, "others_fail: %u", others);
    sonde_json_put(list->to, "}");
    return true;
}

/* ---- Failures --------------------------------------------------------------------------------------------------*/

const char *sonde_in_base_word(enum sonde_in_base in_base)
{
    static const char *const words[] = {
        [SONDE_IN_BASE_UNASKED] = "unasked",
        [SONDE_IN_BASE_NEW] = "new",
        [SONDE_IN_BASE_KNOWN] = "known",
        [SONDE_IN_BASE_UNKNOWN] = "unknown",
    };
    return words[in_base];
}

/* Writes a failure with the names and the order of docs/output.md: strings, numbers, then the values, which may be
 * long. NULL becomes null, so that consumers can tell "" from a missing string. */
static void put_failure(struct sonde_json_out *to, const struct sonde_report *r, const struct sonde_failure *f)
{
    sonde_json_put(to, "{id: %s, kind: %s, message: %s, file: %s, condition: %s, got: %s, want: %s", f->id, f->kind,
                   f->message, f->file, f->condition, f->got, f->want);
    sonde_json_put(to, "token: %s, notes: %s, output: %s, differed: %s, advice: %s, regression: %s, found_when: %s",
                   f->token, f->notes, f->output, f->differed, f->advice, f->regression, f->found_when);
    if (f->state) sonde_json_put(to, "state:"), sonde_json_lines(to, f->state);
    if (f->observed) sonde_json_put(to, "observed: %s", f->observed);
    if (f->against) sonde_json_put(to, "against: %s", f->against);
    sonde_json_put(to, "line: %d, tests_to_failure: %" PRIu64 ", hits: %" PRIu64, f->line, f->tests_to_failure,
                   f->hits);
    sonde_json_put(to, "original_size: %" PRIu64 ", size: %" PRIu64 ", shrink_calls: %" PRIu64, f->original_size,
                   f->tape ? sonde_tape_size(f->tape) : 0, f->shrink_calls);
    sonde_json_put(to, "earlier_cases: %u, known: %hhd", f->earlier, f->is_known);
    if (f->in_base) sonde_json_put(to, "in_base: %s, base_note: %s", sonde_in_base_word(f->in_base), f->base_note);
    if (f->n_threads) sonde_json_put(to, "schedule: {switches: %u, threads: %u}", f->n_switches, f->n_threads);
    sonde_json_put(to, "output_left_out: %" PRIu64 ", shrink_complete: %hhd, shrink_stopped: %hhd", f->output_left_out,
                   f->shrink_complete, f->shrink_stopped);
    if (f->shrink_unsteady) sonde_json_put(to, "shrink_unsteady: %hhd", f->shrink_unsteady);
    if (f->shrink_margin > 0) sonde_json_put(to, "shrink_margin: %.6g", f->shrink_margin);
    sonde_json_put(to, "flaky: %hhd, values: [", f->flaky);
    struct value_list list = {to, f->tape, f->others_fail, 0};
    if (f->tape)
        sonde_values_each(&(struct sonde_values){f->tape, r->names, f->shown, f->n_shown, f->others_fail}, put_leaf,
                          &list);
    bool is_complete = list.bytes <= VALUES_BYTES_MAX;
    sonde_json_put(to, "], values_complete: %hhd", is_complete);
    if (f->explanation) sonde_explanation_json(to, f, r->names);
    sonde_json_put(to, "}");
}

static void put_failures(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "[");
    for (size_t i = 0; i < r->n_failures; i++) put_failure(to, r, &r->failures[i]);
    sonde_json_put(to, "]");
}

/* ---- Fields ----------------------------------------------------------------------------------------------------*/

/* Writes the assumes in the order of their first use; terminal.c sorts them. */
static void put_assumes(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "[");
    for (size_t i = 0; i < r->n_assumes; i++) {
        const struct sonde_assume_count *a = &r->assumes[i];
        sonde_json_put(to, "{file: %s, line: %d, condition: %s, rejected: %" PRIu64 "}", a->file, a->line, a->condition,
                       a->rejected);
    }
    sonde_json_put(to, "]");
}

/* Writes an object, since names of labels are unique. */
static void put_labels(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "{");
    for (size_t i = 0; i < r->n_labels; i++) sonde_json_put(to, "%s: %" PRIu64, r->labels[i].name, r->labels[i].count);
    sonde_json_put(to, "}");
}

const char *sonde_cover_word(const struct sonde_label_count *label)
{
    static const char *const words[] = {[SONDE_COVER_NONE] = "none",
                                        [SONDE_COVER_MET] = "met",
                                        [SONDE_COVER_MISSED] = "missed",
                                        [SONDE_COVER_OPEN] = "open"};
    return words[label->cover];
}

/* Writes the labels that sonde_cover requires; "labels" has all of them. sampled and met count independent draws;
 * if the share is exact, neither is used. */
static void put_cover(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "{");
    for (size_t i = 0; i < r->n_labels; i++) {
        const struct sonde_label_count *label = &r->labels[i];
        if (!(label->wanted > 0)) continue;
        sonde_json_put(to, "%s: {wanted: %g, sampled: %" PRIu64 ", met: %" PRIu64, label->name, label->wanted,
                       label->sampled, label->met);
        if (label->is_exact) sonde_json_put(to, "exact: %g", label->share);
        sonde_json_put(to, "verdict: %s}", sonde_cover_word(label));
    }
    sonde_json_put(to, "}");
}

static void put_targets(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "{");
    for (size_t i = 0; i < r->n_targets; i++) sonde_json_put(to, "%s: %g", r->targets[i].name, r->targets[i].best);
    sonde_json_put(to, "}");
}

static void put_different(struct sonde_json_out *to, const struct sonde_report *r)
{
    const struct sonde_stats *s = &r->stats;
    sonde_json_put(to, "{shape: %" PRIu64 ", skeleton: %" PRIu64 ", trace:", s->shapes, s->skeletons);
    if (s->traces) sonde_json_put(to, "%" PRIu64, s->traces);
    else sonde_json_put(to, "null");
    sonde_json_put(to, "payload: %" PRIu64 "}", s->unique_valid);
}

/* Writes the directory of the store; null for "" (switched off) and NULL. */
static void put_store(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "%s", r->store && *r->store ? r->store : NULL);
}

/* Writes the outcomes of stored failures that are not among the reported ones. */
static void put_stored(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "{fixed: %zu, stale: %zu, unreplayed: %zu, unreadable: %zu, stale_text: %s", r->n_fixed,
                   r->n_stale, r->n_unreplayed, r->n_unreadable, r->stale);
    sonde_json_put(to, "not_judged: %zu, not_judged_text: %s}", r->n_unjudged, r->unjudged);
}

/* Writes the outcomes of the tapes of --regressions, or null if there are no such tapes. */
static void put_regressions(struct sonde_json_out *to, const struct sonde_report *r)
{
    if (!r->n_regressions) sonde_json_put(to, "null");
    else
        sonde_json_put(to, "{run: %zu, not_judged: %zu, not_judged_text: %s}", r->n_regressions,
                       r->n_unjudged_regressions, r->unjudged_regressions);
}

void sonde_json_lines(struct sonde_json_out *to, const char *text)
{
    sonde_json_put(to, "[");
    for (const char *line = text; line && *line;) {
        size_t n = strcspn(line, "\n");
        sonde_json_string(to, line, n);
        line += n + (line[n] == '\n');
    }
    sonde_json_put(to, "]");
}

static void put_not_seen(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_lines(to, r->unseen);
}

static void put_warnings(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "[");
    for (size_t i = 0; i < r->n_warnings; i++) {
        const struct sonde_warning *w = &r->warnings[i];
        sonde_json_put(to, "{kind: %s, text: %s, file: %s, line:", w->kind, w->text, w->file);
        if (w->file) sonde_json_put(to, "%d}", w->line);
        else sonde_json_put(to, "null}");
    }
    sonde_json_put(to, "]");
}

/* The C type of a field, or how it is written. */
enum field_type {
    FIELD_TEXT,
    FIELD_TEXT_IF_ANY,
    FIELD_COUNT,
    FIELD_SECONDS,
    FIELD_BOOL,
    FIELD_OUTCOME,
    FIELD_STOP,
    FIELD_FUNCTION
};

/* The fields of an object, in this order. A function writes those that are not plain members of struct
 * sonde_report. */
static const struct {
    const char *name;
    enum field_type type;
    bool is_diagnostic; /* TAP prints the field, too */
    size_t offset;
    void (*put)(struct sonde_json_out *to, const struct sonde_report *report);
} fields[] = {
/* The C type of the member must be the one that put_field reads for its field type. */
#define AT(field) offsetof(struct sonde_report, field), NULL
    {"property", FIELD_TEXT, false, AT(property)},
    {"verdict", FIELD_OUTCOME, true, AT(outcome)},
    {"stopped", FIELD_STOP, true, AT(stopped)},
    {"message", FIELD_TEXT, true, AT(message)},
    {"warning", FIELD_TEXT, true, AT(warning_kind)},
    {"warning_text", FIELD_TEXT, true, AT(warning)},
#undef AT
    {"warnings", FIELD_FUNCTION, true, 0, put_warnings},
#define AT(field) offsetof(struct sonde_report, field), NULL
    {"checks", FIELD_COUNT, true, AT(checks)},
    {"check_locations", FIELD_COUNT, true, AT(check_locations)},
    {"tests", FIELD_COUNT, true, AT(stats.tests)},
    {"valid", FIELD_COUNT, true, AT(stats.valid)},
    {"discarded", FIELD_COUNT, true, AT(stats.discarded)},
    {"overruns", FIELD_COUNT, true, AT(stats.overruns)},
    {"unique_valid", FIELD_COUNT, false, AT(stats.unique_valid)},
    {"unique_estimated", FIELD_BOOL, false, AT(stats.unique_estimated)},
    {"different", FIELD_FUNCTION, false, 0, put_different},
    {"repeats", FIELD_COUNT, false, AT(stats.repeats)},
    {"rerun", FIELD_COUNT, false, AT(stats.rerun)},
    {"choices", FIELD_COUNT, false, AT(stats.choices)},
    {"edges", FIELD_COUNT, false, AT(stats.edges)},
    {"valid_edges", FIELD_COUNT, false, AT(stats.valid_edges)},
    {"unstable", FIELD_COUNT, false, AT(stats.unstable)},
    {"imported", FIELD_COUNT, false, AT(stats.imported)},
    {"seconds", FIELD_SECONDS, true, AT(stats.seconds)},
    {"cpu_s", FIELD_SECONDS, false, AT(stats.cpu_s)},
    {"seed", FIELD_COUNT, true, AT(seed)},
    {"guide", FIELD_TEXT, true, AT(guide)},
#undef AT
    {"failures", FIELD_FUNCTION, true, 0, put_failures},
    {"assumes", FIELD_FUNCTION, true, 0, put_assumes},
    {"labels", FIELD_FUNCTION, false, 0, put_labels},
    {"cover", FIELD_FUNCTION, false, 0, put_cover},
    {"targets", FIELD_FUNCTION, false, 0, put_targets},
    {"store", FIELD_FUNCTION, false, 0, put_store},
    {"stored", FIELD_FUNCTION, false, 0, put_stored},
    {"regressions", FIELD_FUNCTION, false, 0, put_regressions},
    {"not_seen", FIELD_FUNCTION, true, 0, put_not_seen},
    {"threads", FIELD_TEXT_IF_ANY, true, offsetof(struct sonde_report, threads), NULL},
};

/* Writes field i; relies on `fields` for the type at the offset. */
static void put_field(struct sonde_json_out *to, const struct sonde_report *r, size_t i)
{
    const void *at = (const char *)r + fields[i].offset;
    if (fields[i].type == FIELD_TEXT_IF_ANY && !*(const char *const *)at) return;
    sonde_json_put(to, "%s:", fields[i].name);
    switch (fields[i].type) {
    case FIELD_TEXT:
    case FIELD_TEXT_IF_ANY: sonde_json_put(to, "%s", *(const char *const *)at); break;
    case FIELD_COUNT: sonde_json_put(to, "%" PRIu64, *(const uint64_t *)at); break;
    case FIELD_SECONDS: sonde_json_put(to, "%g", *(const double *)at); break;
    case FIELD_BOOL: sonde_json_put(to, "%hhd", *(const bool *)at); break;
    case FIELD_OUTCOME: sonde_json_put(to, "%s", sonde_outcome_word(*(const enum sonde_outcome *)at)); break;
    case FIELD_STOP: sonde_json_put(to, "%s", sonde_stop_word(*(const enum sonde_stop *)at)); break;
    case FIELD_FUNCTION: fields[i].put(to, r); break;
    }
}

void sonde_json_fields(struct sonde_json_out *to, const struct sonde_report *report, bool diagnostics_only)
{
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!diagnostics_only || fields[i].is_diagnostic) put_field(to, report, i);
    if (!diagnostics_only && report->blockers) sonde_blockers_json(to, report);
    const struct sonde_against_report *other = &report->against;
    if (!diagnostics_only && other->program)
        sonde_json_put(to,
                       "against: {program: %s, compared: %" PRIu64 ", draws_differ: %" PRIu64 ", lost: %" PRIu64
                       ", values: %" PRIu64 ", draws: %s}",
                       other->program, other->compared, other->draws_differ, other->lost, other->values, other->draws);
    if (!diagnostics_only && report->changed.since) {
        sonde_json_put(to, "changed: ");
        sonde_json_changed(to, &report->changed);
    }
    const struct sonde_arrival *a = &report->arrival;
    if (!diagnostics_only && a->goal)
        sonde_json_put(to,
                       "goal: {location: %s, reached: %hhd, valid: %" PRIu64 ", failed: %" PRIu64
                       ", discarded: %" PRIu64 ", test: %" PRIu64 ", token: %s}",
                       a->goal, (bool)(a->valid > 0), a->valid, a->failed, a->discarded, a->test, a->token);
}

void sonde_json_changed(struct sonde_json_out *to, const struct sonde_changed *c)
{
    sonde_json_put(to,
                   "{since: %s, lines: %" PRIu64 ", valid: %" PRIu64 ", invalid_only: %" PRIu64 ", unknown: %" PRIu64
                   ", never: [",
                   c->since, (uint64_t)c->lines, (uint64_t)c->valid, (uint64_t)c->invalid_only, (uint64_t)c->unknown);
    for (size_t i = 0; i < c->n_missed; i++)
        sonde_json_put(to, "{file: %s, first: %" PRIu64 ", last: %" PRIu64 "}", c->missed[i].file,
                       (uint64_t)c->missed[i].first, (uint64_t)c->missed[i].last);
    sonde_json_put(to, "]}");
}

/* ---- The reporter ----------------------------------------------------------------------------------------------*/

/* The reporter. It keeps nothing between properties. */
struct json_reporter {
    struct sonde_reporter base;
    FILE *out;
    struct sonde_json_extras extras;
};

/* Writes what the guide prints as one string, not as fields: it is for people and may change. */
static void put_guide(struct sonde_json_out *to, const char *name, const struct sonde_report *r, bool explains)
{
    char *text = sonde_report_guide(r, explains);
    sonde_json_put(to, "%s: %s", name, text);
    sonde_free(text);
}

/* Writes the last line, which has no property: the changed lines by the cases of all properties. */
static void put_total(FILE *out, const struct sonde_changed *changed)
{
    struct sonde_json_out to = {.out = out};
    sonde_json_put(&to, "{changed: ");
    sonde_json_changed(&to, changed);
    sonde_json_put(&to, "}");
    fputc('\n', out);
    fflush(out);
}

/* Writes a line when a property ends, and flushes it, so that a consumer of a pipe gets it at once. */
static void json_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct json_reporter *j = (struct json_reporter *)reporter;
    struct sonde_json_out to = {.out = j->out};
    if (event->kind == SONDE_EVENT_END && event->changed) put_total(j->out, event->changed);
    if (event->kind != SONDE_EVENT_PROPERTY_END) return;
    sonde_json_put(&to, "{");
    sonde_json_fields(&to, event->report, false);
    if (j->extras.stats) put_guide(&to, "stats", event->report, false);
    if (j->extras.explain) put_guide(&to, "explain", event->report, true);
    sonde_json_put(&to, "}");
    fputc('\n', j->out);
    fflush(j->out);
}

struct sonde_reporter *sonde_json_create(FILE *out, struct sonde_json_extras extras)
{
    struct json_reporter *j = sonde_reporter_new(sizeof *j, json_event);
    j->out = out;
    j->extras = extras;
    return &j->base;
}
