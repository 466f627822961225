/* Collects the data of the page from the events of a run, and writes it as JSON; page.h describes the page.
 *
 * Format 1 is one object:
 *     "sonde": version    "format": 1    "properties": [...]    "run": {...}
 * run has "n" (properties in all), "ended", "status" (exit status; null during the run) and "program". A property
 * has all fields of --report json (docs/output.md), and the following. "Live" fields exist during the search only.
 *     "running"   true during the search: "verdict" is not valid yet
 *     "program", "seed_text" (all digits), "wanted" (valid cases)
 *     "shown"     parallel to "failures", for each: "tree", "original" (lines of values; null), "original_token",
 *                 "detail", "replay" (a command; null), "threads", "switches"
 *     "found"     live: failures so far, not yet shrunk: "kind", "message", "test", "size"
 *     "outlook"   live: "corpus", "next_is_new", "quiet_seconds"
 *     "fleet"     live, for a worker with --share: "n" workers, "ended", "cases", "rate", "tapes", "failures",
 *                 "workers": [{"worker", "age", "cases", "places", "failures", "sent", "fetched", "rate"}], some
 *                 of which may be left out
 *     "series"    {"columns": [...], "rows": [[...]], "shares": [names]}; a row ends with cost and earned of each share
 *     "shares"    [{"name", "cost", "earned"}]
 *     "tried"     [{"label", "within", "kind", "n", "valid", "least", "most", "bins": [[from, to, count, valid]]}]
 *     "tried_left_out"
 *     "inputs"    [{"token", "why", "owns", "choices", "test", "valid", "cut"}], "inputs_left_out"
 *     "reached"   {"valid", "invalid", "failing", "never"}: locations in instrumented code; null if there is none.
 *                 "called": compiled by gcc, which does not tell how many were never reached
 *     "label_list" [{"name", "count", "wanted", "sampled", "met", "exact", "share", "cover"}]
 * New fields may be added, but none is removed. The script refuses a page of another format.
 *
 * The size is bounded: by limits for failures, lines of values, inputs and tokens, and for inputs over all
 * properties. */
#include "report/page.h"

#include "report/shared.h"
#include "report/values.h"
#include "report/write.h"

#include "base/buffer.h"
#include "base/check.h"
#include "base/json.h"
#include "base/limit.h"
#include "base/mem.h"
#include "tape/text.h"

#include <inttypes.h>
#include <string.h>

enum {
    FORMAT = 1,
    FAILURES_MAX = 64, /* maximum number of failures shown in full; more would make the page slow */
    TREE_LINES = 400,  /* maximum number of lines for the values of a failure; the terminal shows half as many */
    TOKEN_MAX = 16384, /* maximum size of a token in bytes; a longer one cannot be pasted easily */
    INPUTS_MAX = SONDE_LIMIT(4000, 20), /* maximum number of inputs of all properties together */
    INPUTS_LEAST = 10 /* number of inputs that each property may show, however many properties there are */
};

/* The data so far. A property is converted to JSON when its report arrives, because the report is borrowed. */
struct sonde_page {
    struct sonde_buffer *ended; /* a JSON object for each property that has ended */
    uint32_t n_ended, cap_ended;
    /* In this order: lines about reached code (page.h); the JSON object of the property in progress; the JSON objects
     * of its failures so far. */
    struct sonde_buffer places, running, found;
    size_t n_properties;
    char *program;
    uint64_t n_reached; /* number of lines about reached code */
    bool has_ended;
    int status;
};

/* ---- Failures */

/* Writes the values as an array of the lines that the terminal shows; nested values begin with blanks. */
static void put_tree(struct sonde_json_out *to, const struct sonde_values *values)
{
    struct sonde_buffer tree;
    if (!values->tape) {
        sonde_json_put(to, "null");
        return;
    }
    sonde_values_tree(sonde_buffer_open(&tree), values, 0, TREE_LINES);
    sonde_json_lines(to, sonde_buffer_close(&tree));
    sonde_buffer_clear(&tree);
}

/* Writes the token of a tape; null if it is too long. */
static void put_token(struct sonde_json_out *to, const struct sonde_tape *tape, const struct sonde_labels *names)
{
    char *token = tape ? sonde_tape_to_text(tape, names) : NULL;
    sonde_json_put(to, "%s", token && strlen(token) <= TOKEN_MAX ? token : NULL);
    sonde_free(token);
}

/* Writes the shell command that replays a failure: with its token, or with its file if the token is too long. */
static void put_replay(struct sonde_json_out *to, const struct sonde_report *r, const struct sonde_failure *f)
{
    struct sonde_buffer command;
    bool is_short = f->token && strlen(f->token) <= TOKEN_MAX;
    if (!r->program || (!is_short && !f->path)) {
        sonde_json_put(to, "null");
        return;
    }
    FILE *out = sonde_buffer_open(&command);
    sonde_write_shell(out, r->program);
    fputs(" --filter ", out);
    sonde_write_shell(out, r->property);
    if (r->replay_options) fprintf(out, " %s", r->replay_options);
    fputs(" --replay ", out);
    if (is_short) fprintf(out, "'%s'", f->token); /* a token has no quotes and no control characters */
    else sonde_write_shell(out, f->path);
    sonde_json_put(to, "%s", sonde_buffer_close(&command));
    sonde_buffer_clear(&command);
}

static void put_failure(struct sonde_json_out *to, const struct sonde_report *r, const struct sonde_failure *f)
{
    bool has_shrunk = f->original && f->tape && sonde_tape_compare(f->original, f->tape) != 0;
    sonde_json_put(to, "{tree:");
    put_tree(to, &(struct sonde_values){f->tape, r->names, f->shown, f->n_shown, f->others_fail});
    sonde_json_put(to, "original:");
    put_tree(to, &(struct sonde_values){has_shrunk ? f->original : NULL, r->names, NULL, 0, NULL});
    sonde_json_put(to, "original_token:");
    put_token(to, has_shrunk ? f->original : NULL, r->names);
    sonde_json_put(to, "detail: %s, replay:", f->detail);
    put_replay(to, r, f);
    sonde_json_put(to, "threads: %u, switches: %u}", f->n_threads, f->n_switches);
}

static void put_failures(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "shown: [");
    for (size_t i = 0; i < r->n_failures && i < FAILURES_MAX; i++) put_failure(to, r, &r->failures[i]);
    sonde_json_put(to, "]");
}

/* ---- Labels, as an array in their order; the object "labels" of --report json has no order */

static void put_labels(struct sonde_json_out *to, const struct sonde_report *r)
{
    sonde_json_put(to, "label_list: [");
    for (size_t i = 0; i < r->n_labels; i++) {
        const struct sonde_label_count *l = &r->labels[i];
        sonde_json_put(to, "{name: %s, count: %" PRIu64 ", sampled: %" PRIu64 ", met: %" PRIu64 ", wanted: %g", l->name,
                       l->count, l->sampled, l->met, l->wanted);
        sonde_json_put(to, "exact: %hhd, share: %g, cover: %s}", l->is_exact, l->share, sonde_cover_word(l));
    }
    sonde_json_put(to, "]");
}

/* ---- Insight */

static void put_shares(struct sonde_json_out *to, const struct sonde_share *shares, size_t n)
{
    sonde_json_put(to, "shares: [");
    for (size_t i = 0; i < n; i++)
        sonde_json_put(to, "{name: %s, cost: %g, earned: %g}", shares[i].name, shares[i].cost, shares[i].earned);
    sonde_json_put(to, "]");
}

/* Writes the series with six digits, enough for a plot. NaN, which a custom guide may report, becomes a gap in the
 * line. */
static void put_series(struct sonde_json_out *to, const struct sonde_insight *in, size_t n_shares)
{
    static const char *const columns[] = {"seconds",   "cpu_s",  "tests", "valid",       "different", "shapes",
                                          "skeletons", "traces", "edges", "valid_edges", "guide"};
    sonde_json_put(to, "series: {columns: [");
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) sonde_json_put(to, "%s", columns[i]);
    sonde_json_put(to, "], rows: [");
    for (size_t i = 0; i < in->n_series; i++) {
        const struct sonde_series_point *p = &in->series[i];
        const uint64_t counts[] = {p->tests,     p->valid,  p->different, p->shapes,
                                   p->skeletons, p->traces, p->edges,     p->valid_edges};
        sonde_json_put(to, "[%.6g, %.6g", p->seconds, p->cpu_s);
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) sonde_json_put(to, "%" PRIu64, counts[k]);
        sonde_json_put(to, "%s", p->guide);
        for (size_t k = 0; k < n_shares && k < SONDE_INSIGHT_SHARES; k++)
            sonde_json_put(to, "%.6g, %.6g", (double)p->cost[k], (double)p->earned[k]);
        sonde_json_put(to, "]");
    }
    sonde_json_put(to, "]}");
}

static void put_tried(struct sonde_json_out *to, const struct sonde_insight *in)
{
    sonde_json_put(to, "tried: [");
    for (size_t i = 0; i < in->n_tried; i++) {
        const struct sonde_tried *t = &in->tried[i];
        sonde_json_put(to, "{label: %s, within: %s, kind: %s", t->label, t->within, t->kind);
        sonde_json_put(to, "n: %" PRIu64 ", valid: %" PRIu64 ", least: %g, most: %g, bins: [", t->n, t->n_valid,
                       t->least, t->most);
        for (uint32_t k = 0; k < t->n_bins; k++)
            sonde_json_put(to, "[%g, %g, %" PRIu64 ", %" PRIu64 "]", t->from[k], t->to[k], t->count[k], t->valid[k]);
        sonde_json_put(to, "]}");
    }
    sonde_json_put(to, "], tried_left_out: %zu", in->tried_left_out);
}

/* Returns how many inputs the page shows. The first inputs of the array are those that reached a location first, so
 * others are left out before them. A location whose input is left out names no input. */
static size_t inputs_shown(const struct sonde_page *page, const struct sonde_insight *in)
{
    size_t most = INPUTS_MAX / (page->n_properties ? page->n_properties : 1);
    if (most < INPUTS_LEAST) most = INPUTS_LEAST;
    return in->n_inputs < most ? in->n_inputs : most;
}

static void put_inputs(struct sonde_json_out *to, const struct sonde_page *page, const struct sonde_insight *in)
{
    size_t n = inputs_shown(page, in);
    sonde_json_put(to, "inputs: [");
    for (size_t i = 0; i < n; i++) {
        const struct sonde_shown_input *s = &in->inputs[i];
        sonde_json_put(to, "{token: %s, why: %s, owns: %u, choices: %u, test: %" PRIu64 ", valid: %hhd, cut: %hhd}",
                       s->token, s->why, s->owns, s->n_choices, s->test, s->is_valid, s->is_cut);
    }
    sonde_json_put(to, "], inputs_left_out: %zu", in->inputs_left_out + in->n_inputs - n);
}

/* Counts the reached locations by the best kind of input that reached each. */
static void put_reached(struct sonde_json_out *to, const struct sonde_insight *in)
{
    uint64_t valid = 0, invalid = 0, failing = 0;
    bool is_called = false;
    if (!in->n_reached) {
        sonde_json_put(to, "reached: null");
        return;
    }
    for (size_t i = 0; i < in->n_reached; i++) {
        uint8_t by = in->reached[i].by;
        if (by & SONDE_REACHED_VALID) valid++;
        else if (by & SONDE_REACHED_INVALID) invalid++;
        else if (by) failing++;
    }
    for (size_t i = 0; i < in->n_modules; i++) is_called |= in->modules[i].is_called;
    sonde_json_put(to, "reached: {valid: %" PRIu64 ", invalid: %" PRIu64 ", failing: %" PRIu64, valid, invalid,
                   failing);
    sonde_json_put(to, "never: %" PRIu64 ", called: %hhd}", in->n_reached - valid - invalid - failing, is_called);
}

static void put_insight(struct sonde_json_out *to, const struct sonde_page *page, const struct sonde_insight *in)
{
    put_shares(to, in->shares, in->n_shares);
    put_series(to, in, in->n_shares);
    put_tried(to, in);
    put_inputs(to, page, in);
    put_reached(to, in);
}

/* ---- Locations in the code */

/* Writes a name as one word: blanks and characters that HTML reserves become %XX. */
static void put_word(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c > ' ' && c < 0x7f && c != '%' && c != '<' && c != '>' && c != '&') fputc(c, out);
        else fprintf(out, "%%%02X", c);
    }
}

/* Writes the locations of the index-th property in the format of page.h. Inputs from `n_inputs` on are not in the
 * data, so they are not named. */
static void put_places(FILE *out, const struct sonde_report *r, size_t index, size_t n_inputs)
{
    const struct sonde_insight *in = r->insight;
    fprintf(out, "property %zu ", index);
    put_word(out, r->property);
    fputc('\n', out);
    for (size_t i = 0; i < in->n_modules; i++) {
        fprintf(out, "module %zu %016" PRIx64 " ", i, in->modules[i].id);
        put_word(out, in->modules[i].path);
        fputc('\n', out);
        if (in->modules[i].is_called) fprintf(out, "called %zu\n", i);
    }
    for (size_t i = 0; i < in->n_reached; i++) {
        const struct sonde_reached *p = &in->reached[i];
        fprintf(out, "%u %" PRIx64 " %u %u\n", p->module, p->offset, p->by, p->first <= n_inputs ? p->first : 0);
    }
}

/* ---- Properties */

/* Writes the fields of a property without the closing brace, because a property in progress has more. */
static void put_property(struct sonde_json_out *to, const struct sonde_page *page, const struct sonde_report *r,
                         bool is_running)
{
    char seed[24];
    snprintf(seed, sizeof seed, "%" PRIu64, r->seed);
    sonde_json_put(to, "{");
    sonde_json_fields(to, r, false);
    sonde_json_put(to, "running: %hhd, program: %s, seed_text: %s, wanted: %" PRIu64, is_running, r->program, seed,
                   r->wanted);
    put_failures(to, r);
    put_labels(to, r);
    if (r->insight) put_insight(to, page, r->insight);
}

static bool is_object(const struct sonde_buffer *b)
{
    return !b->out && b->n >= 2 && b->text[0] == '{' && b->text[b->n - 1] == '}';
}

/* Asserts that every property is a complete JSON object, and that n_reached is right about whether any code was
 * reached. */
static void page_check(const struct sonde_page *page)
{
    sonde_assert(page->n_ended <= page->cap_ended);
    for (uint32_t i = 0; i < page->n_ended; i++) sonde_assert(is_object(&page->ended[i]));
    sonde_assert(!page->running.text || is_object(&page->running));
    sonde_assert(!page->found.text || is_object(&page->found));
    sonde_assert((page->n_reached > 0) == (page->places.text != NULL));
}

/* Closes the buffer `with` and stores it in *old. Frees the old content only then: `with` may have been made from
 * it. */
static void replace(struct sonde_buffer *old, struct sonde_buffer *with)
{
    sonde_buffer_close(with);
    sonde_buffer_clear(old);
    *old = *with;
}

/* Adds a property that has ended, and drops what was known of it during the search. */
static void end_property(struct sonde_page *page, const struct sonde_report *r)
{
    struct sonde_buffer text;
    struct sonde_json_out to = {.out = sonde_buffer_open(&text)};
    put_property(&to, page, r, false);
    sonde_json_put(&to, "}");
    sonde_buffer_close(&text);
    page->ended = sonde_grow(page->ended, &page->cap_ended, (size_t)page->n_ended + 1, sizeof *page->ended);
    page->ended[page->n_ended++] = text;
    if (r->program && !page->program) page->program = sonde_strdup(r->program);
    sonde_buffer_clear(&page->running);
    sonde_buffer_clear(&page->found);
    if (!r->insight || !r->insight->n_reached) return;
    page->n_reached += r->insight->n_reached;
    sonde_buffer_open(&text);
    if (page->places.text) fputs(page->places.text, text.out);
    put_places(text.out, r, page->n_ended - 1, inputs_shown(page, r->insight));
    replace(&page->places, &text);
}

/* Replaces the object of the property in progress: its numbers, the outlook, and the failures found so far. */
static void note_progress(struct sonde_page *page, const struct sonde_event *event)
{
    struct sonde_buffer text;
    const struct sonde_outlook *o = event->outlook;
    if (!o || (!o->insight && page->running.text)) return;
    struct sonde_json_out to = {.out = sonde_buffer_open(&text)};
    struct sonde_report r = {.property = event->property,
                             .wanted = event->tests_wanted,
                             .stats = *event->stats,
                             .guide = o->guide,
                             .insight = o->insight};
    r.stats.edges = o->places;
    r.stats.valid_edges = o->valid_places;
    put_property(&to, page, &r, true);
    if (!r.insight) put_shares(&to, o->shares, o->n_shares);
    sonde_json_put(&to, "outlook: {corpus: %" PRIu64 ", failures: %" PRIu64 ", next_is_new: %g, quiet_seconds: %g}",
                   o->corpus, o->failures, o->next_is_new, o->quiet_seconds);
    if (o->fleet) {
        sonde_json_put(&to, "fleet:");
        sonde_json_raw(&to, o->fleet);
    }
    sonde_json_put(&to, "found: [");
    if (page->found.text) sonde_json_raw(&to, page->found.text);
    sonde_json_put(&to, "]}");
    replace(&page->running, &text);
}

/* Adds a failure to those found so far. */
static void note_found(struct sonde_page *page, const struct sonde_event *event)
{
    struct sonde_buffer text;
    const struct sonde_failure *f = event->report->failures;
    if (!event->report->n_failures) return;
    struct sonde_json_out to = {.out = sonde_buffer_open(&text)};
    if (page->found.text) sonde_json_raw(&to, page->found.text);
    sonde_json_put(&to, "{kind: %s, message: %s, test: %" PRIu64 ", size: %" PRIu64 "}", f->kind, f->message,
                   f->tests_to_failure, event->size);
    replace(&page->found, &text);
}

/* ---- The interface of page.h */

struct sonde_page *sonde_page_create(void)
{
    return sonde_calloc(1, sizeof(struct sonde_page));
}

void sonde_page_free(struct sonde_page *page)
{
    for (uint32_t i = 0; i < page->n_ended; i++) sonde_buffer_clear(&page->ended[i]);
    sonde_buffer_clear(&page->places);
    sonde_buffer_clear(&page->running);
    sonde_buffer_clear(&page->found);
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
    page_check(page);
}

bool sonde_page_has_places(const struct sonde_page *page)
{
    return page->n_reached > 0;
}

const char *sonde_page_places(const struct sonde_page *page)
{
    return page->places.text;
}

void sonde_page_put_safe(FILE *out, const char *json)
{
    for (; *json; json++) {
        if (*json == '<' || *json == '>' || *json == '&') fprintf(out, "\\u%04x", (unsigned)*json);
        else fputc(*json, out);
    }
}

void sonde_page_data_write(FILE *out, const struct sonde_page *page)
{
    struct sonde_buffer run;
    struct sonde_json_out to = {.out = sonde_buffer_open(&run)};
    fprintf(out, "{\"sonde\": \"%s\", \"format\": %d, \"properties\": [", SONDE_VERSION, FORMAT);
    for (uint32_t i = 0; i < page->n_ended; i++) {
        if (i) fputs(",\n", out);
        sonde_page_put_safe(out, page->ended[i].text);
    }
    if (page->running.text) {
        if (page->n_ended) fputs(",\n", out);
        sonde_page_put_safe(out, page->running.text);
    }
    sonde_json_put(&to, "{n: %zu, ended: %hhd, status:", page->n_properties, page->has_ended);
    if (page->has_ended) sonde_json_put(&to, "%d", page->status);
    else sonde_json_put(&to, "null");
    sonde_json_put(&to, "program: %s}", page->program);
    fputs("], \"run\": ", out);
    sonde_page_put_safe(out, sonde_buffer_close(&run));
    fputc('}', out);
    sonde_buffer_clear(&run);
}
