/* See culprit.h. Runs in the supervisor, in the heap of the search. For signals and children, each suspect runs alone
 * in a fresh worker. For leaks the suspects are halved, because a leak may need several cases and the leak checker is
 * slow. */
#include "engine/workers/culprit.h"

#include "base/mem.h"
#include "engine/search/account.h"
#include "engine/search/loop.h"
#include "program/sanitizer.h"

#include <stdio.h>
#include <string.h>

static bool leaks(const struct sonde_runner *runner)
{
    return runner->t->verdict == SONDE_FAILED && runner->t->claim.kind == SONDE_CLAIM_LEAK;
}

static bool has_sent(const struct sonde_runner *runner)
{
    return runner->t->verdict == SONDE_FAILED && runner->worker.death->to_parent;
}

static bool fails_by_child(const sonde *t)
{
    return t->verdict == SONDE_FAILED && (t->claim.kind == SONDE_CLAIM_FORK || t->claim.in_child);
}

static bool has_forked(const struct sonde_runner *runner)
{
    return fails_by_child(runner->t);
}

/* Returns copies of the last tapes, starting `back` cases ago, the latest first; to be freed by free_tapes. Copies,
 * because running a suspect again overwrites the ring of the case. */
static struct sonde_tape *last_tapes(const struct sonde_search *s, uint32_t back, uint32_t *n)
{
    struct sonde_tape *tapes = sonde_calloc(SONDE_CASE_RING, sizeof *tapes);
    *n = 0;
    for (const struct sonde_tape *tape; (tape = sonde_case_earlier(s->t, back + *n)) != NULL; ++*n)
        sonde_tape_copy(&tapes[*n], tape);
    return tapes;
}

static void free_tapes(struct sonde_tape *tapes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) sonde_tape_clear(&tapes[i]);
    sonde_free(tapes);
}

/* Returns a new runner for the search's cases, in shared memory, because the worker must see it. */
static struct sonde_runner *create_runner(struct sonde_search *s, struct sonde_death *death)
{
    struct sonde_runner *runner = sonde_calloc(1, sizeof *runner);
    runner->worker = sonde_search_worker(s);
    runner->worker.death = death;
    sonde_runner_init(runner, s->t, s->property, s->simplest);
    return runner;
}

static void free_runner(struct sonde_runner *runner)
{
    sonde_runner_clear(runner);
    sonde_free(runner);
}

static const char run_again[] = "when the last cases were run again";

/* Runs the last cases again, starting `back` cases ago, each in a fresh worker, until one shows the problem. Returns
 * whether one did. */
static bool run_last_again(struct sonde_search *s, struct sonde_death *death, uint32_t back,
                           bool (*shows)(const struct sonde_runner *))
{
    uint32_t n;
    struct sonde_tape *suspects = last_tapes(s, back, &n);
    struct sonde_runner *runner = create_runner(s, death);
    runner->awaits_children = shows == has_forked;
    bool found = false;
    for (uint32_t i = 0; i < n && !found; i++) {
        const struct sonde_tape *script = &suspects[i];
        sonde_runner_run(runner, &script, 1, true);
        found = shows(runner);
        if (!found) sonde_search_keep_finding(s, run_again);
    }
    free_runner(runner);
    free_tapes(suspects, n);
    return found;
}

/* ---- Leaks */

/* The cases of a batch, by the positions of their tapes in the log, and the means to run some of them. Isolated cases
 * run in a fresh worker, by `runner`; others run in this process, by `here`. */
struct batch {
    struct sonde_search *search;
    struct sonde_runner *runner;
    struct sonde_single *here;
    uint64_t *at; /* [n] */
    uint32_t n;
};

/* Returns the batch as positions in the log instead of copies: a batch may hold 65,536 tapes. */
static struct batch find_batch(struct sonde_search *s)
{
    struct batch b = {.search = s};
    struct sonde_inbox in = s->leaks.batch;
    uint32_t cap = 0;
    for (uint64_t at = in.at; sonde_inbox_take(&in, &s->before); at = in.at) {
        b.at = sonde_grow(b.at, &cap, (size_t)b.n + 1, sizeof *b.at);
        b.at[b.n++] = at;
    }
    return b;
}

/* Runs the cases from..to in a row and returns whether they leak. If they do, the last one is the current case, and has
 * failed. */
static bool leaks_in_worker(struct batch *b, uint32_t from, uint32_t to)
{
    enum { GROUP = 64 }; /* number of scripts that a runner takes at once: as many as fit on the stack */
    struct sonde_tape tapes[GROUP] = {0};
    const struct sonde_tape *scripts[GROUP];
    bool goes_on = true;
    /* The same worker runs all groups (`fresh` only for the first); the leak check comes after the last one. */
    for (uint32_t i = from, n; i < to && goes_on; i += n) {
        n = to - i < GROUP ? to - i : GROUP;
        for (uint32_t k = 0; k < n; k++) {
            struct sonde_inbox in = {.from = b->search->leaks.log, .at = b->at[i + k]};
            sonde_inbox_take(&in, &tapes[k]);
            scripts[k] = &tapes[k];
        }
        b->runner->checks_leaks = i + n == to;
        sonde_runner_run(b->runner, scripts, n, i == from);
        if (!leaks(b->runner)) sonde_search_keep_finding(b->search, run_again);
        goes_on = b->search->t->verdict == SONDE_VALID;
    }
    for (uint32_t k = 0; k < GROUP; k++) sonde_tape_clear(&tapes[k]);
    return leaks(b->runner);
}

/* Runs the cases in this process and returns whether they leak: leaked memory stays here, so the amount grows each
 * time. */
static bool leaks_here(struct batch *b, uint32_t from, uint32_t to)
{
    struct sonde_search *s = b->search;
    const struct sonde_tape *script = &s->before;
    b->here->checks_leaks = false;
    /* Called for its side effect: from here on only new leaks count. */
    sonde_leaks_grew();
    for (uint32_t i = from; i < to; i++) {
        struct sonde_inbox in = {.from = s->leaks.log, .at = b->at[i]};
        sonde_inbox_take(&in, &s->before);
        b->here->checks_leaks = to - from == 1;
        sonde_single_fails(b->here, &script, 1, false, 0);
        bool leaks = s->t->verdict == SONDE_FAILED && s->t->claim.kind == SONDE_CLAIM_LEAK;
        if (!leaks) sonde_search_keep_finding(s, run_again);
        if (s->t->verdict != SONDE_VALID) return leaks;
    }
    if (to - from == 1 || !sonde_leaks_grew()) return false;
    sonde_case_leaks(s->t);
    return true;
}

static bool batch_leaks(struct batch *b, uint32_t from, uint32_t to)
{
    return b->runner ? leaks_in_worker(b, from, to) : leaks_here(b, from, to);
}

/* Halves the cases as long as one half leaks alone. If only cases of both halves together leak, the last cases are
 * kept with the current one, as many as a failure can keep. Returns whether a leak was found. */
static bool find_leak(struct batch *b)
{
    uint32_t from = 0, to = b->n;
    if (!batch_leaks(b, from, to)) return false;
    while (to - from > 1) {
        uint32_t middle = from + (to - from) / 2;
        if (batch_leaks(b, from, middle)) to = middle;
        else if (batch_leaks(b, middle, to)) from = middle;
        /* The last run leaves the failed case as the current one, and its predecessors in the ring. */
        else return batch_leaks(b, to - from < SONDE_CASE_RING ? from : to - SONDE_CASE_RING + 1, to);
    }
    return true;
}

/* Reports the leak without its input, as flaky. Called if no case was ended by an assume: such a case might explain the
 * leak. Also called if a tape was too large to be kept: its case may have leaked. */
static void blame_batch(struct sonde_search *s, uint32_t n)
{
    sonde_case_leaks(s->t);
    size_t used = strlen(s->t->claim.message);
    snprintf(s->t->claim.message + used, sizeof s->t->claim.message - used,
             " by one of %u cases; when they were run again, none of them leaked", n);
}

/* Returns whether there is a failure to count. */
static bool judge_leak(struct batch *b)
{
    struct sonde_search *s = b->search;
    bool is_found = b->n && find_leak(b);
    bool is_blamed = !is_found && (s->leaks.n_left_early == 0 || s->leaks.has_unkept);
    if (is_blamed) blame_batch(s, b->n);
    s->left.leak_suspected = false;
    sonde_leak_watch_end_batch(&s->leaks, is_found || is_blamed);
    sonde_free(b->at);
    return is_found || is_blamed;
}

void sonde_culprit_leaks(struct sonde_search *s, struct sonde_death *death)
{
    struct batch b = find_batch(s);
    b.runner = create_runner(s, death);
    bool fails = judge_leak(&b);
    free_runner(b.runner);
    if (fails) sonde_search_death(s, false);
}

void sonde_culprit_leaks_here(struct sonde_single *v)
{
    struct batch b = find_batch(v->search);
    b.here = v;
    bool fails = judge_leak(&b);
    v->checks_leaks = false;
    if (fails) sonde_search_count(v->search);
}

void sonde_culprit_sent(struct sonde_search *s, struct sonde_death *death, int signal)
{
    if (!run_last_again(s, death, 0, has_sent)) {
        s->t->verdict = SONDE_VALID; /* other failures of these runs have been recorded already */
        sonde_death_blame_sender(death, signal, s->t);
    }
    sonde_search_death(s, false);
}

/* Returns how many cases ago the case began whose child returned or failed. */
static uint32_t age_of_parent(const struct sonde_search *s)
{
    unsigned long long back = atomic_load(&s->t->started) - s->left.child_of;
    return back < SONDE_CASE_RING ? (uint32_t)back : SONDE_CASE_RING;
}

/* Reports the failure without its input, because the tape is no longer known. confirm.c will call it flaky. */
static void blame_child(struct sonde_search *s)
{
    s->t->verdict = SONDE_FAILED;
    if (s->left.child_claim.kind != SONDE_CLAIM_NONE) s->t->claim = s->left.child_claim;
    else sonde_death_claim(&(struct sonde_death){.kind = SONDE_DEATH_FORK}, &s->t->claim);
}

void sonde_culprit_forked(struct sonde_search *s, struct sonde_death *death)
{
    if (!run_last_again(s, death, age_of_parent(s), has_forked)) blame_child(s);
    sonde_search_death(s, false);
}

void sonde_culprit_forked_here(struct sonde_single *v)
{
    struct sonde_search *s = v->search;
    uint32_t n;
    struct sonde_tape *suspects = last_tapes(s, age_of_parent(s), &n);
    bool found = false;
    v->awaits_children = true;
    for (uint32_t i = 0; i < n && !found; i++) {
        const struct sonde_tape *script = &suspects[i];
        sonde_single_fails(v, &script, 1, false, 0);
        found = fails_by_child(s->t);
        if (!found) sonde_search_keep_finding(s, run_again);
    }
    v->awaits_children = false;
    free_tapes(suspects, n);
    if (!found) blame_child(s);
    sonde_search_count(s);
}

void sonde_culprit_run_again(struct sonde_search *s, struct sonde_death *death)
{
    struct sonde_tape copy = {0};
    const struct sonde_tape *script = &copy;
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&copy, &s->t->tape);
    struct sonde_runner *runner = create_runner(s, death);
    sonde_runner_run(runner, &script, 1, true);
    free_runner(runner);
    s->worker_began = atomic_load(&s->t->started) - 1; /* the case was the first in its worker */
    sonde_tape_clear(&copy);
}
