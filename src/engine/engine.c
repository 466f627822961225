/* The phases of one property: examples and replay, search, shrink, confirm, report. */
#include "engine/engine.h"

#include "base/die.h"
#include "engine/search.h"
#include "exec/exec.h"
#include "guide/guides.h"
#include "shrink/shrink.h"
#include "tape/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

void sonde_options_default(struct sonde_options *options)
{
    *options = (struct sonde_options){.tests = 10000,
                                      .seconds = 10,
                                      .guide = "random",
                                      .max_choices = 65536,
                                      .memory = UINT64_C(64) << 20,
                                      .max_discards = 100,
                                      .shrink = true,
                                      .shrink_seconds = 60};
}

void sonde_tell(struct sonde_reporter *const *reporters, size_t n_reporters, const struct sonde_event *event)
{
    for (size_t i = 0; i < n_reporters; i++) reporters[i]->event(reporters[i], event);
}

/* One run of one property, and whom to tell. */
struct engine {
    struct sonde_search search;
    struct sonde_options options;
    struct sonde_reporter *const *reporters;
    size_t n_reporters;
    struct sonde_report report;
    struct sonde_failure *failures;
    uint32_t n_failures;
    char message[1024];
};

/* ---- Options */

/* Command line and environment come first, then what the property says of itself, then the defaults. */
static void merge_options(struct engine *e, const sonde_property *property, const struct sonde_options *given)
{
    struct sonde_options *o = &e->options;
    *o = *given;
    if (property->tests && !o->tests_given) o->tests = property->tests;
    if (property->seconds > 0 && !o->seconds_given) o->seconds = property->seconds;
    if (property->guide && !o->guide_given) o->guide = property->guide;
    if (!o->seed_given) {
        uint64_t fresh = 0;
        if (getrandom(&fresh, sizeof fresh, 0) != (ssize_t)sizeof fresh) fresh = (uint64_t)(sonde_now() * 1e9);
        o->seed = fresh % 1000000000; /* short enough to type */
    }
}

/* ---- Telling */

static void tell(struct engine *e, struct sonde_event event)
{
    event.property = e->report.property;
    event.tests_wanted = e->options.tests;
    sonde_tell(e->reporters, e->n_reporters, &event);
}

/* While the search runs, what is known without counting will do. */
static void update_stats(struct sonde_search *s, bool is_over)
{
    struct sonde_stats *n = &s->stats;
    n->seconds = sonde_now() - s->started;
    n->cpu_s = sonde_cpu() - s->cpu_started;
    n->unique_estimated = true;
    n->unique_valid =
        is_over ? sonde_unique_count(&s->unique, &n->unique_estimated) : sonde_unique_about(&s->unique);
    if (n->unique_valid > n->valid) n->unique_valid = n->valid; /* an estimate may overshoot */
    n->repeats = n->valid - n->unique_valid;
}

static void tell_progress(struct sonde_search *search, void *user)
{
    struct engine *e = user;
    update_stats(search, false);
    tell(e, (struct sonde_event){.kind = SONDE_EVENT_PROGRESS, .stats = &search->stats});
}

/* ---- Failures */

static const char *kind_name(enum sonde_claim_kind kind)
{
    switch (kind) {
    case SONDE_CLAIM_CHECK: return "check";
    case SONDE_CLAIM_EXPECT: return "expect";
    case SONDE_CLAIM_FAIL: return "fail";
    case SONDE_CLAIM_NONE: break;
    }
    return "unknown";
}

static char *describe(const struct sonde_claim *c)
{
    char text[4096];
    int n = 0;
    if (c->condition) n = snprintf(text, sizeof text, "%s does not hold", c->condition);
    if (c->has_sides) n += snprintf(text + n, sizeof text - (size_t)n, ": %s against %s", c->got, c->want);
    if (c->message[0]) snprintf(text + n, sizeof text - (size_t)n, n ? "; %s" : "%s", c->message);
    return sonde_strdup(text);
}

/* What can be said of a failure from the claim alone. */
static void fill_claim(struct sonde_failure *f, const struct sonde_claim *c)
{
    f->kind = kind_name(c->kind);
    f->file = c->file;
    f->line = c->line;
    f->condition = c->condition;
    f->message = describe(c);
    f->got = c->has_sides ? sonde_strdup(c->got) : NULL;
    f->want = c->has_sides ? sonde_strdup(c->want) : NULL;
    f->detail = c->condition && c->message[0] ? sonde_strdup(c->message) : NULL;
}

static void free_failure(struct sonde_failure *f)
{
    const char *owned[] = {f->message, f->got, f->want, f->detail, f->token, f->notes};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sonde_free((void *)(uintptr_t)owned[i]);
    for (size_t i = 0; i < f->n_shown; i++) sonde_free((void *)(uintptr_t)f->shown[i].text);
    sonde_free((void *)(uintptr_t)f->shown);
}

static void keep_shown(struct sonde_failure *f, const sonde *t)
{
    struct sonde_shown_span *copy = sonde_calloc(t->n_shown, sizeof *copy);
    for (uint32_t i = 0; i < t->n_shown; i++)
        copy[i] = (struct sonde_shown_span){.span = t->shown[i].span, .text = sonde_strdup(t->shown[i].text)};
    f->shown = copy;
    f->n_shown = t->n_shown;
}

/* Runs the tape once more, with notes and printers on, and writes down what it showed; false if it did not fail. */
static bool show_failure(struct engine *e, struct sonde_failure *f, struct sonde_found *found)
{
    sonde *t = e->search.t;
    t->shows = true;
    bool fails = sonde_search_fails(&e->search, &found->tape, found->identity);
    t->shows = false;
    fill_claim(f, fails ? &t->claim : &found->claim);
    f->notes = sonde_strdup(sonde_case_notes(t));
    if (fails) keep_shown(f, t);
    return fails;
}

/* ---- Shrinking */

struct shrinking {
    struct engine *engine;
    uint64_t identity;
    uint64_t calls;
    double deadline, told;
    uint64_t size;
};

static bool still_fails(void *user, const struct sonde_tape *script, struct sonde_tape *actual)
{
    struct shrinking *k = user;
    struct sonde_search *s = &k->engine->search;
    k->calls++;
    bool fails = sonde_search_fails(s, script, k->identity);
    sonde_tape_copy(actual, &s->t->tape);
    return fails;
}

static bool shrunk_enough(void *user)
{
    struct shrinking *k = user;
    if (k->calls % 16) return false;
    double now = sonde_now();
    if (now - k->told > 0.1) {
        k->told = now;
        tell(k->engine, (struct sonde_event){.kind = SONDE_EVENT_SHRINKING, .shrink_calls = k->calls, .size = k->size});
    }
    return k->deadline > 0 && now > k->deadline;
}

static void note_better(void *user, const struct sonde_tape *best)
{
    struct shrinking *k = user;
    k->size = sonde_tape_size(best);
}

static void shrink(struct engine *e, struct sonde_failure *f, struct sonde_found *found)
{
    const struct sonde_options *o = &e->options;
    double now = sonde_now();
    struct shrinking k = {.engine = e, .identity = found->identity, .told = now, .size = found->size};
    if (o->shrink_seconds > 0) k.deadline = now + o->shrink_seconds;
    struct sonde_shrink_test test = {
        .fails = still_fails, .enough = shrunk_enough, .better = note_better, .user = &k, .max_calls = o->shrink_calls};
    struct sonde_shrink_result result = sonde_shrink(&found->tape, &test);
    f->shrink_calls = result.calls;
    f->shrink_complete = result.complete;
}

static void report_failure(struct engine *e, struct sonde_found *found)
{
    e->failures = sonde_realloc(e->failures, (e->n_failures + 1) * sizeof *e->failures);
    struct sonde_failure *f = &e->failures[e->n_failures++];
    *f = (struct sonde_failure){.tests_to_failure = found->test, .hits = found->hits, .original_size = found->size};
    snprintf(f->id, sizeof f->id, "%016" PRIx64, found->identity);
    /* A failure that does not come back must not be shrunk: any tape would do. */
    bool reproduces = sonde_search_fails(&e->search, &found->tape, found->identity);
    if (reproduces && e->options.shrink) shrink(e, f, found);
    f->flaky = !show_failure(e, f, found) || !reproduces;
    f->tape = &found->tape;
    f->token = sonde_tape_to_text(&found->tape, &e->search.labels);
}

static void report_found(struct engine *e)
{
    struct sonde_search *s = &e->search;
    for (uint32_t i = 0; i < s->n_found; i++) {
        struct sonde_failure first = {.original_size = s->found[i]->size, .tests_to_failure = s->found[i]->test};
        fill_claim(&first, &s->found[i]->claim);
        first.tape = &s->found[i]->tape;
        first.token = sonde_tape_to_text(&s->found[i]->tape, &s->labels);
        e->report.failures = &first;
        e->report.n_failures = 1;
        tell(e, (struct sonde_event){.kind = SONDE_EVENT_FOUND, .report = &e->report, .size = first.original_size});
        free_failure(&first);
        report_failure(e, s->found[i]);
    }
}

static void report_missed_cover(struct engine *e, const struct sonde_label_count *missed)
{
    char text[512];
    snprintf(text, sizeof text,
             "\"%s\" was claimed for at least %g %% of the valid cases, but %" PRIu64 " of %" PRIu64
             " independent ones (%.2f %%) met it; chance does not explain that. Change the generator or the claim",
             missed->name, missed->wanted, missed->met, missed->sampled,
             100.0 * (double)missed->met / (double)missed->sampled);
    e->failures = sonde_realloc(e->failures, (e->n_failures + 1) * sizeof *e->failures);
    e->failures[e->n_failures++] = (struct sonde_failure){.kind = "cover",
                                                          .id = "cover",
                                                          .message = sonde_strdup(text),
                                                          .notes = sonde_strdup(""),
                                                          .tests_to_failure = e->search.stats.tests,
                                                          .hits = 1};
}

/* ---- Examples and replay */

static int read_token(struct engine *e, const char *token, struct sonde_tape *script)
{
    struct sonde_text_error error;
    int status = sonde_tape_from_text(script, &e->search.labels, token, strlen(token), &error);
    if (status < 0)
        snprintf(e->message, sizeof e->message,
                 "the replay token cannot be read: %s at character %zu. Paste it whole, in single quotes", error.reason,
                 error.at + 1);
    return status;
}

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) return NULL;
    char *text = NULL;
    uint32_t cap = 0;
    size_t n = 0, got;
    do {
        text = sonde_grow(text, &cap, n + 4096, 1);
        got = fread(text + n, 1, cap - n - 1, in);
        n += got;
    } while (got && n < (size_t)1 << 28);
    bool bad = ferror(in);
    fclose(in);
    while (n && (text[n - 1] == '\n' || text[n - 1] == '\r')) n--;
    text[n] = '\0';
    if (!bad) return text;
    sonde_free(text);
    return NULL;
}

static bool load_script(struct engine *e, const char *token, struct sonde_tape *script)
{
    if (token[0] != '@') return read_token(e, token, script) == 0;
    char *text = read_file(token + 1);
    if (!text) {
        snprintf(e->message, sizeof e->message, "the tape file %s cannot be read: %s", token + 1, strerror(errno));
        return false;
    }
    bool good = read_token(e, text, script) == 0;
    sonde_free(text);
    return good;
}

/* False if there was one that could not be read. */
static bool run_examples(struct engine *e)
{
    struct sonde_tape script;
    bool good = true;
    sonde_tape_init(&script);
    if (e->options.replay) {
        good = load_script(e, e->options.replay, &script);
        if (good) sonde_search_example(&e->search, &script);
    }
    for (const char *const *x = e->search.property->examples; !e->options.replay && good && x && *x; x++) {
        good = read_token(e, *x, &script) == 0;
        if (good) sonde_search_example(&e->search, &script);
    }
    sonde_tape_clear(&script);
    return good;
}

/* ---- Verdict */

static const struct sonde_assume_count *hungriest(const struct sonde_tally *tally)
{
    const struct sonde_assume_count *most = NULL;
    for (uint32_t i = 0; i < tally->n_assumes; i++)
        if (!most || tally->assumes[i].rejected > most->rejected) most = &tally->assumes[i];
    return most;
}

static void explain_giving_up(struct engine *e)
{
    const struct sonde_stats *n = &e->search.stats;
    const struct sonde_assume_count *most = hungriest(&e->search.tally);
    int used = snprintf(e->message, sizeof e->message, "only %" PRIu64 " of %" PRIu64 " inputs were valid. ", n->valid,
                        n->tests);
    char *rest = e->message + used;
    size_t room = sizeof e->message - (size_t)used;
    if (n->overruns > n->discarded)
        snprintf(rest, room,
                 "%" PRIu64 " needed more %s than a case may use; draw less, or raise --max-choices (now %" PRIu64 ")",
                 n->overruns, e->search.overrun, e->options.max_choices);
    else if (most)
        snprintf(rest, room,
                 "%s:%d: the assumption %s rejected %" PRIu64 "; draw values that meet it instead of assuming it",
                 most->file ? most->file : "sonde", most->line, most->condition, most->rejected);
}

static enum sonde_outcome outcome_of(struct engine *e)
{
    struct sonde_search *s = &e->search;
    if (s->misuse[0]) return SONDE_OUTCOME_ERROR;
    bool firm = false, flaky = false;
    for (uint32_t i = 0; i < e->n_failures; i++) {
        firm |= !e->failures[i].flaky;
        flaky |= e->failures[i].flaky;
    }
    if (firm) return SONDE_OUTCOME_FALSIFIED;
    if (flaky) return SONDE_OUTCOME_FLAKY;
    if (s->exhausted && s->stats.overruns == 0 && !s->warning[0])
        return s->stats.valid ? SONDE_OUTCOME_EXHAUSTED : SONDE_OUTCOME_GAVE_UP;
    return s->stopped == SONDE_STOP_GAVE_UP ? SONDE_OUTCOME_GAVE_UP : SONDE_OUTCOME_PASSED;
}

static enum sonde_status status_of(enum sonde_outcome outcome)
{
    switch (outcome) {
    case SONDE_OUTCOME_PASSED:
    case SONDE_OUTCOME_EXHAUSTED: return SONDE_PASSED;
    case SONDE_OUTCOME_FALSIFIED:
    case SONDE_OUTCOME_FLAKY: return SONDE_FALSIFIED;
    case SONDE_OUTCOME_GAVE_UP: return SONDE_GAVE_UP;
    case SONDE_OUTCOME_ERROR: return SONDE_USAGE;
    }
    return SONDE_INTERNAL;
}

static void fill_report(struct engine *e, bool readable)
{
    struct sonde_search *s = &e->search;
    struct sonde_report *r = &e->report;
    update_stats(s, true);
    r->outcome = readable ? outcome_of(e) : SONDE_OUTCOME_ERROR;
    r->stopped = readable ? s->stopped : SONDE_STOP_ERROR;
    if (s->misuse[0]) snprintf(e->message, sizeof e->message, "%.1000s", s->misuse);
    else if (r->outcome == SONDE_OUTCOME_GAVE_UP) explain_giving_up(e);
    r->message = e->message[0] ? e->message : NULL;
    r->warning = s->warning[0] ? s->warning : NULL;
    r->stats = s->stats;
    r->assumes = s->tally.assumes;
    r->n_assumes = s->tally.n_assumes;
    r->labels = s->tally.labels;
    r->n_labels = s->tally.n_labels;
    r->targets = s->tally.targets;
    r->n_targets = s->tally.n_targets;
    r->failures = e->failures;
    r->n_failures = e->n_failures;
    r->names = &s->labels;
    r->searcher = s->guide;
}

static void copy_result(const struct sonde_report *r, enum sonde_status status, sonde_result *out)
{
    *out = (sonde_result){.status = status,
                          .exhausted = r->outcome == SONDE_OUTCOME_EXHAUSTED,
                          .tests = r->stats.tests,
                          .valid = r->stats.valid,
                          .discarded = r->stats.discarded,
                          .unique_valid = r->stats.unique_valid,
                          .failures = (unsigned)r->n_failures};
    const char *message = r->n_failures ? r->failures[0].message : r->message;
    if (message) snprintf(out->message, sizeof out->message, "%s", message);
    const char *token = r->n_failures ? r->failures[0].token : NULL;
    if (token && strlen(token) < sizeof out->token) memcpy(out->token, token, strlen(token) + 1);
}

enum sonde_status sonde_engine_run(const sonde_property *property, const struct sonde_options *options,
                                   struct sonde_reporter *const *reporters, size_t n_reporters, sonde_result *result)
{
    struct engine *e = sonde_calloc(1, sizeof *e);
    e->reporters = reporters;
    e->n_reporters = n_reporters;
    merge_options(e, property, options);
    struct sonde_search *s = &e->search;
    sonde_search_init(s, property, &e->options);
    s->progress = tell_progress;
    s->user = e;
    e->report = (struct sonde_report){.property = property->name ? property->name : "property",
                                      .program = e->options.program,
                                      .seed = e->options.seed,
                                      .guide = e->options.guide,
                                      .names = &s->labels};
    tell(e, (struct sonde_event){.kind = SONDE_EVENT_PROPERTY_BEGIN});
    if (property->worker_setup) property->worker_setup(property->context);
    bool readable = run_examples(e);
    if (readable && !e->options.replay) sonde_search_run(s);
    report_found(e);
    const struct sonde_label_count *missed = sonde_tally_judge(&s->tally);
    if (missed && !e->options.replay) report_missed_cover(e, missed);
    if (property->worker_teardown) property->worker_teardown(property->context);
    fill_report(e, readable);
    enum sonde_status status = status_of(e->report.outcome);
    tell(e, (struct sonde_event){.kind = SONDE_EVENT_PROPERTY_END, .report = &e->report});
    if (result) copy_result(&e->report, status, result);
    for (uint32_t i = 0; i < e->n_failures; i++) free_failure(&e->failures[i]);
    sonde_free(e->failures);
    sonde_search_clear(s);
    sonde_free(e);
    return status;
}
