/* See job.h. Runs in the supervisor, except search_job and case_job, which worker processes run. */
#include "engine/workers/job.h"

#include "base/die.h"
#include "base/heap.h"
#include "base/mem.h"
#include "base/process.h"
#include "engine/search/loop.h"
#include "engine/workers/culprit.h"
#include "exec/exec.h"
#include "exec/family.h"
#include "exec/fault.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"

#include <string.h>

/* ---- Isolation of each case: the worker of the search supervises a second worker, which runs one case.
 *
 *     supervisor  --starts-->  worker of the search  --starts-->  a worker for each case
 *                              guides, corpus, counts             the property, then its end
 *
 * The worker of a case is forked from the worker of the search (or spawned) and ends with its case. The worker of the
 * search treats it as the supervisor treats a worker: wait for it, and turn its death into a failure. The case is in
 * memory shared by all three. The guide is asked in the process of the case. The worker of the search sees its choices
 * because the guide is in shared memory, too. */

/* The task of a process. */
struct task {
    struct sonde_search *search;
    struct sonde_guide *guide;
    const struct sonde_tape *script;
};

/* Fails the case of this process if it leaks. The case runs twice, for the reason given in exec/runner.c. */
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

/* Runs one case, in its own process. A forked case inherits what worker_setup did. */
static void case_job(void *arg)
{
    const double patience = 1; /* seconds to wait for children that may return */
    struct task *e = arg;
    const struct sonde_spawn *spawn = e->search->case_worker->spawn;
    bool is_alone = spawn && !spawn->is_off;
    struct sonde_threads threads;
    /* A spawned process has inherited nothing, so it must set up for itself. */
    if (is_alone) sonde_exec_worker_setup(e->search->property);
    sonde_threads_begin(&threads);
    /* the coverage stays in shared memory, where the worker of the search reads it */
    sonde_search_execute(e->search, e->guide, e->script);
    sonde_exec_await_children(e->search->t, patience);
    check_for_leak(e->search);
    if (sonde_threads_ran(&threads)) e->search->has_threads = true;
    if (is_alone) sonde_exec_worker_teardown(e->search->property);
}

static void run_task(struct sonde_search *s, struct task *task)
{
    struct sonde_worker *w = s->case_worker;
    sonde_case_renew(s->t);
    int status = 0;
    /* No process can be started (a limit of the user's, for instance): the case runs here rather than not at all. */
    if (sonde_worker_start(w, w->output, -1, case_job, task) < 0) {
        sonde_search_execute(s, task->guide, task->script);
        return;
    }
    /* The bell is read before the wait, so that a ring in between is not missed (futex). */
    while (!sonde_worker_wait(w, atomic_load(w->death->bell), &status)) continue;
    if (!w->death->finished) sonde_worker_on_death(w, s->t, status);
}

/* If an unknown hang had less time than a case may take, runs it again with the full time. */
static void run_task_in_full(struct sonde_search *s, struct task *task)
{
    struct sonde_worker *w = s->case_worker;
    /* A case gets less time the more hangs there were. With 0 hangs, this case gets all of its time. */
    unsigned hangs = w->hangs;
    struct sonde_tape script = {0};
    sonde_tape_end(&s->t->tape);
    sonde_tape_copy(&script, &s->t->tape);
    task->script = &script;
    task->guide = s->simplest;
    w->hangs = 0;
    run_task(s, task);
    w->hangs = hangs;
    sonde_tape_clear(&script);
}

static void execute_forked(struct sonde_search *s, struct sonde_guide *guide, const struct sonde_tape *script)
{
    struct task *task = sonde_malloc(sizeof *task); /* in shared memory */
    *task = (struct task){.search = s, .guide = guide, .script = script};
    run_task(s, task);
    if (sonde_search_has_hung(s) && s->case_worker->death->is_cut && !sonde_search_knows_hang(s))
        run_task_in_full(s, task);
    if (sonde_search_has_hung(s)) s->case_worker->hangs++;
    sonde_free(task);
}

/* Makes the search run each case in a separate process. Called in the heap of the search, before its worker starts. */
static void run_cases_apart(struct sonde_search *s)
{
    s->case_worker = sonde_calloc(1, sizeof *s->case_worker);
    *s->case_worker = sonde_search_worker(s);
    s->case_worker->death = sonde_calloc(1, sizeof *s->case_worker->death);
    s->case_worker->death->bell = sonde_calloc(1, sizeof *s->case_worker->death->bell);
    s->execute = execute_forked;
}

/* ---- Starting */

/* Runs in the worker. Adopts children only if each case has its own process: those processes must be waited for
 * here. */
static void search_job(void *arg)
{
    struct sonde_search *s = arg;
    if (s->case_worker) sonde_bell_on_child(s->case_worker->death->bell);
    sonde_exec_worker_setup(s->property);
    if (s->case_worker) sonde_family_adopt(); /* called after worker_setup, whose children are not adopted */
    sonde_search_run(s);
    if (s->case_worker) sonde_family_release();
    sonde_exec_worker_teardown(s->property);
}

void sonde_job_prepare(struct sonde_job *job, atomic_uint *bell)
{
    struct sonde_search *s = job->search;
    job->worker = sonde_search_worker(s);
    job->worker.death = sonde_calloc(1, sizeof *job->worker.death);
    job->worker.death->bell = bell;
    if (s->options->isolation != SONDE_ISOLATE_CASE) return;
    run_cases_apart(s);
    double around = job->worker.limits.around_seconds;
    /* no limits for cases: the worker of the search watches these itself */
    job->worker.limits = (struct sonde_case_limits){.around_seconds = around};
}

/* Runs the search in this process, where a crash ends the run. That is better than no run. Last words report such an
 * end with its input, and limit the time of a case. */
static void search_here(struct sonde_search *s)
{
    struct sonde_worker missing = sonde_search_worker(s); /* job->worker may lack the limits of a case */
    struct sonde_last_words words;
    sonde_last_words_arm(&words, &missing);
    search_job(s);
    sonde_last_words_disarm(&words);
}

void sonde_job_start(struct sonde_job *job)
{
    struct sonde_search *s = job->search;
    sonde_assert(sonde_heap_current() == sonde_heap_of(s) && !job->over && !job->paused && !job->worker.pid);
    atomic_store_explicit(&s->asked.sender, false, memory_order_relaxed);
    s->left.is_silent = false;
    s->left.child_of = 0;
    sonde_case_renew(s->t);
    /* Output of the code under test is dropped during a search, unless the user asked for it. A failure runs again to
     * show its output. */
    int status = sonde_worker_start(&job->worker, job->worker.output, -1, search_job, s);
    if (status == 0) return;
    sonde_warn("no worker process could be started (%s); the property runs without isolation", strerror(-status));
    search_here(s);
    job->over = true;
}

void sonde_job_stop(struct sonde_job *job)
{
    sonde_worker_stop(&job->worker);
    job->paused = false;
    job->over = true;
}

/* ---- Why a worker has ended */

/* Handles a hang. If it is unknown and had less time than a case may take, it runs again with the full time. */
static void judge_hang(struct sonde_job *job, struct sonde_death *death)
{
    struct sonde_search *s = job->search;
    if (job->worker.death->is_cut && !sonde_search_knows_hang(s)) sonde_culprit_run_again(s, death);
    if (sonde_search_has_hung(s)) job->worker.hangs++;
}

/* Handles a worker that ended before its search did. A worker that was killed before its first case is just
 * replaced. */
static void handle_death(struct sonde_job *job, struct sonde_death *death, int status)
{
    enum { PATIENCE = 10 }; /* workers in a row that may be killed before their first case */
    struct sonde_search *s = job->search;
    /* Without an owner no case was running, so the worker died in sonde's own code. */
    bool torn = s->t->owner == NULL;
    /* The signal that ended the worker also asked this process to end, as `pkill NAME` does. */
    if (sonde_interrupted() && sonde_death_was_asked_for(job->worker.death)) {
        s->is_torn |= torn;
        return;
    }
    bool began = sonde_worker_on_death(&job->worker, s->t, status);
    if (job->worker.death->kind == SONDE_DEATH_OVERWRITTEN) s->worker_began = atomic_load(&s->t->started) - 1;
    job->failed_starts = began ? 0 : job->failed_starts + 1;
    if (!began && job->worker.death->kind == SONDE_DEATH_KILLED && job->failed_starts < PATIENCE) return;
    if (began && !torn && job->worker.death->kind == SONDE_DEATH_HANG) judge_hang(job, death);
    sonde_search_death(s, began && torn);
}

/* Handles a worker that failed after its search had ended: worker_teardown is to blame, unless the worker was
 * killed. */
static void handle_late_death(struct sonde_job *job, int status)
{
    struct sonde_claim claim;
    sonde_death_decide(job->worker.death, status);
    if (job->worker.death->kind == SONDE_DEATH_KILLED || job->search->misuse[0]) return;
    sonde_death_claim(job->worker.death, &claim);
    snprintf(job->search->misuse, sizeof job->search->misuse, "worker_teardown failed: %.900s", claim.message);
}

/* Returns whether the worker left the loop because it was asked to pause. Only a worker that ended in good order has
 * paused; the death of any other is handled first. */
static bool has_paused(const struct sonde_job *job)
{
    return atomic_load_explicit(&job->search->asked.pause, memory_order_relaxed) && job->worker.death->finished
           && !job->search->left.leak_suspected && !job->search->left.finished;
}

/* Decides why the worker ended, in an order in which each reason hides the later ones. The reason to stop is known
 * only if the worker ended normally. */
static void handle_end(struct sonde_job *job, struct sonde_death *single, int status)
{
    struct sonde_search *s = job->search;
    const struct sonde_death *death = job->worker.death;
    job->paused = false;
    if (job->worker.sent && death->finished) sonde_culprit_sent(s, single, job->worker.sent);
    else if (s->left.child_of && death->finished) sonde_culprit_forked(s, single);
    else if (has_paused(job)) job->paused = true;
    else if (s->left.leak_suspected) sonde_culprit_leaks(s, single);
    else if (s->left.is_silent && death->finished) job->failed_starts = 0;
    else if (!s->left.finished || death->kind == SONDE_DEATH_OWN) handle_death(job, single, status);
    else if (!death->finished) handle_late_death(job, status);
}

void sonde_job_ended(struct sonde_job *job, struct sonde_death *single, int status)
{
    struct sonde_search *s = job->search;
    sonde_assert(sonde_heap_current() == sonde_heap_of(s) && !job->worker.pid);
    /* The heap is checked only after an orderly end. The code under test of a worker that died may have left the heap
     * half written, and the check would blame sonde. */
    if (job->worker.death->finished) sonde_heap_check(sonde_heap_of(s));
    handle_end(job, single, status);
    job->over = s->left.finished || sonde_search_is_over(s);
    job->paused &= !job->over;
    if (!job->over && !job->paused) sonde_job_start(job);
}
