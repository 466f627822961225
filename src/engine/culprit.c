/* See culprit.h. */
#include "engine/culprit.h"

#include "base/mem.h"
#include "engine/account.h"
#include "engine/loop.h"

static bool leaks(const struct sonde_runner *runner)
{
    return runner->t->verdict == SONDE_FAILED && runner->t->claim.kind == SONDE_CLAIM_LEAK;
}

static bool has_sent(const struct sonde_runner *runner)
{
    return runner->t->verdict == SONDE_FAILED && runner->worker.death->to_parent;
}

static bool has_forked(const struct sonde_runner *runner)
{
    return runner->t->verdict == SONDE_FAILED && runner->t->claim.kind == SONDE_CLAIM_FORK;
}

/* Copies of the last tapes, or those from `back` ago, the latest first. */
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

/* A runner in shared memory: the worker must see it. */
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
    sonde_runner_stop(runner);
    sonde_free(runner);
}

/* Runs the last cases again, or those from `back` ago, each in a fresh worker, until one shows what one of them did. */
static bool run_last_again(struct sonde_search *s, struct sonde_death *death, uint32_t back,
                           bool (*shows)(const struct sonde_runner *))
{
    uint32_t n;
    struct sonde_tape *suspects = last_tapes(s, back, &n);
    struct sonde_runner *runner = create_runner(s, death);
    runner->checks_leaks = shows == leaks;
    runner->awaits_children = shows == has_forked;
    bool found = false;
    for (uint32_t i = 0; i < n && !found; i++) {
        const struct sonde_tape *script = &suspects[i];
        sonde_runner_run(runner, &script, 1, true);
        found = shows(runner);
    }
    free_runner(runner);
    free_tapes(suspects, n);
    return found;
}

void sonde_culprit_leaks(struct sonde_search *s, struct sonde_death *death)
{
    bool found = run_last_again(s, death, 0, leaks);
    s->left.leak_suspected = false;
    sonde_leak_watch_answer(&s->leaks, found);
    if (found) sonde_search_death(s, false);
}

void sonde_culprit_leaks_here(struct sonde_single *v)
{
    uint32_t n;
    bool found = false;
    struct sonde_search *s = v->search;
    struct sonde_tape *suspects = last_tapes(s, 0, &n);
    v->checks_leaks = true;
    for (uint32_t i = 0; i < n && !found; i++) {
        const struct sonde_tape *script = &suspects[i];
        found = sonde_single_fails(v, &script, 1, false, 0) && s->t->claim.kind == SONDE_CLAIM_LEAK;
    }
    v->checks_leaks = s->left.leak_suspected = false;
    free_tapes(suspects, n);
    sonde_leak_watch_answer(&s->leaks, found);
    if (found) sonde_search_count(s);
}

void sonde_culprit_sent(struct sonde_search *s, struct sonde_death *death, int signal)
{
    if (!run_last_again(s, death, 0, has_sent)) {
        s->t->verdict = SONDE_VALID; /* whatever the last of them showed is found elsewhere */
        sonde_death_blame_sender(death, signal, s->t);
    }
    sonde_search_death(s, false);
}

void sonde_culprit_forked(struct sonde_search *s, struct sonde_death *death)
{
    unsigned long long back = atomic_load(&s->t->started) - s->left.child_of;
    uint32_t from = back < SONDE_CASE_RING ? (uint32_t)back : SONDE_CASE_RING;
    if (!run_last_again(s, death, from, has_forked)) {
        *death = (struct sonde_death){.kind = SONDE_DEATH_FORK, .bell = death->bell};
        s->t->verdict = SONDE_FAILED;
        sonde_death_claim(death, &s->t->claim);
    }
    sonde_search_death(s, false);
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
    s->worker_began = atomic_load(&s->t->started) - 1; /* that one had no others before it */
    sonde_tape_clear(&copy);
}
