/* JSON lines: one object per property, on one line. The fields stand in one table, which TAP uses too.
 *
 * Whatever a program under test puts into labels, notes and messages, the line stays valid JSON: texts are UTF-8 with
 * U+FFFD for what is not, numbers that JSON lacks are strings ("inf", "-inf", "nan"). Integers are plain numbers, up
 * to 64 bits. Texts of bytes are pairs of hex digits.
 *
 * A consumer may rely on: one line per property, every field always present (null where there is
 * nothing), no field ever renamed. docs/output.md lists them, and new ones are appended. */
#include "report/explanation.h"
#include "report/report.h"
#include "report/values.h"
#include "report/write.h"

#include "base/mem.h"
#include "tape/tape.h"
#include "tape/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES_BYTES_MAX = 4 << 20 }; /* of the values of one failure; a case can have many at long paths */

/* These words are an interface: scripts compare them (docs/output.md). */
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
        [SONDE_STOP_TESTS] = "tests",     [SONDE_STOP_TIME] = "time",
        [SONDE_STOP_FOUND] = "found",     [SONDE_STOP_EXHAUSTED] = "exhausted",
        [SONDE_STOP_GAVE_UP] = "gave_up", [SONDE_STOP_INTERRUPTED] = "interrupted",
        [SONDE_STOP_ERROR] = "error",     [SONDE_STOP_FLAT] = "flat",
    };
    _Static_assert(sizeof words / sizeof *words == SONDE_STOP_FLAT + 1, "each reason has a word");
    return words[stop];
}

/* The only way for text into the line: escapes and UTF-8 are write.h's business. */
static void put_text(FILE *out, const char *text)
{
    if (text) sonde_write_json(out, text, strlen(text));
    else fputs("null", out);
}

/* ---- Values ----------------------------------------------------------------------------------------------------*/

/* 4 bytes are the longest character of UTF-8. */
static void put_blob(FILE *out, const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    struct sonde_blob blob = sonde_choice_blob(tape, choice);
    char *text = sonde_malloc(4 * (size_t)blob.len + 1);
    size_t n = sonde_blob_text(&blob, text);
    if (blob.alphabet.kind == SONDE_ALPHABET_BYTES) {
        fputc('"', out);
        for (size_t i = 0; i < n; i++) fprintf(out, "%02x", (unsigned char)text[i]);
        fputc('"', out);
    } else {
        sonde_write_json(out, text, n);
    }
    sonde_free(text);
}

/* A LITERAL stands in a tape only if it was read from a text and never drawn; it has no type yet. */
void sonde_json_choice(FILE *out, const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    if (choice->kind == SONDE_KIND_LITERAL) {
        char text[4096];
        sonde_choice_print(tape, choice, text, sizeof text);
        put_text(out, text);
        return;
    }
    struct sonde_value value = sonde_choice_value(tape, choice);
    switch (value.type) {
    case SONDE_VALUE_INT: fprintf(out, "%" PRId64, value.as.i); break;
    case SONDE_VALUE_UINT: fprintf(out, "%" PRIu64, value.as.u); break;
    case SONDE_VALUE_BOOL: fputs(value.as.b ? "true" : "false", out); break;
    case SONDE_VALUE_DOUBLE: sonde_write_json_double(out, value.as.d); break;
    case SONDE_VALUE_BLOB: put_blob(out, tape, choice); break;
    }
}

/* `bytes` is an estimate of what was written; beyond VALUES_BYTES_MAX values_complete is false. */
struct value_list {
    FILE *out;
    const struct sonde_tape *tape;
    const uint8_t *others_fail; /* may be NULL */
    const char *before;
    size_t bytes;
};

/* false ends the walk: a list that is cut off is still valid JSON. */
static bool put_leaf(void *to, const struct sonde_leaf *leaf)
{
    struct value_list *list = to;
    /* The value itself is not measured: a blob is bounded by the case, paths are not. */
    list->bytes += strlen(leaf->path) + 32;
    if (list->bytes > VALUES_BYTES_MAX) return false;
    fprintf(list->out, "%s{\"path\": ", list->before);
    put_text(list->out, leaf->path);
    fputs(", \"value\": ", list->out);
    if (leaf->choice) sonde_json_choice(list->out, list->tape, leaf->choice);
    else put_text(list->out, leaf->shown);
    unsigned others = leaf->choice && list->others_fail ? list->others_fail[leaf->choice - list->tape->choices] : 0;
    if (others) fprintf(list->out, ", \"others_fail\": %u", others);
    fputc('}', list->out);
    list->before = ", ";
    return true;
}

/* ---- Failures --------------------------------------------------------------------------------------------------*/

/* Names and order are those of docs/output.md; texts first, then numbers, then the values, which may be
 * long. */
static void put_failure(FILE *out, const struct sonde_report *r, const struct sonde_failure *f)
{
    /* NULL becomes null, so that consumers can tell "" from nothing. */
    const struct {
        const char *name, *text;
    } texts[] = {{"kind", f->kind},
                 {"message", f->message},
                 {"file", f->file},
                 {"condition", f->condition},
                 {"got", f->got},
                 {"want", f->want},
                 {"token", f->token},
                 {"notes", f->notes},
                 {"output", f->output},
                 {"differed", f->differed},
                 {"advice", f->advice},
                 {"regression", f->regression},
                 {"found_when", f->found_when}};
    fputs("{\"id\": ", out);
    put_text(out, f->id);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        fprintf(out, ", \"%s\": ", texts[i].name);
        put_text(out, texts[i].text);
    }
    fprintf(out, ", \"line\": %d, \"tests_to_failure\": %" PRIu64 ", \"hits\": %" PRIu64, f->line, f->tests_to_failure,
            f->hits);
    fprintf(out, ", \"original_size\": %" PRIu64 ", \"size\": %" PRIu64 ", \"shrink_calls\": %" PRIu64,
            f->original_size, f->tape ? sonde_tape_size(f->tape) : 0, f->shrink_calls);
    fprintf(out, ", \"earlier_cases\": %u, \"known\": %s", f->earlier, f->is_known ? "true" : "false");
    if (f->n_threads) fprintf(out, ", \"schedule\": {\"switches\": %u, \"threads\": %u}", f->n_switches, f->n_threads);
    fprintf(out, ", \"output_left_out\": %" PRIu64, f->output_left_out);
    fprintf(out, ", \"shrink_complete\": %s, \"shrink_stopped\": %s", f->shrink_complete ? "true" : "false",
            f->shrink_stopped ? "true" : "false");
    if (f->shrink_margin > 0) fprintf(out, ", \"shrink_margin\": %g", f->shrink_margin);
    fprintf(out, ", \"flaky\": %s, \"values\": [", f->flaky ? "true" : "false");
    struct value_list list = {out, f->tape, f->others_fail, "", 0};
    if (f->tape)
        sonde_values_each(&(struct sonde_values){f->tape, r->names, f->shown, f->n_shown, f->others_fail}, put_leaf,
                          &list);
    fprintf(out, "], \"values_complete\": %s", list.bytes > VALUES_BYTES_MAX ? "false" : "true");
    if (f->explanation) {
        fputs(", \"explanation\": ", out);
        sonde_explanation_json(out, f, r->names);
    }
    fputc('}', out);
}

static void put_failures(FILE *out, const struct sonde_report *r)
{
    fputc('[', out);
    for (size_t i = 0; i < r->n_failures; i++) {
        if (i) fputs(", ", out);
        put_failure(out, r, &r->failures[i]);
    }
    fputc(']', out);
}

/* ---- Fields ----------------------------------------------------------------------------------------------------*/

/* In the order of the table of the search, which is that of first use; terminal.c sorts. */
static void put_assumes(FILE *out, const struct sonde_report *r)
{
    fputc('[', out);
    for (size_t i = 0; i < r->n_assumes; i++) {
        const struct sonde_assume_count *a = &r->assumes[i];
        fputs(i ? ", {\"file\": " : "{\"file\": ", out);
        put_text(out, a->file);
        fprintf(out, ", \"line\": %d, \"condition\": ", a->line);
        put_text(out, a->condition);
        fprintf(out, ", \"rejected\": %" PRIu64 "}", a->rejected);
    }
    fputc(']', out);
}

/* An object, not an array: names are unique. */
static void put_labels(FILE *out, const struct sonde_report *r)
{
    fputc('{', out);
    for (size_t i = 0; i < r->n_labels; i++) {
        if (i) fputs(", ", out);
        put_text(out, r->labels[i].name);
        fprintf(out, ": %" PRIu64, r->labels[i].count);
    }
    fputc('}', out);
}

/* Only labels with a claim; all labels are in "labels". sampled and met are of independent draws; an
 * exact share has neither. */
static void put_cover(FILE *out, const struct sonde_report *r)
{
    static const char *const words[] = {[SONDE_COVER_NONE] = "none",
                                        [SONDE_COVER_MET] = "met",
                                        [SONDE_COVER_MISSED] = "missed",
                                        [SONDE_COVER_OPEN] = "open"};
    const char *before = "";
    fputc('{', out);
    for (size_t i = 0; i < r->n_labels; i++) {
        const struct sonde_label_count *label = &r->labels[i];
        if (!(label->wanted > 0)) continue;
        fputs(before, out);
        put_text(out, label->name);
        fputs(": {\"wanted\": ", out);
        sonde_write_json_double(out, label->wanted);
        fprintf(out, ", \"sampled\": %" PRIu64 ", \"met\": %" PRIu64, label->sampled, label->met);
        if (label->is_exact) {
            fputs(", \"exact\": ", out);
            sonde_write_json_double(out, label->share);
        }
        fprintf(out, ", \"verdict\": \"%s\"}", words[label->cover]);
        before = ", ";
    }
    fputc('}', out);
}

static void put_targets(FILE *out, const struct sonde_report *r)
{
    fputc('{', out);
    for (size_t i = 0; i < r->n_targets; i++) {
        if (i) fputs(", ", out);
        put_text(out, r->targets[i].name);
        fputs(": ", out);
        sonde_write_json_double(out, r->targets[i].best);
    }
    fputc('}', out);
}

static void put_different(FILE *out, const struct sonde_report *r)
{
    const struct sonde_stats *s = &r->stats;
    fprintf(out, "{\"shape\": %" PRIu64 ", \"skeleton\": %" PRIu64 ", \"trace\": ", s->shapes, s->skeletons);
    if (s->traces) fprintf(out, "%" PRIu64, s->traces);
    else fputs("null", out);
    fprintf(out, ", \"payload\": %" PRIu64 "}", s->unique_valid);
}

/* "" (off) and NULL are both null. */
static void put_store(FILE *out, const struct sonde_report *r)
{
    put_text(out, r->store && *r->store ? r->store : NULL);
}

/* What became of the failures that the store had kept and that are not among those reported. */
static void put_stored(FILE *out, const struct sonde_report *r)
{
    fprintf(out,
            "{\"fixed\": %zu, \"stale\": %zu, \"unreplayed\": %zu, \"unreadable\": %zu, \"stale_text\": ", r->n_fixed,
            r->n_stale, r->n_unreplayed, r->n_unreadable);
    put_text(out, r->stale);
    fprintf(out, ", \"not_judged\": %zu, \"not_judged_text\": ", r->n_unjudged);
    put_text(out, r->unjudged);
    fputc('}', out);
}

/* What became of the tapes of --regressions; null without one. */
static void put_regressions(FILE *out, const struct sonde_report *r)
{
    if (!r->n_regressions) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"run\": %zu, \"not_judged\": %zu, \"not_judged_text\": ", r->n_regressions,
            r->n_unjudged_regressions);
    put_text(out, r->unjudged_regressions);
    fputc('}', out);
}

static void put_not_seen(FILE *out, const struct sonde_report *r)
{
    fputc('[', out);
    for (const char *line = r->unseen; line && *line;) {
        size_t n = strcspn(line, "\n");
        if (line != r->unseen) fputs(", ", out);
        sonde_write_json(out, line, n);
        line += n + (line[n] == '\n');
    }
    fputc(']', out);
}

static void put_warnings(FILE *out, const struct sonde_report *r)
{
    fputc('[', out);
    for (size_t i = 0; i < r->n_warnings; i++) {
        const struct sonde_warning *w = &r->warnings[i];
        fputs(i ? ", {\"kind\": " : "{\"kind\": ", out);
        put_text(out, w->kind);
        fputs(", \"text\": ", out);
        put_text(out, w->text);
        fputs(", \"file\": ", out);
        put_text(out, w->file);
        fprintf(out, w->file ? ", \"line\": %d}" : ", \"line\": null}", w->line);
    }
    fputc(']', out);
}

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

/* What an object holds, in this order. Where a field cannot be read from the struct as it is, a function writes it. */
static const struct {
    const char *name;
    enum field_type type;
    bool is_diagnostic; /* in TAP too */
    size_t offset;
    void (*put)(FILE *out, const struct sonde_report *report);
} fields[] = {
/* Offsets must match the type named beside them: uint64_t for COUNT, double for SECONDS, const char *
 * for TEXT. */
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

/* The offset is trusted: `fields` above is the only place where type and offset meet. */
static bool is_left_out(const struct sonde_report *r, size_t i)
{
    const void *at = (const char *)r + fields[i].offset;
    return fields[i].type == FIELD_TEXT_IF_ANY && !*(const char *const *)at;
}

static void put_field(FILE *out, const struct sonde_report *r, size_t i)
{
    const void *at = (const char *)r + fields[i].offset;
    switch (fields[i].type) {
    case FIELD_TEXT:
    case FIELD_TEXT_IF_ANY: put_text(out, *(const char *const *)at); break;
    case FIELD_COUNT: fprintf(out, "%" PRIu64, *(const uint64_t *)at); break;
    case FIELD_SECONDS: sonde_write_json_double(out, *(const double *)at); break;
    case FIELD_BOOL: fputs(*(const bool *)at ? "true" : "false", out); break;
    case FIELD_OUTCOME: put_text(out, sonde_outcome_word(*(const enum sonde_outcome *)at)); break;
    case FIELD_STOP: put_text(out, sonde_stop_word(*(const enum sonde_stop *)at)); break;
    case FIELD_FUNCTION: fields[i].put(out, r); break;
    }
}

/* The one list of fields, for JSON lines and for the diagnostics of TAP, whose separator is another. */
void sonde_json_fields(FILE *out, const struct sonde_report *report, bool diagnostics_only, const char *between)
{
    const char *before = "";
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (diagnostics_only && !fields[i].is_diagnostic) continue;
        if (is_left_out(report, i)) continue;
        fprintf(out, "%s\"%s\": ", before, fields[i].name);
        put_field(out, report, i);
        before = between;
    }
}

/* ---- The listener ----------------------------------------------------------------------------------------------*/

/* Without memory of its own: each line is made of one report. */
struct json_reporter {
    struct sonde_reporter base;
    FILE *out;
    struct sonde_json_wishes wishes;
};

/* What a guide writes for people, as one text. Text of the guide, not structure: it is for people, and
 * may change. */
static void put_guide(FILE *out, const char *name, const struct sonde_report *r, bool explains)
{
    char *text = NULL;
    size_t size = 0;
    struct sonde_guide *guide = r->searcher;
    FILE *buffer = open_memstream(&text, &size);
    if (!buffer) return;
    if (guide && explains && guide->ops->explain) guide->ops->explain(guide, r->names, buffer);
    if (guide && !explains && guide->ops->stats) guide->ops->stats(guide, buffer);
    fclose(buffer);
    fprintf(out, ", \"%s\": ", name);
    put_text(out, text);
    free(text);
}

/* Flushed line by line: a consumer at the other end of a pipe sees a property as soon as it has ended.
 * Progress is not reported. */
static void json_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct json_reporter *j = (struct json_reporter *)reporter;
    if (event->kind != SONDE_EVENT_PROPERTY_END) return;
    fputc('{', j->out);
    sonde_json_fields(j->out, event->report, false, ", ");
    if (j->wishes.stats) put_guide(j->out, "stats", event->report, false);
    if (j->wishes.explain) put_guide(j->out, "explain", event->report, true);
    fputs("}\n", j->out);
    fflush(j->out);
}

static void json_destroy(struct sonde_reporter *reporter)
{
    sonde_free(reporter);
}

struct sonde_reporter *sonde_json_create(FILE *out, struct sonde_json_wishes wishes)
{
    struct json_reporter *j = sonde_calloc(1, sizeof *j);
    j->base.event = json_event;
    j->base.destroy = json_destroy;
    j->out = out;
    j->wishes = wishes;
    return &j->base;
}
