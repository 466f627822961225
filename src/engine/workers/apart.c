/* See apart.h. Three processes: the supervisor, the worker of the search, and a worker for each case,
 * which is forked from the second (or spawned) and dies with its case. The middle one does for a case
 * what the supervisor does for a worker: wait, bury, claim. */
#include "engine/workers/apart.h"

#include "base/mem.h"
#include "exec/exec.h"
#include "program/sanitizer.h"

/* What a process is to run. */
struct errand {
    struct sonde_search *search;
    struct sonde_guide *guide;
    const struct sonde_tape *script;
};

/* A process that runs one case knows which one leaks. It runs it twice, for the reason that exec/worker.c gives. */
static void check_for_leak(struct sonde_search *s)
{
    struct sonde_tape again;
    if (!s->leaks.is_each || s->t->verdict != SONDE_VALID) return;
    sonde_tape_init(&again);
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&again, &s->t->tape);
    sonde_exec_inline(s->t, s->property, s->simplest, &again);
    if (s->t->verdict == SONDE_VALID && sonde_leaks_are_there()) sonde_case_leaks(s->t);
    sonde_tape_clear(&again);
}

/* A forked case inherits what worker_setup did. */
static void case_job(void *arg)
{
    const double patience = 1; /* with children that may come back */
    struct errand *e = arg;
    const struct sonde_spawn *spawn = e->search->case_worker->spawn;
    bool is_alone = spawn && !spawn->is_off;
    struct sonde_threads threads;
    /* A spawned process has inherited nothing, so it must set up for itself. */
    if (is_alone) sonde_exec_worker_setup(e->search->property);
    sonde_threads_begin(&threads);
    sonde_search_execute(e->search, e->guide, e->script); /* what was covered is left in shared memory */
    sonde_exec_await_children(e->search->t, patience);
    check_for_leak(e->search);
    if (sonde_threads_ran(&threads)) e->search->has_threads = true;
    if (is_alone) sonde_exec_worker_teardown(e->search->property);
}

static void run_errand(struct sonde_search *s, struct errand *errand)
{
    struct sonde_worker *w = s->case_worker;
    sonde_case_renew(s->t);
    int status = 0;
    /* No process to be had (a limit of the user's, for instance): the case runs here rather than not at
     * all. */
    if (sonde_worker_start(w, w->output, -1, case_job, errand) < 0) {
        sonde_search_execute(s, errand->guide, errand->script);
        return;
    }
    /* The value of the bell is read before the wait, so that a ring in between is not missed (futex). */
    while (!sonde_worker_wait(w, atomic_load(w->death->bell), &status)) continue;
    if (!w->death->asked) sonde_worker_bury(w, s->t, status);
}

/* A hang that had less time than it may take, and is not known, is run again with all of it. */
static void run_errand_in_full(struct sonde_search *s, struct errand *errand)
{
    struct sonde_worker *w = s->case_worker;
    /* The more hangs there were, the less time a case gets; 0 gives this one all of it. */
    unsigned hangs = w->hangs;
    struct sonde_tape script = {0};
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&script, &s->t->tape);
    errand->script = &script;
    errand->guide = s->simplest;
    w->hangs = 0;
    run_errand(s, errand);
    w->hangs = hangs;
    sonde_tape_clear(&script);
}

static void execute_forked(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    struct errand *errand = sonde_malloc(sizeof *errand); /* in shared memory */
    *errand = (struct errand){.search = s, .guide = guide, .script = script};
    run_errand(s, errand);
    if (sonde_search_has_hung(s) && s->case_worker->death->is_cut && !sonde_search_knows_hang(s))
        run_errand_in_full(s, errand);
    if (sonde_search_has_hung(s)) s->case_worker->hangs++;
    sonde_free(errand);
}

void sonde_apart_begin(struct sonde_search *s)
{
    s->case_worker = sonde_calloc(1, sizeof *s->case_worker);
    *s->case_worker = sonde_search_worker(s);
    s->case_worker->death = sonde_calloc(1, sizeof *s->case_worker->death);
    s->case_worker->death->bell = sonde_calloc(1, sizeof *s->case_worker->death->bell);
    s->execute = execute_forked;
}
