/* Turns what the search found into what is reported: each failure is confirmed in a fresh worker, shrunk, shown and
 * stored.
 *
 * A failure that does not come back alone may need state that earlier cases left in the code under test. Then the tapes
 * before it run first, and the shortest sequence that shows it is the finding. A failure that does not come back even
 * then is flaky.
 *
 * For each failure: a smaller tape of it that came later is tried first; then the tape alone in a fresh worker. If that
 * passes, the cases that ran before it in its worker are added, and thinned out to those that are needed. If that
 * passes, too, it is flaky. Otherwise it is shrunk, its values are tested for being free, and it runs again with notes
 * and output on. The result of that run is reported and stored.
 *
 * Called by engine.c when the search has ended, and in the middle of a search that fuzzes (sonde_engine_handle_due).
 * All cases run through engine/workers/single.c, in a fresh worker if state could matter. Every string of a struct
 * sonde_failure is a copy that this file owns and frees. */
#include "engine/phases/phases.h"

#include "base/die.h"
#include "base/digits.h"
#include "base/heap.h"
#include "engine/search/search.h"
#include "engine/phases/doubt.h"
#include "engine/phases/explain.h"
#include "engine/phases/sequence.h"
#include "engine/phases/fleet.h"
#include "engine/phases/judged.h"

#include "shrink/shrink.h"
#include "tape/text.h"

#include "exec/interrupt.h"
#include "exec/worker.h"
#include "program/sanitizer.h"
#include "program/place.h"

#include <inttypes.h>
#include <string.h>

/* Sizes of strings of the report; longer ones are cut. The string of a claim includes its condition, and the string of
 * a condition includes both sides. */
enum { CLAIM_ROOM = 4096, CONDITION_ROOM = 2048, PLACE_ROOM = 512, FOUND_ROOM = 128 };

/* Returns the word for a kind of failure. These words are in files of the store and in JSON; they do not change. */
static const char *kind_name(enum sonde_claim_kind kind)
{
    static const char *const names[] = {
        [SONDE_CLAIM_NONE] = "unknown",
        [SONDE_CLAIM_CHECK] = "check",
        [SONDE_CLAIM_EXPECT] = "expect",
        [SONDE_CLAIM_FAIL] = "fail",
        [SONDE_CLAIM_CRASH] = "crash",
        [SONDE_CLAIM_STACK_OVERFLOW] = "stack_overflow",
        [SONDE_CLAIM_SANITIZER] = "sanitizer",
        [SONDE_CLAIM_UNDEFINED] = "undefined",
        [SONDE_CLAIM_RACE] = "race",
        [SONDE_CLAIM_VALGRIND] = "valgrind",
        [SONDE_CLAIM_LEAK] = "leak",
        [SONDE_CLAIM_EXIT] = "exit",
        [SONDE_CLAIM_HANG] = "hang",
        [SONDE_CLAIM_MEMORY] = "memory",
        [SONDE_CLAIM_KILLED] = "killed",
        [SONDE_CLAIM_FORK] = "fork",
        [SONDE_CLAIM_JUMP] = "jump",
        [SONDE_CLAIM_DEADLOCK] = "deadlock",
        [SONDE_CLAIM_STUCK] = "no_progress",
        [SONDE_CLAIM_THREADS] = "threads",
        [SONDE_CLAIM_DIFFERENCE] = "difference",
        [SONDE_CLAIM_MISUSE] = "misuse",
    };
    _Static_assert(sizeof names / sizeof *names == SONDE_CLAIM_MISUSE + 1, "each kind has a name");
    return names[kind];
}

static char *describe(const struct sonde_claim *c)
{
    char text[CLAIM_ROOM];
    return sonde_strdup(sonde_claim_describe(c, text, sizeof text));
}

/* Fills in the members of a failure that follow from its claim. */
static void fill_claim(struct sonde_failure *f, const struct sonde_claim *c)
{
    f->kind = kind_name(c->kind);
    f->file = c->file[0] ? sonde_strdup(c->file) : NULL;
    f->line = c->line;
    char condition[CONDITION_ROOM];
    bool is_difference = c->kind == SONDE_CLAIM_DIFFERENCE;
    f->observed = is_difference ? sonde_strdup(c->condition) : NULL;
    f->condition =
        c->condition[0] && !is_difference ? sonde_strdup(sonde_claim_condition(c, condition, sizeof condition)) : NULL;
    f->message = describe(c);
    f->got = c->has_sides ? sonde_strdup(c->got) : NULL;
    f->want = c->has_sides ? sonde_strdup(c->want) : NULL;
    f->detail = f->condition && c->message[0] ? sonde_strdup(c->message) : NULL;
}

/* Adds the time limit to the message of a hang: "its time limit of 10 s (--wall-timeout)". */
static void add_limit(struct sonde_failure *f, const struct sonde_claim *c, const struct sonde_options *o)
{
    double limit = c->is_waiting ? o->timeout_wall : o->timeout_cpu;
    const char *option = strstr(f->message, " (--");
    char text[CLAIM_ROOM];
    if (c->kind != SONDE_CLAIM_HANG || !option || limit <= 0) return;
    snprintf(text, sizeof text, "%.*s of %g s%s", (int)(option - f->message), f->message, limit, option);
    sonde_free((void *)(uintptr_t)f->message);
    f->message = sonde_strdup(text);
}

/* Fills in a failure for the final report. Like fill_claim, but also finds file and line of a crash, which starts a
 * process, and adds the limit to a hang. It is the limit that the user asked for; shrinking uses others. */
static void fill_final(struct sonde_failure *f, const struct sonde_claim *c, const struct sonde_options *o)
{
    struct sonde_place place;
    fill_claim(f, c);
    add_limit(f, c, o);
    if (f->file || !c->n_frames || c->kind == SONDE_CLAIM_MISUSE) return;
    sonde_place_of(c->frames, c->n_frames, &place);
    if (!place.file[0] || place.line <= 0) return;
    f->file = sonde_strdup(place.file);
    f->line = place.line;
}

/* Frees the strings of a failure; its tape is borrowed from the search. Strings that are const for readers are owned
 * here, hence the casts. */
static void free_failure(struct sonde_failure *f)
{
    const char *owned[] = {f->message, f->condition, f->got,       f->want,     f->detail, f->token,
                           f->notes,   f->output,    f->path,      f->differed, f->file,   f->advice,
                           f->against, f->observed,  f->base_note, f->state};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) sonde_free((void *)(uintptr_t)owned[i]);
    for (size_t i = 0; i < f->n_shown; i++) sonde_free((void *)(uintptr_t)f->shown[i].text);
    sonde_free((void *)(uintptr_t)f->shown);
    sonde_free((void *)(uintptr_t)f->others_fail);
    if (f->original) sonde_tape_clear((struct sonde_tape *)(uintptr_t)f->original);
    sonde_free((void *)(uintptr_t)f->original);
    sonde_explanation_free(f->explanation);
}

/* Returns whether the search has taken over a remembered failure (add_remembered), and will free it. */
static bool search_holds(const struct sonde_search *s, const struct sonde_found *found)
{
    for (uint32_t i = 0; i < s->n_found; i++)
        if (s->found[i] == found) return true;
    return false;
}

/* Called before the search is cleared, which owns the remembered failures that it did not find itself
 * (add_remembered). */
void sonde_engine_free_failures(struct sonde_engine *e)
{
    for (uint32_t i = 0; i < e->n_remembered; i++)
        if (!search_holds(e->search, e->remembered[i])) sonde_found_free(e->remembered[i]);
    for (uint32_t i = 0; i < e->n_failures; i++) free_failure(&e->failures[i]);
    free_failure(&e->replayed);
    sonde_tape_clear(&e->replayed_tape);
    sonde_free(e->failures);
    for (uint32_t i = 0; i < e->n_ours; i++) sonde_found_free(e->ours[i]);
    sonde_free(e->ours);
}

/* Writes the id of a failure, which is also the name of its file in the store. */
static void name_failure(struct sonde_failure *f, uint64_t identity)
{
    snprintf(f->id, sizeof f->id, "%016" PRIx64, identity);
}

/* Stores a failure; a better version of the same failure replaces the older one. The store reports errors; then path
 * is NULL and the report names no file. */
static void keep(struct sonde_engine *e, struct sonde_failure *f, const struct sonde_found *from, const char *token,
                 bool is_confirmed)
{
    char place[PLACE_ROOM] = "", found[FOUND_ROOM];
    struct sonde_witness w;
    sonde_engine_witness(e, &from->claim, &from->tape, &w);
    if (f->file) snprintf(place, sizeof place, "%s:%d", f->file, f->line);
    snprintf(found, sizeof found, "seed %" PRIu64 ", test %" PRIu64 ", guide %s", e->options.seed, f->tests_to_failure,
             e->options.guide);
    struct sonde_stored what = {.kind = f->kind,
                                .message = f->message,
                                .place = place,
                                .found = found,
                                .shown = w.shown,
                                .build = w.build,
                                .steps = *w.steps ? w.steps : NULL,
                                .confirmed = is_confirmed ? NULL : "no",
                                .token = token};
    char *path = NULL;
    sonde_store_save_failure(e->store, e->report.property, f->id, &what, &path);
    sonde_free((void *)(uintptr_t)f->path);
    f->path = path;
}

static char *prepend(char *text, const char *one)
{
    size_t length = strlen(one) + strlen(" ; ") + strlen(text) + 1;
    char *both = sonde_malloc(length);
    snprintf(both, length, "%s ; %s", one, text);
    sonde_free(text);
    return both;
}

/* Returns the token with the tokens of earlier cases before it, because the failure may need them. Takes only as many
 * of the last cases as fit into TEXT_MAX bytes, so that a file of the store stays readable. */
static char *text_with_earlier(const struct sonde_found *found, const char *token, const struct sonde_labels *labels)
{
    enum { TEXT_MAX = 64 * 1024 };
    char *text = sonde_strdup(token);
    for (uint32_t i = found->n_earlier; i-- > 0;) {
        char *one = sonde_tape_to_text(&found->earlier[i], labels);
        size_t length = strlen(one), rest = strlen(text);
        if (length + rest > TEXT_MAX) i = 0;
        else text = prepend(text, one);
        sonde_free(one);
    }
    return text;
}

/* Sends the first event of a failure, unconfirmed and as large as it was found. If the user stops the run now, the
 * failure is not lost. */
void sonde_engine_found(struct sonde_engine *e, const struct sonde_search *search, const struct sonde_found *found)
{
    struct sonde_failure first = {.original_size = found->size, .tests_to_failure = found->test, .hits = 1};
    struct sonde_report report = e->report;
    name_failure(&first, found->identity);
    fill_claim(&first, &found->claim);
    first.tape = &found->tape;
    first.token = sonde_tape_to_text(&found->tape, &search->labels);
    char *whole = text_with_earlier(found, first.token, &search->labels);
    keep(e, &first, found, whole, false); /* stored before it is reported: a reported failure must not be lost */
    sonde_interrupt_worst(SONDE_FALSIFIED);
    sonde_fleet_found(e, &first, whole);
    sonde_free(whole);
    report.failures = &first;
    report.n_failures = 1;
    report.names = &search->labels;
    sonde_engine_tell(e,
                      (struct sonde_event){.kind = SONDE_EVENT_FOUND, .report = &report, .size = first.original_size});
    free_failure(&first);
}

/* ---- Shrinking */

/* A failure while it is shrunk, and the tape being shrunk. */
struct work {
    struct sonde_sequence *q;
    const struct sonde_tape *now; /* the tape being shrunk; it may occur several times */
    uint32_t at;                  /* its last position */
    struct sonde_history history; /* the smaller tapes found so far for the failing tape */
    /* hangs get less time than a case may take, so a candidate that fails now may pass with the full time */
    bool is_hurried;
    bool is_apart;  /* each candidate runs in a new worker, because candidates leave state behind in a worker */
    bool has_doubt; /* the smallest candidate that failed did not fail each time */
    uint64_t calls;
    double deadline, told, kept;
    uint64_t size;
};

static bool still_fails(void *user, const struct sonde_tape *script, struct sonde_tape *actual)
{
    struct work *w = user;
    struct sonde_sequence *q = w->q;
    w->calls++;
    sonde_sequence_replace(q, w->now, script);
    bool fails =
        sonde_sequence_fails(q, q->n > 1 || w->is_apart); /* a failure that depends on state needs a fresh one */
    sonde_sequence_replace(q, script, w->now);
    /* Returns the recorded tape, not the requested one: the shrinker continues with the tape of the run. After a crash
     * the case's ring may have lost that tape. */
    struct sonde_tape *ran = sonde_single_ran(q->engine->single, q->n - 1 - w->at);
    bool is_last = w->at + 1 == q->n;
    if (ran && !is_last) sonde_tape_end(ran);
    if (fails && is_last) sonde_found_tape(actual, q->engine->search->t);
    else sonde_tape_copy(actual, ran ? ran : script);
    return fails;
}

/* Returns whether the last candidate was discarded: the shrinker distinguishes "not valid" from "no longer fails". */
static bool was_discarded(void *user)
{
    const struct work *w = user;
    return w->q->engine->search->t->verdict == SONDE_DISCARDED;
}

/* Returns the comparisons of the last case of the sequence; the comparisons of other cases are not known. */
static size_t what_was_compared(void *user, const struct sonde_hint **hints)
{
    const struct work *w = user;
    const struct sonde_runner *r = &w->q->engine->single->runner;
    *hints = r->hints;
    return w->at + 1 == w->q->n ? r->n_hints : 0;
}

static bool shrunk_enough(void *user)
{
    struct work *w = user;
    const double often_enough = 0.1; /* seconds between progress reports, for people watching */
    double now = sonde_clock_now();
    if (now - w->told > often_enough) {
        w->told = now;
        sonde_engine_tell(w->q->engine, (struct sonde_event){.kind = SONDE_EVENT_SHRINKING,
                                                             .shrink_calls = w->calls,
                                                             .size = w->size});
    }
    return sonde_interrupted() || (w->deadline > 0 && now > w->deadline);
}

static void note_better(void *user, const struct sonde_tape *best)
{
    struct work *w = user;
    struct sonde_sequence *q = w->q;
    double now = sonde_clock_now();
    w->size = sonde_tape_size(best);
    if (w->now == &q->found->tape) sonde_history_add(&w->history, best);
    /* Stored once a second: writing a file for each step would cost more than shrinking. */
    if (now - w->kept < 1 || w->is_hurried) return;
    w->kept = now; /* stored, so that the next run can continue from here */
    struct sonde_failure f = {.tests_to_failure = q->found->test};
    name_failure(&f, q->found->identity);
    fill_claim(&f, &q->found->claim);
    sonde_sequence_replace(q, w->now, best);
    f.token = sonde_sequence_text(q);
    sonde_sequence_replace(q, best, w->now);
    keep(q->engine, &f, q->found, f.token, true);
    free_failure(&f);
}

static bool blobs_differ(struct sonde_blob a, struct sonde_blob b)
{
    if (a.len != b.len) return true;
    for (uint32_t i = 0; i < a.len; i++)
        if (sonde_blob_symbol(&a, i) != sonde_blob_symbol(&b, i)) return true;
    return false;
}

/* Returns true if the tapes differ in the value of one choice and nothing else; *which is its index. */
static bool are_siblings(const struct sonde_tape *a, const struct sonde_tape *b, uint32_t *which)
{
    uint32_t n = 0;
    if (a->n_choices != b->n_choices) return false;
    for (uint32_t i = 0; i < a->n_choices && n < 2; i++) {
        const struct sonde_choice *x = &a->choices[i], *y = &b->choices[i];
        /* Values can be compared only if both tapes have the same draws with the same domains. */
        if (x->site != y->site || x->max != y->max) return false;
        bool differs = x->kind == SONDE_KIND_BLOB ? blobs_differ(sonde_choice_blob(a, x), sonde_choice_blob(b, y))
                                                  : x->index != y->index;
        if (differs) *which = i, n++;
    }
    return n == 1;
}

/* Marks values that matter: a valid input of the search that differs in one value alone proves that for this value. */
static void mark_known_passing(const struct sonde_sequence *q, uint8_t *failing)
{
    const struct sonde_sample *seen = &q->engine->search->rerun.sample;
    uint32_t which = 0;
    for (uint32_t i = 0; i < seen->n; i++)
        if (seen->inputs[i]->verdict == SONDE_VALID && are_siblings(&q->found->tape, &seen->inputs[i]->tape, &which))
            failing[which] = 0;
}

/* Values that may not matter are marked only in tapes of up to this many choices. A longer tape would take too long. */
enum { MARKED_CHOICES = 64 };

/* Finds values that may not matter. Called before earlier cases are shrunk, and only if there was time to shrink the
 * failing case. */
static uint8_t *find_free(struct sonde_sequence *q, const struct sonde_shrink_test *test)
{
    uint8_t *failing = sonde_calloc(q->found->tape.n_choices, 1);
    sonde_shrink_free_choices(&q->found->tape, test, failing);
    mark_known_passing(q, failing);
    return failing;
}

/* Shrinks the cases before the failing one, too: each as far as the last case still fails. A tape that occurs several
 * times is shrunk once. */
static void shrink_earlier(struct work *w, const struct sonde_shrink_test *test, struct sonde_shrink_result *sum)
{
    struct sonde_sequence *q = w->q;
    struct sonde_found *f = q->found;
    for (uint32_t i = 0; i + 1 < q->n; i++) {
        bool comes_again = q->tapes[i] == q->tapes[i + 1] || q->tapes[i] == &f->tape;
        if (comes_again) continue;
        w->now = q->tapes[i];
        w->at = i;
        struct sonde_tape *tape = &f->earlier[q->tapes[i] - f->earlier], before;
        sonde_tape_init(&before);
        sonde_tape_copy(&before, tape);
        struct sonde_shrink_result result = sonde_shrink(tape, test);
        bool is_firm = sonde_sequence_is_firm(q);
        if (!is_firm) sonde_tape_swap(tape, &before);
        sonde_tape_clear(&before);
        w->has_doubt |= !is_firm;
        sum->calls += result.calls;
        sum->complete &= result.complete && is_firm;
        sum->stopped |= result.stopped;
    }
}

/* Returns when shrinking of the next failure must end. All failures share the time: each gets an equal part of what is
 * left. */
static double deadline(struct sonde_engine *e)
{
    double now = sonde_clock_now();
    if (e->options.shrink_seconds <= 0) return 0;
    /* The deadline is set when the first failure is shrunk, not when the run ends: confirming takes time, too. */
    if (e->shrink_deadline == 0) e->shrink_deadline = now + e->options.shrink_seconds;
    return now + (e->shrink_deadline - now) / (e->n_to_shrink ? e->n_to_shrink : 1);
}

/* Explains a failure by neighbours of its tape. A tape that is not minimal has neighbours as well, but these show
 * less. */
static void explain(struct sonde_sequence *q, const struct sonde_shrink_test *test, struct sonde_failure *f)
{
    const struct sonde_claim *claim = &q->found->claim;
    f->explanation = sonde_explain(&(struct sonde_explain_setup){.test = test,
                                                                 .search = q->engine->search,
                                                                 .coverage = q->engine->single->runner.coverage,
                                                                 .file = claim->file[0] ? claim->file : NULL,
                                                                 .line = claim->line},
                                   &q->found->tape);
}

/* number of calls for a hang: each may take twice the time limit; --shrink-calls allows more */
enum { HANG_CALLS = 12 };

/* Shrinks a hang, first with little time for each candidate, because each takes all of it. If the result does not hang
 * with the full time, its loop ends at some point. Then the smallest earlier candidate that hangs long enough is shrunk
 * with the full time. */
static struct sonde_shrink_result shrink_hang(struct work *w, const struct sonde_shrink_test *test, double *margin)
{
    struct sonde_sequence *q = w->q;
    struct sonde_case_limits full = q->engine->single->runner.worker.limits, less = full;
    sonde_margin_shorten(&less);
    sonde_firm_limit(q, less);
    w->is_hurried = true;
    struct sonde_shrink_result result = sonde_shrink(&q->found->tape, test);
    w->is_hurried = false;
    bool is_endless = sonde_firm_with(q, full, SONDE_MARGIN) || sonde_interrupted();
    if (!is_endless) {
        uint64_t calls = result.calls;
        sonde_tape_copy(&q->found->tape, &w->history.tapes[0]);
        *margin = sonde_firm_margin(q, full);
        sonde_firm_choose(q, &w->history);
        struct sonde_shrink_test dear = *test;
        if (!dear.max_calls) dear.max_calls = HANG_CALLS;
        result = sonde_shrink(&q->found->tape, &dear);
        result.calls += calls;
    }
    sonde_firm_limit(q, full);
    return result;
}

/* Shrinks the last tape with a margin over the limits of the search, as large as the found input allows. */
static struct sonde_shrink_result shrink_last(struct work *w, const struct sonde_shrink_test *test, double *margin)
{
    struct sonde_sequence *q = w->q;
    enum sonde_claim_kind kind = q->found->claim.kind;
    if (kind == SONDE_CLAIM_HANG) return shrink_hang(w, test, margin);
    struct sonde_case_limits full = q->engine->single->runner.worker.limits;
    double share = sonde_firm_margin(q, full);
    struct sonde_shrink_result result = sonde_shrink(&q->found->tape, test);
    const double much = 3; /* four times the stack: a recursion that does not end there is infinite */
    bool has_end = kind == SONDE_CLAIM_STACK_OVERFLOW && share > 0 && !sonde_firm_with(q, full, much);
    if (has_end || kind == SONDE_CLAIM_MEMORY) *margin = share;
    sonde_firm_limit(q, full);
    return result;
}

/* Shrinks the last tape. A result that does not fail each time is replaced by a larger one that does, and w->has_doubt
 * is set. Sets *is_firm to false if no such tape is known. */
static struct sonde_shrink_result shrink_firmly(struct work *w, const struct sonde_shrink_test *test, double *margin,
                                                bool *is_firm)
{
    struct sonde_tape shrunk;
    struct sonde_shrink_result result = shrink_last(w, test, margin);
    sonde_tape_init(&shrunk);
    sonde_tape_copy(&shrunk, &w->q->found->tape);
    *is_firm = sonde_firm_choose(w->q, &w->history);
    w->has_doubt = sonde_tape_compare(&shrunk, &w->q->found->tape) != 0;
    result.complete &= !w->has_doubt;
    sonde_tape_clear(&shrunk);
    return result;
}

/* Returns whether candidates may have failed only because of state that others had left in the worker. A limit of time,
 * stack or memory is the likelier reason for a failure that needed a margin. */
static bool has_left_state(const struct work *w, const struct sonde_shrink_test *test,
                           const struct sonde_shrink_result *result, double margin)
{
    const struct sonde_sequence *q = w->q;
    return w->has_doubt && q->n == 1 && q->engine->single->isolated && !result->stopped && margin <= 0
           && (!test->max_calls || result->calls < test->max_calls) && !sonde_sequence_is_slow(q);
}

/* Shrinks again, with a new worker for each candidate, and adds to the calls of the first result. */
static void shrink_apart(struct work *w, const struct sonde_shrink_test *test, double *margin,
                         struct sonde_shrink_result *result, bool *is_firm)
{
    uint64_t calls = result->calls;
    struct sonde_shrink_test rest = *test;
    if (rest.max_calls) rest.max_calls -= calls;
    w->is_apart = true;
    sonde_history_clear(&w->history);
    sonde_history_init(&w->history);
    sonde_history_add(&w->history, &w->q->found->tape);
    *result = shrink_firmly(w, &rest, margin, is_firm);
    result->calls += calls;
}

/* Shrinks the failing case first, then the cases before it. Returns false if neither the result nor any earlier
 * candidate fails each time. */
static bool shrink(struct work *w, struct sonde_failure *f)
{
    struct sonde_sequence *q = w->q;
    const struct sonde_options *o = &q->engine->options;
    w->told = w->kept = sonde_clock_now();
    w->size = q->found->size;
    w->deadline = deadline(q->engine);
    w->now = &q->found->tape;
    w->at = q->n - 1;
    struct sonde_shrink_test test = {.fails = still_fails,
                                     .discarded = was_discarded,
                                     .compared = what_was_compared,
                                     .enough = shrunk_enough,
                                     .better = note_better,
                                     .user = w,
                                     .max_calls = o->shrink_calls};
    /* Coverage is collected for this shrink alone: the pass `mend` needs comparisons of failing runs, which the search
     * does not keep. */
    sonde_single_compare(q->engine->single, true);
    bool is_firm = false;
    struct sonde_shrink_result result = shrink_firmly(w, &test, &f->shrink_margin, &is_firm);
    if (is_firm && has_left_state(w, &test, &result, f->shrink_margin))
        shrink_apart(w, &test, &f->shrink_margin, &result, &is_firm);
    if (o->explains_lines) explain(q, &test, f);
    sonde_single_compare(q->engine->single, false);
    /* Only in a minimal tape is it of interest which values do not matter; in any other, most do not. */
    if (is_firm && !result.stopped && q->found->tape.n_choices <= MARKED_CHOICES) f->others_fail = find_free(q, &test);
    if (is_firm && q->n > 1) shrink_earlier(w, &test, &result);
    f->shrink_calls = result.calls;
    f->shrink_complete = result.complete;
    f->shrink_stopped = result.stopped;
    f->shrink_unsteady = w->has_doubt;
    return is_firm;
}

/* ---- Showing */

/* Copies the printed values of the case, which the next case frees. */
static void keep_shown(struct sonde_failure *f, const sonde *t)
{
    struct sonde_shown_span *copy = sonde_calloc(t->n_shown, sizeof *copy);
    for (uint32_t i = 0; i < t->n_shown; i++)
        copy[i] = (struct sonde_shown_span){.span = t->shown[i].span, .text = sonde_strdup(t->shown[i].text)};
    f->shown = copy;
    f->n_shown = t->n_shown;
}

/* Returns the notes of the case, and how its threads took turns; heap-allocated. */
static char *notes_of(const sonde *t)
{
    char *turns = sonde_interleaving(t), *notes = NULL;
    size_t n = strlen(sonde_case_notes(t)) + strlen(turns) + 2;
    notes = sonde_malloc(n);
    snprintf(notes, n, "%s%s", sonde_case_notes(t), turns);
    sonde_free(turns);
    return notes;
}

/* Runs the failure again, with notes, printers and output on, and records what the run showed. Returns false if it did
 * not fail. */
static bool show(struct sonde_sequence *q, struct sonde_failure *f)
{
    sonde *t = q->engine->search->t;
    t->shows = true;
    bool fails = sonde_sequence_fails(q, true);
    t->shows = false;
    /* After an interruption a hang runs with less time than its limit, so this run may have ended by another limit. */
    bool is_short = q->found->claim.kind == SONDE_CLAIM_HANG && sonde_interrupted();
    fill_final(f, fails && !is_short ? &t->claim : &q->found->claim, &q->engine->options);
    f->notes = fails ? notes_of(t) : sonde_strdup("");
    f->n_threads = fails ? t->schedule.n_threads : 0;
    f->n_switches = fails ? t->schedule.n_switches : 0;
    f->output = fails ? sonde_single_output(q->engine->single, &f->output_left_out) : sonde_strdup("");
    if (fails) keep_shown(f, t);
    return fails;
}

/* Records a replayed input that did not fail, because the user wants to see its values and its output. */
void sonde_engine_show_replay(struct sonde_engine *e)
{
    sonde *t = e->search->t;
    if (t->verdict == SONDE_FAILED || t->verdict == SONDE_MISUSE) return;
    sonde_tape_copy(&e->replayed_tape, &t->tape);
    e->replayed.tape = &e->replayed_tape;
    e->replayed.notes = notes_of(t);
    e->replayed.output = sonde_single_output(e->single, &e->replayed.output_left_out);
    keep_shown(&e->replayed, t);
    e->report.replayed = &e->replayed;
}

/* Returns a new entry. May move the array: pointers to failures are valid until the next one is added. */
static struct sonde_failure *add_failure(struct sonde_engine *e)
{
    e->failures = sonde_grow(e->failures, &e->cap_failures, (size_t)e->n_failures + 1, sizeof *e->failures);
    return &e->failures[e->n_failures++];
}

/* Uses the tape to which another worker has shrunk the failure, if that tape fails here, too. Returns whether it does;
 * then nothing is left to shrink. */
static bool use_their_shrunk(struct sonde_sequence *q)
{
    struct sonde_tape theirs;
    sonde_tape_init(&theirs);
    bool is_ours = sonde_fleet_shrunk(q->engine, q->found->identity, &theirs);
    sonde_sequence_set(q, &theirs);
    is_ours = is_ours && sonde_sequence_is_firm(q);
    if (is_ours) sonde_tape_copy(&q->found->tape, &q->engine->search->t->tape);
    sonde_sequence_set(q, &q->found->tape);
    sonde_tape_clear(&theirs);
    return is_ours;
}

/* Returns true if the failure comes back each time: alone, or after earlier cases. A later tape of the same failure is
 * the better start, if it is smaller, fails alone, and is far from any limit. */
static bool confirm(struct sonde_sequence *q)
{
    struct sonde_found *f = q->found;
    if (f->smaller.n_spans) {
        sonde_sequence_set(q, &f->smaller);
        bool is_better = sonde_firm_is_ample(q);
        if (is_better) sonde_tape_swap(&f->tape, &f->smaller);
        sonde_sequence_set(q, &f->tape);
        if (is_better) return true;
    }
    return sonde_sequence_is_firm(q) || (sonde_sequence_find(q) && sonde_sequence_is_firm(q));
}

/* Returns whether the store has the failure. Compares identities, which are the same from run to run. */
static bool is_remembered(const struct sonde_engine *e, const struct sonde_found *found)
{
    for (uint32_t i = 0; i < e->n_remembered; i++)
        if (e->remembered[i]->identity == found->identity) return true;
    return false;
}

/* Returns whether a race cannot be confirmed: the sanitizer does not report it again in this process, and there is no
 * other process. */
static bool cannot_be_confirmed(const struct sonde_engine *e, const struct sonde_found *found)
{
    return found->claim.kind == SONDE_CLAIM_RACE && !e->single->isolated && sonde_tools_report_no_more();
}

/* Begins the report of a failure with what is known before it runs again. */
static struct sonde_failure *begin_failure(struct sonde_engine *e, const struct sonde_found *found)
{
    struct sonde_failure *f = add_failure(e);
    *f = (struct sonde_failure){.tests_to_failure = found->test, .hits = found->hits, .original_size = found->size};
    f->is_known = is_remembered(e, found);
    f->regression = found->regression;
    f->found_when = found->when;
    name_failure(f, found->identity);
    return f;
}

/* Reports a race as it was found. ThreadSanitizer reports a race once per process, so without other processes it cannot
 * be confirmed. */
static void report_as_found(struct sonde_engine *e, struct sonde_found *found)
{
    struct sonde_failure *f = begin_failure(e, found);
    fill_final(f, &found->claim, &e->options);
    f->notes = sonde_strdup("");
    f->output = sonde_strdup("");
    f->tape = &found->tape;
    f->token = sonde_tape_to_text(&found->tape, &e->search->labels);
    keep(e, f, found, f->token, false);
}

/* Returns a copy of the tape as it was found, because reports show it beside the shrunk one. */
static const struct sonde_tape *copy_of(const struct sonde_tape *tape)
{
    struct sonde_tape *copy = sonde_malloc(sizeof *copy);
    sonde_tape_init(copy);
    sonde_tape_copy(copy, tape);
    return copy;
}

/* Shrinks found->tape to a tape that fails each time it runs; returns false if no input does. */
static bool confirm_and_shrink(struct sonde_sequence *q, struct sonde_failure *f)
{
    struct sonde_engine *e = q->engine;
    bool is_shrunk = use_their_shrunk(q);
    bool shrinks = e->options.shrink && !is_shrunk && !sonde_fleet_leaves(e, q->found->identity);
    f->shrunk_elsewhere = is_shrunk;
    /* The user waits for the end of the run; a full time limit for each hang would take too long. */
    if (q->found->claim.kind == SONDE_CLAIM_HANG && sonde_interrupted())
        sonde_margin_shorten(&e->single->runner.worker.limits);
    /* A failure that does not come back must not be shrunk: any tape would do. */
    if (!is_shrunk && !confirm(q)) return false;
    if (!shrinks) return true;
    struct work *w = sonde_calloc(1, sizeof *w);
    w->q = q;
    sonde_history_init(&w->history);
    if (q->n == 1) sonde_history_add(&w->history, f->original);
    if (q->n > 1 || sonde_tape_compare(f->original, &q->found->tape) != 0)
        sonde_history_add(&w->history, &q->found->tape);
    bool is_firm = shrink(w, f);
    sonde_history_clear(&w->history);
    sonde_free(w);
    return is_firm;
}

/* Sets whether the failure also occurs in the base of the change (--known-in). */
static void judge_in_base(const struct sonde_sequence *q, struct sonde_failure *f, const struct sonde_found *found)
{
    struct sonde_engine *e = q->engine;
    char note[1024] = "", *others[SONDE_FOUND_OTHERS];
    char *original = f->earlier ? NULL : sonde_tape_to_text(f->original, &e->search->labels);
    for (uint32_t i = 0; i < found->n_others; i++)
        others[i] = sonde_tape_to_text(&found->others[i], &e->search->labels);
    f->in_base = sonde_known_judge(&(struct sonde_known_setup){.options = &e->options,
                                                               .program = e->options.known_in,
                                                               .property = e->report.property,
                                                               .token = f->token,
                                                               .original = original,
                                                               .others = others,
                                                               .n_others = found->n_others,
                                                               .condition = found->claim.condition,
                                                               .is_unsure = f->flaky || f->earlier,
                                                               .is_slow = sonde_sequence_is_slow(q)},
                                   note, sizeof note);
    f->base_note = sonde_strdup(note);
    for (uint32_t i = 0; i < found->n_others; i++) sonde_free(others[i]);
    sonde_free(original);
}

/* Confirms, shrinks, shows and stores a failure. It is shown by running it again, and stored as it was shown. */
static void report_found(struct sonde_engine *e, struct sonde_found *found)
{
    if (cannot_be_confirmed(e, found)) {
        report_as_found(e, found);
        return;
    }
    struct sonde_failure *f = begin_failure(e, found);
    struct sonde_sequence q;
    sonde_sequence_init(&q, e, found);
    f->original = copy_of(&found->tape);
    bool is_firm = confirm_and_shrink(&q, f);
    /* Reports the failure as it was found, without earlier cases: a smaller input would show nothing more. */
    if (!is_firm) {
        sonde_tape_copy(&found->tape, f->original);
        sonde_sequence_set(&q, &found->tape);
    }
    f->earlier = q.n - 1;
    bool shown = show(&q, f);
    f->flaky = !shown || !is_firm;
    if (f->flaky) sonde_doubt_examine(&q, found->n_earlier > 0, f);
    f->tape = &found->tape;
    f->token = sonde_sequence_text(&q);
    if (q.n > 1) sonde_sequence_keep(&q);
    keep(e, f, found, f->token, !f->flaky);
    if (e->options.known_in) judge_in_base(&q, f, found);
    sonde_fleet_send_shrunk(e, f);
}

/* Reports a missed cover check. No single input shows it, so the failure has neither a tape nor a token. */
static void report_missed_cover(struct sonde_engine *e, const struct sonde_label_count *missed)
{
    char text[PLACE_ROOM];
    int n = snprintf(text, sizeof text, "\"%.200s\" is wanted in at least %g %% of the valid cases, but ", missed->name,
                     missed->wanted);
    if (missed->is_exact)
        snprintf(
            text + n, sizeof text - (size_t)n,
            "of all inputs, weighed by their probabilities, %.2f %% meet it. Change the generator or the sonde_cover",
            missed->share);
    else
        snprintf(text + n, sizeof text - (size_t)n,
                 "%" PRIu64 " of %" PRIu64 " independent ones (%.2f %%) met it, which is too few to be chance. "
                 "Change the generator or the sonde_cover",
                 missed->met, missed->sampled, 100.0 * (double)missed->met / (double)missed->sampled);
    *add_failure(e) = (struct sonde_failure){.kind = "cover",
                                             .id = "cover",
                                             .message = sonde_strdup(text),
                                             .notes = sonde_strdup(""),
                                             .output = sonde_strdup(""),
                                             .tests_to_failure = e->search->stats.tests,
                                             .hits = 1};
}

/* Reports a misuse with what had been drawn, because it may depend on that. The user can inspect the values and run
 * them again. */
static void report_misuse(struct sonde_engine *e)
{
    struct sonde_search *s = e->search;
    if (!s->misused.n_spans) return;
    sonde_place_of(s->misuse_frames, s->n_misuse_frames, &e->misuse_place);
    struct sonde_place *place = &e->misuse_place;
    /* the property's last call was a tail call, which leaves no frame of the property */
    if (place->is_in_property && !place->function[0]) {
        struct sonde_symbol symbol;
        const void *run;
        memcpy(&run, &e->property->run, sizeof run); /* C has no cast from a function pointer to void * */
        sonde_symbol_of(run, &symbol);
        memcpy(place->function, symbol.name, sizeof place->function);
    }
    *add_failure(e) = (struct sonde_failure){.kind = "misuse",
                                             .id = "misuse",
                                             .message = sonde_strdup(s->misuse),
                                             .file = place->file[0] ? sonde_strdup(place->file) : NULL,
                                             .line = place->line,
                                             .detail = place->function[0] ? sonde_strdup(place->function) : NULL,
                                             .notes = sonde_strdup(""),
                                             .output = sonde_strdup(""),
                                             .tape = &s->misused,
                                             .token = sonde_tape_to_text(&s->misused, &s->labels),
                                             .original_size = sonde_tape_size(&s->misused),
                                             .tests_to_failure = s->misused_at,
                                             .hits = 1};
}

/* Too few different inputs are, like a missed cover check, a failure of the search as a whole. */
void sonde_engine_report_unique(struct sonde_engine *e)
{
    const struct sonde_stats *n = &e->search->stats;
    const struct sonde_least *least = &e->options.min_unique;
    char text[256], unique[SONDE_GROUPED], valid[SONDE_GROUPED], wanted[SONDE_GROUPED];
    snprintf(text, sizeof text, "only %s%s of %s valid inputs were different; at least %s%s are wanted (--min-unique)",
             n->unique_estimated ? "about " : "", sonde_grouped(n->unique_valid, unique),
             sonde_grouped(n->valid, valid), sonde_grouped(least->n, wanted), least->is_percent ? " %" : "");
    *add_failure(e) = (struct sonde_failure){.kind = "unique",
                                             .id = "unique",
                                             .message = sonde_strdup(text),
                                             .notes = sonde_strdup(""),
                                             .output = sonde_strdup(""),
                                             .tests_to_failure = n->tests,
                                             .hits = 1};
}

/* ---- While the search runs */

/* Returns the reported failure with that identity; NULL: none was reported. */
static struct sonde_failure *find_reported(const struct sonde_engine *e, uint64_t identity)
{
    struct sonde_failure like;
    name_failure(&like, identity);
    for (uint32_t i = 0; i < e->n_failures; i++)
        if (!strcmp(e->failures[i].id, like.id)) return &e->failures[i];
    return NULL;
}

/* Works on a copy. The code under test can write to the memory of the searches while cases run, and running workers do
 * write to it. */
static void report_copy(struct sonde_engine *e, const struct sonde_found *found, bool has_ended)
{
    e->ours = sonde_grow(e->ours, &e->cap_ours, (size_t)e->n_ours + 1, sizeof *e->ours);
    struct sonde_found *ours = e->ours[e->n_ours++] = sonde_found_copy(found, has_ended);
    report_found(e, ours);
}

/* Two jobs may find the same failure; only the first is handled. */
void sonde_engine_handle_due(struct sonde_engine *e, const struct sonde_found *found)
{
    sonde_assert(!sonde_heap_current());
    if (find_reported(e, found->identity)) return;
    e->n_to_shrink = 1;
    e->shrink_deadline = 0; /* each failure gets the whole time for shrinking */
    report_copy(e, found, false);
    struct sonde_report report = e->report;
    report.outcome = SONDE_OUTCOME_FALSIFIED;
    report.failures = &e->failures[e->n_failures - 1];
    report.n_failures = 1;
    sonde_engine_tell(e, (struct sonde_event){.kind = SONDE_EVENT_SETTLED, .report = &report});
}

/* Adds stored failures that the search did not find again. */
static void add_remembered(struct sonde_engine *e)
{
    struct sonde_search *s = e->search;
    for (uint32_t i = 0; i < e->n_remembered; i++) {
        if (s->n_found < SONDE_FOUND_MAX && !sonde_search_known(s, &e->remembered[i]->claim))
            s->found[s->n_found++] = e->remembered[i];
    }
}

/* Handles failures in the order in which they were found. Each failure gets an equal part of the time that is left, so
 * early ones that finish soon leave more to the others. */
void sonde_engine_confirm(struct sonde_engine *e)
{
    struct sonde_search *s = e->search;
    sonde_damage_check(s);
    add_remembered(e);
    e->shrink_deadline = 0;
    for (uint32_t i = 0; i < sonde_damage_count(s); i++) {
        /* the entry is checked again, because cases have run since */
        sonde_damage_check_found(sonde_damage_at(s, i), true);
        struct sonde_failure *reported = find_reported(e, s->found[i]->identity);
        /* already handled during the search: only the number of hits is new */
        if (reported) reported->hits = s->found[i]->hits;
        if (reported) continue;
        if (!s->found[i]->told) sonde_engine_found(e, s, s->found[i]);
        e->n_to_shrink = s->n_found - i;
        sonde_fleet_await(e, s->found[i]->identity);
        report_copy(e, s->found[i], true);
    }
    const struct sonde_label_count *missed =
        sonde_tally_judge(&s->tally, s->exhausted && !s->stats.overruns && !s->warning[0]);
    if (missed && !e->options.replay) report_missed_cover(e, missed);
    if (s->misuse[0]) report_misuse(e);
}
