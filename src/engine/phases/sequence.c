/* See sequence.h. Earlier cases are minimised in three steps. First, bisection finds the shortest end of the list,
 * which suits effects that add up. Then one repeated tape is tried in place of all earlier tapes. Last, delta
 * debugging (Zeller and Hildebrandt) in its simple form leaves out parts of halving size. Each attempt is a run in a
 * new process, and their number is limited. When the limit is reached, the list may be longer than necessary, but it
 * still fails. */
#include "engine/phases/sequence.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "exec/interrupt.h"
#include "exec/worker.h"
#include "tape/text.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of runs for minimising a sequence; there is a limit in seconds as well. */
enum { MOST_RUNS = 300 };
static const double most_seconds = 10; /* that limit in seconds */

void sonde_sequence_set(struct sonde_sequence *q, const struct sonde_tape *tape)
{
    q->tapes[0] = tape;
    q->n = 1;
}

void sonde_sequence_init(struct sonde_sequence *q, struct sonde_engine *e, struct sonde_found *found)
{
    q->engine = e;
    q->found = found;
    q->brief = sonde_claim_brief(&found->claim);
    sonde_sequence_set(q, &found->tape);
}

static bool is_of_limit(enum sonde_claim_kind kind)
{
    return kind == SONDE_CLAIM_HANG || kind == SONDE_CLAIM_MEMORY || kind == SONDE_CLAIM_STACK_OVERFLOW
           || kind == SONDE_CLAIM_KILLED;
}

/* Records a failure other than the expected one as well. There are three exceptions: a case exceeded a changed limit,
 * malloc filled its memory, or --fail-fast asks for one failure only. */
static void keep_other_failure(struct sonde_sequence *q)
{
    const sonde *t = q->engine->search->t;
    bool is_void = (is_of_limit(q->found->claim.kind) && is_of_limit(t->claim.kind)) || q->engine->options.fail_fast
                   || q->engine->single->runner.worker.fill;
    if (t->verdict == SONDE_FAILED && !is_void)
        sonde_single_keep_finding(q->engine->single, "while another failure was shrunk");
}

static bool run(struct sonde_sequence *q, bool fresh)
{
    return sonde_single_fails(q->engine->single, q->tapes, q->n, fresh, q->brief);
}

/* Returns false if the last run hung elsewhere than the failure that was found; true for all other kinds of failures.
 * A hang has no brief identity to compare, since it is interrupted at random. The call path is compared instead. */
static bool is_same_hang(const struct sonde_sequence *q)
{
    const struct sonde_claim *claim = &q->found->claim;
    return claim->kind != SONDE_CLAIM_HANG || sonde_claim_same(claim, &q->engine->search->t->claim);
}

/* Leaks and late children are checked for only if they are the finding: both cost time. */
bool sonde_sequence_fails(struct sonde_sequence *q, bool fresh)
{
    enum sonde_claim_kind kind = q->found->claim.kind;
    q->engine->single->checks_leaks = kind == SONDE_CLAIM_LEAK;
    q->engine->single->awaits_children = kind == SONDE_CLAIM_FORK || q->found->claim.in_child;
    /* Tools may report undefined behaviour and races only once per location and process. Memory that a process took
     * stays with that process. */
    fresh |= kind == SONDE_CLAIM_UNDEFINED || kind == SONDE_CLAIM_RACE || kind == SONDE_CLAIM_MEMORY;
    bool fails = run(q, fresh);
    /* A few samples may happen to share a function that the loop only calls. A hang elsewhere is run twice. */
    if (fails && !is_same_hang(q)) fails = run(q, fresh) && is_same_hang(q);
    if (!fails) keep_other_failure(q);
    return fails;
}

unsigned sonde_sequence_count(struct sonde_sequence *q, unsigned times, bool all)
{
    unsigned n = 0;
    for (unsigned i = 0; i < times; i++) {
        bool fails = sonde_sequence_fails(q, true);
        n += fails;
        if (all && !fails) break;
    }
    return n;
}

/* A hang takes its whole limit each time; a leak checker is slow, too. */
bool sonde_sequence_is_slow(const struct sonde_sequence *q)
{
    enum sonde_claim_kind kind = q->found->claim.kind;
    return kind == SONDE_CLAIM_HANG || kind == SONDE_CLAIM_MEMORY || kind == SONDE_CLAIM_LEAK;
}

bool sonde_sequence_is_firm(struct sonde_sequence *q)
{
    enum { TIMES = 3 };
    unsigned times = sonde_sequence_is_slow(q) || sonde_interrupted() ? 1 : TIMES;
    return sonde_sequence_count(q, times, true) == times;
}

void sonde_sequence_replace(struct sonde_sequence *q, const struct sonde_tape *from, const struct sonde_tape *to)
{
    for (uint32_t i = 0; i < q->n; i++)
        if (q->tapes[i] == from) q->tapes[i] = to;
}

char *sonde_sequence_text(const struct sonde_sequence *q)
{
    struct sonde_bytes all = {0};
    for (uint32_t i = 0; i < q->n; i++) {
        char *one = sonde_tape_to_text(q->tapes[i], &q->engine->search->labels);
        if (i) sonde_bytes_add(&all, " ; ", 3);
        sonde_bytes_add(&all, one, strlen(one));
        sonde_free(one);
    }
    sonde_bytes_add(&all, "", 1);
    return (char *)all.data;
}

/* ---- More cases than are remembered */

static int by_test(const void *a, const void *b)
{
    uint64_t x = (*(const struct sonde_sampled *const *)a)->test, y = (*(const struct sonde_sampled *const *)b)->test;
    return (x > y) - (x < y);
}

/* Collects inputs of the search that came before the failure, in their order; returns how many. */
static uint32_t sampled_before(const struct sonde_sequence *q, const struct sonde_sampled **inputs)
{
    const struct sonde_sample *sample = &q->engine->search->rerun.sample;
    uint32_t n = 0;
    for (uint32_t i = 0; i < sample->n; i++)
        if (sample->inputs[i]->test < q->found->test) inputs[n++] = sample->inputs[i];
    qsort(inputs, n, sizeof *inputs, by_test);
    return n;
}

/* Replaces found->earlier by a longer list: inputs that the search has kept, then the remembered tapes and the failing
 * one, repeated. The list is twice as long as the number of cases, since not every case may matter. */
static void lengthen(struct sonde_sequence *q)
{
    struct sonde_found *f = q->found;
    const struct sonde_sampled *inputs[SONDE_SAMPLE_MAX];
    uint64_t wanted = 2 * f->test + SONDE_CASE_RING;
    uint32_t most = wanted < SONDE_SEQUENCE_MAX - 1 ? (uint32_t)wanted : SONDE_SEQUENCE_MAX - 1;
    uint32_t n_sampled = sampled_before(q, inputs), block = f->n_earlier + 1, n = 0;
    struct sonde_tape *longer = sonde_calloc(most, sizeof *longer);
    for (uint32_t i = 0; i < n_sampled && n < most / 2; i++) sonde_tape_copy(&longer[n++], &inputs[i]->tape);
    for (uint32_t i = 0; n < most; i++) {
        uint32_t at = i % block;
        sonde_tape_copy(&longer[n++], at < f->n_earlier ? &f->earlier[at] : &f->tape);
    }
    sonde_found_keep_earlier(f, longer, n);
    for (uint32_t i = 0; i < n; i++) sonde_tape_clear(&longer[i]);
    sonde_free(longer);
}

/* Runs the tapes of found->earlier until one fails. Returns true if that is the expected failure; found->tape is then
 * the failing tape, and only the tapes before it remain. A tape that fails in another way is removed, a few times. */
static bool run_until_failure(struct sonde_sequence *q)
{
    enum { OTHERS = 8 }; /* number of attempts */
    struct sonde_found *f = q->found;
    struct sonde_runner *runner = &q->engine->single->runner;
    for (int time = 0; time < OTHERS && f->n_earlier; time++) {
        for (uint32_t i = 0; i < f->n_earlier; i++) q->tapes[i] = &f->earlier[i];
        q->n = f->n_earlier;
        runner->stops_at_failure = true;
        bool fails = sonde_sequence_fails(q, true);
        runner->stops_at_failure = false;
        uint32_t at = runner->n_ran ? runner->n_ran - 1 : 0;
        if (fails) {
            sonde_tape_copy(&f->tape, &f->earlier[at]);
            q->n = at + 1;
            q->tapes[at] = &f->tape;
            return true;
        }
        if (q->engine->search->t->verdict != SONDE_FAILED) return false;
        sonde_tape_clear(&f->earlier[at]);
        memmove(&f->earlier[at], &f->earlier[at + 1], (f->n_earlier - at - 1) * sizeof *f->earlier);
        f->n_earlier--;
    }
    return false;
}

/* ---- Fewer */

struct budget {
    unsigned runs;
    double deadline;
};

static bool is_spent(const struct budget *b)
{
    return b->runs == 0 || sonde_interrupted() || sonde_clock_now() > b->deadline;
}

/* Removes the tapes [from, to) if the sequence fails without them; returns whether it does. */
static bool leave_out(struct sonde_sequence *q, struct budget *b, uint32_t from, uint32_t to)
{
    const struct sonde_tape *before[SONDE_SEQUENCE_MAX];
    uint32_t n = q->n;
    if (is_spent(b)) return false;
    b->runs--;
    memcpy(before, q->tapes, n * sizeof *before);
    memmove(&q->tapes[from], &q->tapes[to], (n - to) * sizeof *q->tapes);
    q->n = n - (to - from);
    if (sonde_sequence_fails(q, true)) return true;
    memcpy(q->tapes, before, n * sizeof *before);
    q->n = n;
    return false;
}

/* Removes as many tapes from the beginning as possible, by halving the part not known to be needed. */
static void cut_beginning(struct sonde_sequence *q, struct budget *b)
{
    uint32_t needed = 0; /* fewer tapes than this before the failing one do not suffice */
    while (q->n - 1 > needed && !is_spent(b)) {
        uint32_t earlier = q->n - 1, kept = needed + (earlier - needed) / 2;
        if (!leave_out(q, b, 0, earlier - kept)) needed = kept + 1;
    }
}

static void cut_parts(struct sonde_sequence *q, struct budget *b)
{
    for (uint32_t step = q->n / 2; step > 0 && !is_spent(b); step /= 2)
        for (uint32_t i = 0; i + 1 < q->n && !is_spent(b);) {
            uint32_t to = i + step < q->n - 1 ? i + step : q->n - 1;
            if (!leave_out(q, b, i, to)) i = to;
        }
}

/* Replaces all earlier tapes by one copy of the failing tape. So that copy and the failing tape can be shrunk
 * separately. */
static void set_apart(struct sonde_sequence *q)
{
    struct sonde_tape *copy = &q->found->earlier[0];
    sonde_tape_copy(copy, &q->found->tape);
    for (uint32_t i = 0; i + 1 < q->n; i++) q->tapes[i] = copy;
}

/* Tries to replace all earlier tapes by one of the last tapes, or by the failing one. Then the user has only one input
 * to read. */
static void make_alike(struct sonde_sequence *q, struct budget *b)
{
    enum { CANDIDATES = 4 }; /* number of tapes that are tried in place of all others */
    const struct sonde_tape *before[SONDE_SEQUENCE_MAX];
    uint32_t n = q->n;
    memcpy(before, q->tapes, n * sizeof *before);
    for (uint32_t k = 0; n > 2 && k < CANDIDATES && k < n && !is_spent(b); k++) {
        const struct sonde_tape *one = before[k + 1 < CANDIDATES && k + 1 < n ? n - 2 - k : n - 1];
        b->runs--;
        for (uint32_t i = 0; i + 1 < n; i++) q->tapes[i] = one;
        if (sonde_sequence_fails(q, true)) {
            if (one == &q->found->tape) set_apart(q);
            cut_beginning(q, b);
            return;
        }
    }
    memcpy(q->tapes, before, n * sizeof *before);
}

static void minimise(struct sonde_sequence *q)
{
    struct budget b = {.runs = MOST_RUNS, .deadline = sonde_clock_now() + most_seconds};
    cut_beginning(q, &b);
    make_alike(q, &b);
    cut_parts(q, &b);
}

bool sonde_sequence_find(struct sonde_sequence *q)
{
    struct sonde_found *f = q->found;
    for (uint32_t i = 0; i < f->n_earlier; i++) q->tapes[i] = &f->earlier[i];
    q->tapes[f->n_earlier] = &f->tape;
    q->n = f->n_earlier + 1;
    bool fails = q->n > 1 && sonde_sequence_fails(q, true);
    /* If there are fewer tapes than can be remembered, they are all that the process had run. */
    if (!fails && f->n_earlier + 1 >= SONDE_CASE_RING) {
        lengthen(q);
        fails = run_until_failure(q);
    }
    if (fails) minimise(q);
    else sonde_sequence_set(q, &f->tape);
    return fails;
}

/* The tapes may be in found->earlier already, in another order, so they are copied before that is replaced. */
void sonde_sequence_keep(struct sonde_sequence *q)
{
    uint32_t n = q->n - 1;
    struct sonde_tape *copies = sonde_calloc(n + 1u, sizeof *copies);
    for (uint32_t i = 0; i < n; i++) sonde_tape_copy(&copies[i], q->tapes[i]);
    sonde_found_keep_earlier(q->found, copies, n);
    for (uint32_t i = 0; i < n; i++) {
        sonde_tape_clear(&copies[i]);
        q->tapes[i] = &q->found->earlier[i];
    }
    sonde_free(copies);
}

/* ---- A smaller input that fails every time
 *
 * The tapes of a shrink are nearly ordered: larger inputs use more of the limited resource. So the smallest that fails
 * each time is found by doubling steps from the smallest on, and then by halving. */

void sonde_history_init(struct sonde_history *h)
{
    memset(h, 0, sizeof *h);
    h->every = 1;
}

void sonde_history_clear(struct sonde_history *h)
{
    for (uint32_t i = 0; i < SONDE_HISTORY_MAX; i++) sonde_tape_clear(&h->tapes[i]);
}

/* Drops every second tape; the first tape stays. */
static void thin_out(struct sonde_history *h)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < h->n; i += 2) sonde_tape_swap(&h->tapes[kept++], &h->tapes[i]);
    h->n = kept;
    h->every *= 2;
}

void sonde_history_add(struct sonde_history *h, const struct sonde_tape *tape)
{
    while (h->n > 0 && sonde_tape_compare(&h->tapes[h->n - 1], tape) <= 0) h->n--;
    if (h->seen++ % h->every != 0) return;
    if (h->n == SONDE_HISTORY_MAX) thin_out(h);
    sonde_tape_copy(&h->tapes[h->n++], tape);
}

void sonde_firm_limit(struct sonde_sequence *q, struct sonde_case_limits limits)
{
    struct sonde_runner *runner = &q->engine->single->runner;
    if (q->engine->single->isolated) sonde_runner_stop(runner);
    runner->worker.limits = limits;
}

bool sonde_firm_with(struct sonde_sequence *q, struct sonde_case_limits limits, double share)
{
    sonde_margin_add(&limits, share);
    sonde_firm_limit(q, limits);
    return sonde_sequence_fails(q, true);
}

bool sonde_firm_is_ample(struct sonde_sequence *q)
{
    struct sonde_case_limits limits = q->engine->single->runner.worker.limits;
    if (sonde_interrupted() || !q->engine->single->isolated) return sonde_sequence_is_firm(q);
    bool is_ample = sonde_firm_with(q, limits, SONDE_MARGIN);
    sonde_firm_limit(q, limits);
    return is_ample && (sonde_sequence_is_slow(q) || sonde_sequence_is_firm(q));
}

double sonde_firm_margin(struct sonde_sequence *q, struct sonde_case_limits limits)
{
    /* Tries margins from a quarter, which doubles the time, down to a thirty-second: an eighth more time is hardly
     * more than chance. */
    const double least = SONDE_MARGIN / 8;
    for (double share = SONDE_MARGIN; share >= least && q->engine->single->isolated && !sonde_interrupted(); share /= 2)
        if (sonde_firm_with(q, limits, share)) return share;
    sonde_firm_limit(q, limits);
    return 0;
}

static bool is_firm_at(struct sonde_sequence *q, const struct sonde_history *h, uint32_t i)
{
    sonde_tape_copy(&q->found->tape, &h->tapes[i]);
    return sonde_sequence_is_firm(q);
}

/* Returns whether the sequence fails each time, with more certainty than three runs give. Used after the shrunk input
 * did not fail each time, because the failure then depends on chance. Failing with a margin proves more than failing
 * often. */
static bool is_beyond_doubt(struct sonde_sequence *q)
{
    enum { MORE = 5 }; /* further runs */
    bool has_margin = q->engine->single->runner.worker.limits.margin > 0;
    unsigned times = !sonde_sequence_is_slow(q) ? MORE : has_margin ? 0 : 2;
    return sonde_sequence_count(q, times, true) == times;
}

bool sonde_firm_choose(struct sonde_sequence *q, const struct sonde_history *h)
{
    if (sonde_sequence_is_firm(q)) return true;
    uint32_t bad = h->n, good = bad;
    for (uint32_t step = 1; good > 0; step *= 2) {
        good = good > step ? good - step : 0;
        if (is_firm_at(q, h, good)) break;
        if (good == 0) return false;
        bad = good;
    }
    while (bad - good > 1) {
        uint32_t middle = good + (bad - good) / 2;
        if (is_firm_at(q, h, middle)) good = middle;
        else bad = middle;
    }
    if (h->n) sonde_tape_copy(&q->found->tape, &h->tapes[good]);
    return h->n && (is_beyond_doubt(q) || (good > 0 && is_firm_at(q, h, 0) && is_beyond_doubt(q)));
}
