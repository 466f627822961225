/* The data of the page: what is in it, and how it is written. See page.h.
 *
 * Format 1. One object:
 *     "sonde": version    "format": 1    "properties": [...]    "run": {...}
 * run: "n" (properties in all), "ended", "status" (exit status; null while it goes on), "program".
 * A property has all fields of --report json (docs/output.md), and
 *     "running"   true while it goes on: "verdict" then means nothing yet
 *     "program", "seed_text" (all digits), "wanted" (valid cases)
 *     "shown"     beside "failures", for each: "tree", "original" (lines of values; null), "original_token", "detail",
 *                 "replay" (a command; null), "threads", "switches"
 *     "found"     while it goes on: failures so far, not yet shrunk: "kind", "message", "test", "size"
 *     "outlook"   while it goes on: "corpus", "next_is_new", "quiet_seconds"
 *     "fleet"     while it goes on, of a worker with --share: "n" workers, "ended", "cases", "rate", "tapes", "failures", "workers": [{"worker", "age",
 *                 "cases", "places", "failures", "sent", "fetched", "rate"}], of which some may be left out
 *     "series"    {"columns": [...], "rows": [[...]], "shares": [names]}; a row has cost and earned of each share at its end
 *     "shares"    [{"name", "cost", "earned"}]
 *     "tried"     [{"label", "within", "kind", "n", "valid", "least", "most", "bins": [[from, to, count, valid]]}]
 *     "tried_left_out"
 *     "inputs"    [{"token", "why", "owns", "choices", "test", "valid", "cut"}], "inputs_left_out"
 *     "reached"   {"valid", "invalid", "failing", "never"}: places in instrumented code; "called": gcc's, where never is
 *                 not known; null without instrumentation
 *     "label_list" [{"name", "count", "wanted", "sampled", "met", "exact", "share", "cover"}]
 * Fields are only ever added. A reader takes a page of another format for unreadable.
 *
 * It is bounded: failures, lines of values, inputs and their tokens, and all of it where there are many properties. */
#include "report/page.h"

#include "report/places.h"
#include "report/report.h"
#include "report/values.h"
#include "report/write.h"

#include "base/limit.h"
#include "base/mem.h"
#include "tape/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FORMAT = 1,
    FAILURES_MAX = 64, /* shown in full */
    TREE_LINES = 400,
    TOKEN_MAX = 16384,
    INPUTS_MAX = SONDE_LIMIT(4000, 20), /* over all properties */
    INPUTS_LEAST = 10                   /* of each, whatever their number */
};

struct text {
    char *data;
    size_t n;
};

/* A property is written down when its report comes, which is borrowed. */
struct sonde_page {
    struct text *ended;
    uint32_t n_ended, cap_ended;
    struct text places, running, found;
    size_t n_properties;
    char *program;
    uint64_t n_reached;
    bool has_ended;
    int status;
};

/* ---- Texts */

static void free_text(struct text *text)
{
    free(text->data);
    *text = (struct text){0};
}

static void put_text(FILE *out, const char *text)
{
    if (text) sonde_write_json(out, text, strlen(text));
    else fputs("null", out);
}

static void put_field(FILE *out, const char *name, const char *text)
{
    fprintf(out, ", \"%s\": ", name);
    put_text(out, text);
}

/* ---- Failures */

/* The lines that the terminal shows, each a string; those inside of others begin with blanks. */
static void put_tree(FILE *out, const struct sonde_values *values)
{
    struct text text = {0};
    FILE *buffer = values->tape ? open_memstream(&text.data, &text.n) : NULL;
    if (!buffer) {
        fputs("null", out);
        return;
    }
    sonde_values_tree(buffer, values, 0, TREE_LINES);
    fclose(buffer);
    fputc('[', out);
    for (size_t i = 0, length; i < text.n; i += length + 1) {
        length = strcspn(text.data + i, "\n");
        if (i) fputs(", ", out);
        sonde_write_json(out, text.data + i, length);
    }
    fputc(']', out);
    free_text(&text);
}

static void put_token(FILE *out, const struct sonde_tape *tape, const struct sonde_labels *names)
{
    char *token = tape ? sonde_tape_to_text(tape, names) : NULL;
    put_text(out, token && strlen(token) <= TOKEN_MAX ? token : NULL);
    sonde_free(token);
}

/* A command for a shell: with the token, or with the file where that is too long for a line. */
static void put_replay(FILE *out, const struct sonde_report *r, const struct sonde_failure *f)
{
    struct text text = {0};
    bool is_short = f->token && strlen(f->token) <= TOKEN_MAX;
    FILE *buffer = r->program && (is_short || f->path) ? open_memstream(&text.data, &text.n) : NULL;
    if (!buffer) {
        fputs("null", out);
        return;
    }
    sonde_write_shell(buffer, r->program);
    fputs(" --filter ", buffer);
    sonde_write_shell(buffer, r->property);
    if (r->replay_options) fprintf(buffer, " %s", r->replay_options);
    fputs(" --replay ", buffer);
    if (is_short) fprintf(buffer, "'%s'", f->token); /* a token has no quotes and no control characters */
    else sonde_write_shell(buffer, f->path);
    fclose(buffer);
    sonde_write_json(out, text.data, text.n);
    free_text(&text);
}

static void put_failure(FILE *out, const struct sonde_report *r, const struct sonde_failure *f)
{
    bool has_shrunk = f->original && f->tape && sonde_tape_compare(f->original, f->tape) != 0;
    fputs("{\"tree\": ", out);
    put_tree(out, &(struct sonde_values){f->tape, r->names, f->shown, f->n_shown, f->others_fail});
    fputs(", \"original\": ", out);
    put_tree(out, &(struct sonde_values){has_shrunk ? f->original : NULL, r->names, NULL, 0, NULL});
    fputs(", \"original_token\": ", out);
    put_token(out, has_shrunk ? f->original : NULL, r->names);
    put_field(out, "detail", f->detail);
    fputs(", \"replay\": ", out);
    put_replay(out, r, f);
    fprintf(out, ", \"threads\": %u, \"switches\": %u}", f->n_threads, f->n_switches);
}

static void put_failures(FILE *out, const struct sonde_report *r)
{
    fputs(", \"shown\": [", out);
    for (size_t i = 0; i < r->n_failures && i < FAILURES_MAX; i++) {
        if (i) fputs(", ", out);
        put_failure(out, r, &r->failures[i]);
    }
    fputc(']', out);
}

/* ---- Labels, which JSON lines have as an object without an order */

static void put_labels(FILE *out, const struct sonde_report *r)
{
    static const char *const words[] = {[SONDE_COVER_NONE] = "none",
                                        [SONDE_COVER_MET] = "met",
                                        [SONDE_COVER_MISSED] = "missed",
                                        [SONDE_COVER_OPEN] = "open"};
    fputs(", \"label_list\": [", out);
    for (size_t i = 0; i < r->n_labels; i++) {
        const struct sonde_label_count *l = &r->labels[i];
        fputs(i ? ", {\"name\": " : "{\"name\": ", out);
        put_text(out, l->name);
        fprintf(out, ", \"count\": %" PRIu64 ", \"sampled\": %" PRIu64 ", \"met\": %" PRIu64 ", \"wanted\": ", l->count,
                l->sampled, l->met);
        sonde_write_json_double(out, l->wanted);
        fprintf(out, ", \"exact\": %s, \"share\": ", l->is_exact ? "true" : "false");
        sonde_write_json_double(out, l->share);
        fprintf(out, ", \"cover\": \"%s\"}", words[l->cover]);
    }
    fputc(']', out);
}

/* ---- Insight */

static void put_shares(FILE *out, const struct sonde_share *shares, size_t n)
{
    fputs(", \"shares\": [", out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ", {\"name\": " : "{\"name\": ", out);
        put_text(out, shares[i].name);
        fputs(", \"cost\": ", out);
        sonde_write_json_double(out, shares[i].cost);
        fputs(", \"earned\": ", out);
        sonde_write_json_double(out, shares[i].earned);
        fputc('}', out);
    }
    fputc(']', out);
}

/* Six digits will do for a line on a page. What is not a number is a gap in it: a custom guide may report anything. */
static void put_short(FILE *out, double value)
{
    char text[40] = "null";
    if (isfinite(value)) snprintf(text, sizeof text, "%.6g", value);
    for (char *c = text; *c; c++)
        if (*c == ',') *c = '.';
    fputs(text, out);
}

static void put_series(FILE *out, const struct sonde_insight *in, size_t n_shares)
{
    fputs(", \"series\": {\"columns\": [\"seconds\", \"cpu_s\", \"tests\", \"valid\", \"different\", \"shapes\", "
          "\"skeletons\", \"traces\", \"edges\", \"valid_edges\", \"guide\"], \"rows\": [",
          out);
    for (size_t i = 0; i < in->n_series; i++) {
        const struct sonde_series_point *p = &in->series[i];
        const uint64_t counts[] = {p->tests,     p->valid,  p->different, p->shapes,
                                   p->skeletons, p->traces, p->edges,     p->valid_edges};
        fputs(i ? ", [" : "[", out);
        put_short(out, p->seconds);
        fputs(", ", out);
        put_short(out, p->cpu_s);
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) fprintf(out, ", %" PRIu64, counts[k]);
        fputs(", ", out);
        put_text(out, p->guide);
        for (size_t k = 0; k < n_shares && k < SONDE_INSIGHT_SHARES; k++) {
            fputs(", ", out);
            put_short(out, (double)p->cost[k]);
            fputs(", ", out);
            put_short(out, (double)p->earned[k]);
        }
        fputc(']', out);
    }
    fputs("]}", out);
}

static void put_tried(FILE *out, const struct sonde_insight *in)
{
    fputs(", \"tried\": [", out);
    for (size_t i = 0; i < in->n_tried; i++) {
        const struct sonde_tried *t = &in->tried[i];
        fputs(i ? ", {\"label\": " : "{\"label\": ", out);
        put_text(out, t->label);
        put_field(out, "within", t->within);
        put_field(out, "kind", t->kind);
        fprintf(out, ", \"n\": %" PRIu64 ", \"valid\": %" PRIu64 ", \"least\": ", t->n, t->n_valid);
        sonde_write_json_double(out, t->least);
        fputs(", \"most\": ", out);
        sonde_write_json_double(out, t->most);
        fputs(", \"bins\": [", out);
        for (uint32_t k = 0; k < t->n_bins; k++) {
            fputs(k ? ", [" : "[", out);
            sonde_write_json_double(out, t->from[k]);
            fputs(", ", out);
            sonde_write_json_double(out, t->to[k]);
            fprintf(out, ", %" PRIu64 ", %" PRIu64 "]", t->count[k], t->valid[k]);
        }
        fputs("]}", out);
    }
    fprintf(out, "], \"tried_left_out\": %zu", in->tried_left_out);
}

/* Firsts stand at the front, so what is left out are kept ones, and places whose input is beyond the end have none. */
static size_t inputs_shown(const struct sonde_page *page, const struct sonde_insight *in)
{
    size_t most = INPUTS_MAX / (page->n_properties ? page->n_properties : 1);
    if (most < INPUTS_LEAST) most = INPUTS_LEAST;
    return in->n_inputs < most ? in->n_inputs : most;
}

static void put_inputs(FILE *out, const struct sonde_page *page, const struct sonde_insight *in)
{
    size_t n = inputs_shown(page, in);
    fputs(", \"inputs\": [", out);
    for (size_t i = 0; i < n; i++) {
        const struct sonde_shown_input *s = &in->inputs[i];
        fputs(i ? ", {\"token\": " : "{\"token\": ", out);
        put_text(out, s->token);
        put_field(out, "why", s->why);
        fprintf(out, ", \"owns\": %u, \"choices\": %u, \"test\": %" PRIu64 ", \"valid\": %s, \"cut\": %s}", s->owns,
                s->n_choices, s->test, s->is_valid ? "true" : "false", s->is_cut ? "true" : "false");
    }
    fprintf(out, "], \"inputs_left_out\": %zu", in->inputs_left_out + in->n_inputs - n);
}

static void put_reached(FILE *out, const struct sonde_insight *in)
{
    uint64_t valid = 0, invalid = 0, failing = 0;
    bool is_called = false;
    if (!in->n_reached) {
        fputs(", \"reached\": null", out);
        return;
    }
    for (size_t i = 0; i < in->n_reached; i++) {
        uint8_t by = in->reached[i].by;
        if (by & SONDE_REACHED_VALID) valid++;
        else if (by & SONDE_REACHED_INVALID) invalid++;
        else if (by) failing++;
    }
    for (size_t i = 0; i < in->n_modules; i++) is_called |= in->modules[i].is_called;
    fprintf(out,
            ", \"reached\": {\"valid\": %" PRIu64 ", \"invalid\": %" PRIu64 ", \"failing\": %" PRIu64
            ", \"never\": %" PRIu64 ", \"called\": %s}",
            valid, invalid, failing, in->n_reached - valid - invalid - failing, is_called ? "true" : "false");
}

static void put_insight(FILE *out, const struct sonde_page *page, const struct sonde_insight *in)
{
    put_shares(out, in->shares, in->n_shares);
    put_series(out, in, in->n_shares);
    put_tried(out, in);
    put_inputs(out, page, in);
    put_reached(out, in);
}

/* ---- Properties */

static void put_property(FILE *out, const struct sonde_page *page, const struct sonde_report *r, bool is_running)
{
    fputc('{', out);
    sonde_json_fields(out, r, false, ", ");
    fprintf(out, ", \"running\": %s", is_running ? "true" : "false");
    put_field(out, "program", r->program);
    fprintf(out, ", \"seed_text\": \"%" PRIu64 "\", \"wanted\": %" PRIu64, r->seed, r->wanted);
    put_failures(out, r);
    put_labels(out, r);
    if (r->insight) put_insight(out, page, r->insight);
}

static void end_property(struct sonde_page *page, const struct sonde_report *r)
{
    struct text text = {0};
    FILE *out = open_memstream(&text.data, &text.n);
    if (!out) return;
    put_property(out, page, r, false);
    fputc('}', out);
    fclose(out);
    page->ended = sonde_grow(page->ended, &page->cap_ended, (size_t)page->n_ended + 1, sizeof *page->ended);
    page->ended[page->n_ended++] = text;
    if (r->program && !page->program) page->program = sonde_strdup(r->program);
    free_text(&page->running);
    free_text(&page->found);
    if (!r->insight || !r->insight->n_reached) return;
    page->n_reached += r->insight->n_reached;
    FILE *places = open_memstream(&text.data, &text.n);
    if (!places) return;
    if (page->places.data) fwrite(page->places.data, 1, page->places.n, places);
    sonde_places_write(places, r, page->n_ended - 1, inputs_shown(page, r->insight));
    fclose(places);
    free_text(&page->places);
    page->places = text;
}

/* While it goes on: the numbers, the outlook, and what has been found. */
static void note_progress(struct sonde_page *page, const struct sonde_event *event)
{
    struct text text = {0};
    const struct sonde_outlook *o = event->outlook;
    struct sonde_report r = {.property = event->property, .wanted = event->tests_wanted, .stats = *event->stats};
    FILE *out = o && (o->insight || !page->running.data) ? open_memstream(&text.data, &text.n) : NULL;
    if (!out) return;
    r.guide = o->guide;
    r.stats.edges = o->places;
    r.stats.valid_edges = o->valid_places;
    r.insight = o->insight;
    put_property(out, page, &r, true);
    if (!r.insight) put_shares(out, o->shares, o->n_shares);
    fprintf(out, ", \"outlook\": {\"corpus\": %" PRIu64 ", \"failures\": %" PRIu64 ", \"next_is_new\": ", o->corpus,
            o->failures);
    sonde_write_json_double(out, o->next_is_new);
    fputs(", \"quiet_seconds\": ", out);
    sonde_write_json_double(out, o->quiet_seconds);
    fputc('}', out);
    if (o->fleet) fprintf(out, ", \"fleet\": %s", o->fleet);
    fprintf(out, ", \"found\": [%s]}", page->found.data ? page->found.data : "");
    fclose(out);
    free_text(&page->running);
    page->running = text;
}

static void note_found(struct sonde_page *page, const struct sonde_event *event)
{
    struct text text = {0};
    const struct sonde_failure *f = event->report->failures;
    FILE *out = event->report->n_failures ? open_memstream(&text.data, &text.n) : NULL;
    if (!out) return;
    if (page->found.data) fprintf(out, "%s, ", page->found.data);
    fputs("{\"kind\": ", out);
    put_text(out, f->kind);
    put_field(out, "message", f->message);
    fprintf(out, ", \"test\": %" PRIu64 ", \"size\": %" PRIu64 "}", f->tests_to_failure, event->size);
    fclose(out);
    free_text(&page->found);
    page->found = text;
}

/* ---- From outside */

struct sonde_page *sonde_page_create(void)
{
    return sonde_calloc(1, sizeof(struct sonde_page));
}

void sonde_page_free(struct sonde_page *page)
{
    for (uint32_t i = 0; i < page->n_ended; i++) free_text(&page->ended[i]);
    free_text(&page->places);
    free_text(&page->running);
    free_text(&page->found);
    sonde_free(page->program);
    sonde_free(page->ended);
    sonde_free(page);
}

void sonde_page_event(struct sonde_page *page, const struct sonde_event *event)
{
    switch (event->kind) {
    case SONDE_EVENT_BEGIN: page->n_properties = event->n_properties; break;
    case SONDE_EVENT_PROGRESS: note_progress(page, event); break;
    case SONDE_EVENT_FOUND: note_found(page, event); break;
    case SONDE_EVENT_PROPERTY_END: end_property(page, event->report); break;
    case SONDE_EVENT_END:
        page->has_ended = true;
        page->status = (int)event->status;
        break;
    default: break;
    }
}

bool sonde_page_has_places(const struct sonde_page *page)
{
    return page->n_reached > 0;
}

const char *sonde_page_places(const struct sonde_page *page)
{
    return page->places.data;
}

/* In JSON these characters stand in strings alone, so they can be replaced wherever they are; then no string can end the
 * element that the data stands in, or begin a comment there. */
static void put_safe(FILE *out, const struct text *text)
{
    for (size_t i = 0; i < text->n; i++) {
        char c = text->data[i];
        if (c == '<' || c == '>' || c == '&') fprintf(out, "\\u%04x", (unsigned)c);
        else fputc(c, out);
    }
}

void sonde_page_data_write(FILE *out, const struct sonde_page *page)
{
    struct text run = {0};
    fprintf(out, "{\"sonde\": \"%s\", \"format\": %d, \"properties\": [", SONDE_VERSION, FORMAT);
    for (uint32_t i = 0; i < page->n_ended; i++) {
        if (i) fputs(",\n", out);
        put_safe(out, &page->ended[i]);
    }
    if (page->running.data) {
        if (page->n_ended) fputs(",\n", out);
        put_safe(out, &page->running);
    }
    FILE *rest = open_memstream(&run.data, &run.n);
    if (rest) {
        fprintf(rest, "], \"run\": {\"n\": %zu, \"ended\": %s, \"status\": ", page->n_properties,
                page->has_ended ? "true" : "false");
        if (page->has_ended) fprintf(rest, "%d", page->status);
        else fputs("null", rest);
        put_field(rest, "program", page->program);
        fputs("}}", rest);
        fclose(rest);
    }
    put_safe(out, &run);
    free_text(&run);
}
