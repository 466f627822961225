#define _GNU_SOURCE /* memfd_create */
/* See supervise.h. A search and all it knows live in a heap shared with its worker; when the worker dies, the failure
 * is read off that heap and a new worker goes on where the old one fell. */
#include "engine/supervise.h"

#include "base/descriptor.h"
#include "base/die.h"
#include "base/heap.h"
#include "engine/account.h"
#include "engine/loop.h"
#include "engine/merge.h"
#include "engine/rerun.h"
#include "engine/stop.h"
#include "exec/exec.h"
#include "exec/family.h"
#include "exec/interrupt.h"
#include "exec/sanitizer.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* One search with its own heap and worker. */
struct job {
    struct sonde_heap *heap;
    struct sonde_search *search;
    struct sonde_worker worker;
    bool over;
    bool paused;        /* it has no worker, but will go on */
    unsigned stillborn; /* workers in a row that did not come to a case */
};

/* Not in shared memory. */
static struct {
    struct sonde_search *search;
    struct sonde_heap *heap;
} tended;

struct sonde_search *sonde_supervisor_tended(struct sonde_heap **heap)
{
    *heap = tended.heap;
    return tended.search;
}

size_t sonde_supervisor_room(const struct sonde_options *o)
{
    return (size_t)o->memory * 4 + ((size_t)1 << 30) + (size_t)o->max_choices * 8192;
}

static struct sonde_case_limits limits_of(const struct sonde_options *o)
{
    const double least = 2; /* a machine may be busy */
    double around = o->timeout_wall;
    if (o->seconds > 0 && (around <= 0 || o->seconds < around)) around = o->seconds > least ? o->seconds : least;
    return (struct sonde_case_limits){.around_seconds = around,
                                      .cpu_seconds = o->timeout_cpu,
                                      .wall_seconds = o->timeout_wall,
                                      .memory = o->memory_limit};
}

static struct sonde_worker worker_of(struct sonde_search *s)
{
    return (struct sonde_worker){.t = s->t, .limits = limits_of(s->options), .spawn = s->spawn, .property = &s->own};
}

void sonde_supervisor_init(struct sonde_supervisor *v, struct sonde_search *search)
{
    memset(v, 0, sizeof *v);
    v->search = search;
    tended.search = search;
    tended.heap = sonde_heap_current();
    v->isolated = search->options->isolation != SONDE_ISOLATE_NONE;
    v->capture = -1;
    sonde_runner_init(&v->runner, search->t, search->property, search->simplest);
    if (!v->isolated) return;
    v->death = sonde_calloc(1, sizeof *v->death);
    v->bell = v->death->bell = sonde_calloc(1, sizeof *v->bell);
    v->runner.worker = worker_of(search);
    v->runner.worker.death = v->death;
    v->capture = sonde_descriptor_hide(memfd_create("sonde output", MFD_CLOEXEC), false);
    sonde_death_prepare();
    sonde_bell_on_child(v->bell);
}

void sonde_supervisor_clear(struct sonde_supervisor *v)
{
    if (!v->isolated) return;
    sonde_runner_stop(&v->runner);
    sonde_bell_on_child(NULL);
    sonde_free(v->bell);
    sonde_case_renew(v->search->t); /* what it holds of a worker's own memory is not ours to free */
    if (v->capture >= 0) {
        sonde_descriptor_forget(v->capture);
        close(v->capture);
    }
    sonde_free(v->death);
}

/* ---- Single cases */

/* A process that goes on keeps what earlier cases have lost, so a case leaks if there is more of it each time the case is
 * run: twice in a row, for the reason that exec/worker.c gives. */
static void check_leak_here(struct sonde_supervisor *v, const struct sonde_tape *script)
{
    enum { TIMES = 3, ROW = 2 };
    struct sonde_search *s = v->search;
    bool grows = true;
    for (int time = 0; time < TIMES && grows && s->t->verdict == SONDE_VALID; time++) {
        for (int i = 0; i < ROW; i++, v->runner.n_after++) sonde_exec_inline(s->t, s->property, s->simplest, script);
        bool grew = sonde_leaks_grew();
        if (time > 0) grows = grew; /* the first time, others may have lost it */
    }
    if (grows && s->t->verdict == SONDE_VALID) sonde_case_leaks(s->t);
}

static void run_here(struct sonde_supervisor *v, const struct sonde_tape *const *scripts, uint32_t n)
{
    sonde_runner_run_here(&v->runner, scripts, n);
    v->runner.n_after = 0;
    if (v->checks_leaks) check_leak_here(v, scripts[n - 1]);
}

bool sonde_supervisor_fails(struct sonde_supervisor *v, const struct sonde_tape *const *scripts, uint32_t n, bool fresh,
                            uint64_t identity)
{
    struct sonde_search *s = v->search;
    bool shows = s->t->shows && v->capture >= 0;
    if (!v->isolated) {
        run_here(v, scripts, n);
    } else {
        if (shows && (ftruncate(v->capture, 0) < 0 || lseek(v->capture, 0, SEEK_SET) < 0)) shows = false;
        v->runner.capture = shows ? v->capture : -1;
        v->runner.checks_leaks = v->checks_leaks;
        v->runner.awaits_children = v->awaits_children;
        sonde_runner_run(&v->runner, scripts, n, fresh || shows || v->checks_leaks);
    }
    return s->t->verdict == SONDE_FAILED && (!identity || sonde_claim_brief(&s->t->claim) == identity);
}

struct sonde_tape *sonde_supervisor_ran(struct sonde_supervisor *v, uint32_t before_last)
{
    uint32_t after = before_last ? v->runner.n_after : 0;
    return sonde_case_earlier(v->search->t, before_last + after);
}

void sonde_supervisor_example(struct sonde_supervisor *v, const struct sonde_tape *const *scripts, uint32_t n,
                              const char *regression)
{
    struct sonde_search *s = v->search;
    uint32_t n_before = s->n_found;
    sonde_supervisor_fails(v, scripts, n, n > 1, 0);
    sonde_search_count(s);
    if (regression && s->n_found > n_before) s->found[n_before]->regression = sonde_strdup(regression);
}

char *sonde_supervisor_output(struct sonde_supervisor *v, uint64_t *left_out)
{
    enum { MOST = 64 * 1024 };
    char *text = sonde_malloc(MOST + 1);
    ssize_t got = v->capture >= 0 ? pread(v->capture, text, MOST, 0) : 0;
    off_t end = v->capture >= 0 ? lseek(v->capture, 0, SEEK_END) : 0;
    size_t n = got > 0 ? (size_t)got : 0;
    size_t whole = n;
    while (end > got && whole && text[whole - 1] != '\n') whole--;
    if (whole) n = whole; /* of one endless line, its beginning */
    text[n] = '\0';
    *left_out = end > (off_t)n ? (uint64_t)end - n : 0;
    return text;
}

/* ---- The search */

static void search_job(void *arg)
{
    struct sonde_search *s = arg;
    if (s->case_worker) sonde_bell_on_child(s->case_worker->death->bell);
    sonde_exec_worker_setup(s->property);
    if (s->case_worker) sonde_family_adopt(); /* not what worker_setup has started */
    sonde_search_run(s);
    if (s->case_worker) sonde_family_release();
    sonde_exec_worker_teardown(s->property);
}

/* Each case in a process of its own: the worker is the supervisor of a worker that runs one case. */
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
    if (sonde_worker_start(w, SONDE_OUTPUT_DROP, -1, case_job, errand) < 0) {
        sonde_search_execute(s, errand->guide, errand->script);
        return;
    }
    while (!sonde_worker_wait(w, atomic_load(w->death->bell), &status)) continue;
    if (!w->death->asked) sonde_worker_bury(w, s->t, status);
}

static bool has_hung(const struct sonde_search *s)
{
    return s->t->verdict == SONDE_FAILED && s->t->claim.kind == SONDE_CLAIM_HANG;
}

static bool is_known_hang(const struct sonde_search *s)
{
    for (uint32_t i = 0; i < s->n_found; i++)
        if (s->found[i]->claim.kind == SONDE_CLAIM_HANG && sonde_claim_same(&s->found[i]->claim, &s->t->claim))
            return true;
    return false;
}

/* A hang that had less time than it may take, and is not known, is run again with all of it. */
static void run_errand_in_full(struct sonde_search *s, struct errand *errand)
{
    struct sonde_worker *w = s->case_worker;
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
    if (has_hung(s) && s->case_worker->death->is_cut && !is_known_hang(s)) run_errand_in_full(s, errand);
    if (has_hung(s)) s->case_worker->hangs++;
    sonde_free(errand);
}

static void isolate_cases(struct sonde_search *s)
{
    s->case_worker = sonde_calloc(1, sizeof *s->case_worker);
    *s->case_worker = worker_of(s);
    s->case_worker->death = sonde_calloc(1, sizeof *s->case_worker->death);
    s->case_worker->death->bell = sonde_calloc(1, sizeof *s->case_worker->death->bell);
    s->execute = execute_forked;
}

/* A wish of ours, which the worker looks at between two cases. */
static void ask(atomic_bool *wish, bool value)
{
    atomic_store_explicit(wish, value, memory_order_relaxed);
}

static bool start_job(struct job *job)
{
    struct sonde_search *s = job->search;
    ask(&s->asked.sender, false);
    s->left.is_worn = false;
    s->left.child_of = 0;
    sonde_case_renew(s->t);
    int status = sonde_worker_start(&job->worker, SONDE_OUTPUT_DROP, -1, search_job, s);
    if (status == 0) return true;
    sonde_warn("no worker process could be started (%s); the property runs without isolation", strerror(-status));
    search_job(s);
    job->over = true;
    return false;
}

/* Runs a case again in a fresh worker; what it shows is in the case. */
static void run_again(struct sonde_supervisor *v, struct sonde_search *s, const struct sonde_tape *script)
{
    struct sonde_runner *runner = sonde_calloc(1, sizeof *runner); /* the worker must see it */
    runner->worker = worker_of(s);
    runner->worker.death = v->death;
    sonde_runner_init(runner, s->t, s->property, s->simplest);
    sonde_runner_run(runner, &script, 1, true);
    sonde_runner_stop(runner);
    sonde_free(runner);
}

/* After a hang. One that had less time than it may take, and is not known, is run again with all of it. */
static void judge_hang(struct sonde_supervisor *v, struct job *job)
{
    struct sonde_search *s = job->search;
    bool is_cut = job->worker.death->is_cut;
    if (is_cut && !is_known_hang(s)) {
        struct sonde_tape script = {0};
        sonde_tape_end(&s->t->tape);
        sonde_tape_copy(&script, &s->t->tape);
        run_again(v, s, &script);
        s->worker_began = atomic_load(&s->t->started) - 1; /* that one had no others before it */
        sonde_tape_clear(&script);
    }
    if (has_hung(s)) job->worker.hangs++;
}

/* A worker has ended before its search had. One that was killed before it came to a case is just replaced. */
static void bury(struct sonde_supervisor *v, struct job *job, int status)
{
    enum { PATIENCE = 10 };
    struct sonde_search *s = job->search;
    bool torn = s->t->owner == NULL;
    if (sonde_interrupted() && sonde_death_was_asked_for(job->worker.death)) { /* as was the run: `pkill NAME` */
        s->is_torn |= torn;
        return;
    }
    bool began = sonde_worker_bury(&job->worker, s->t, status);
    if (job->worker.death->kind == SONDE_DEATH_OVERWRITTEN) s->worker_began = atomic_load(&s->t->started) - 1;
    job->stillborn = began ? 0 : job->stillborn + 1;
    if (!began && job->worker.death->kind == SONDE_DEATH_KILLED && job->stillborn < PATIENCE) return;
    if (began && !torn && job->worker.death->kind == SONDE_DEATH_HANG) judge_hang(v, job);
    sonde_search_death(s, began && torn);
}

/* A worker has ended after its search had, but not well: worker_teardown is to blame, unless it was killed. */
static void bury_late(struct job *job, int status)
{
    struct sonde_claim claim;
    sonde_death_settle(job->worker.death, status);
    if (job->worker.death->kind == SONDE_DEATH_KILLED || job->search->misuse[0]) return;
    sonde_death_claim(job->worker.death, &claim);
    snprintf(job->search->misuse, sizeof job->search->misuse, "worker_teardown failed: %.900s", claim.message);
}

static bool leaks(const struct sonde_runner *runner)
{
    return runner->t->verdict == SONDE_FAILED && runner->t->claim.kind == SONDE_CLAIM_LEAK;
}

static bool has_sent(const struct sonde_runner *runner)
{
    return runner->t->verdict == SONDE_FAILED && runner->worker.death->to_parent;
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

static bool has_forked(const struct sonde_runner *runner)
{
    return runner->t->verdict == SONDE_FAILED && runner->t->claim.kind == SONDE_CLAIM_FORK;
}

/* Runs the last cases again, or those from `back` ago, each in a fresh worker, until one shows what one of them did. */
static bool run_last_again(struct sonde_supervisor *v, struct job *job, uint32_t back,
                           bool (*shows)(const struct sonde_runner *))
{
    uint32_t n;
    struct sonde_search *s = job->search;
    struct sonde_tape *suspects = last_tapes(s, back, &n);
    struct sonde_runner runner = {.worker = worker_of(s)};
    runner.worker.death = v->death;
    struct sonde_runner *shared = sonde_malloc(sizeof *shared); /* the worker must see it */
    *shared = runner;
    sonde_runner_init(shared, s->t, s->property, s->simplest);
    shared->checks_leaks = shows == leaks;
    shared->awaits_children = shows == has_forked;
    bool found = false;
    for (uint32_t i = 0; i < n && !found; i++) {
        const struct sonde_tape *script = &suspects[i];
        sonde_runner_run(shared, &script, 1, true);
        found = shows(shared);
    }
    sonde_runner_stop(shared);
    sonde_free(shared);
    free_tapes(suspects, n);
    return found;
}

/* The worker has stopped because some case leaks. */
static void find_leak(struct sonde_supervisor *v, struct job *job)
{
    struct sonde_search *s = job->search;
    bool found = run_last_again(v, job, 0, leaks);
    s->left.leak_suspected = false;
    sonde_leak_watch_answer(&s->leaks, found);
    if (found) sonde_search_death(s, false);
}

/* A case of the worker, which has stopped for that, has sent a signal to this process. Until it was heard here, other
 * cases may have come: where none of the last does it again, the failure stands without its input, and is flaky. */
static void find_sender(struct sonde_supervisor *v, struct job *job)
{
    struct sonde_search *s = job->search;
    int signal = job->worker.sent;
    if (!run_last_again(v, job, 0, has_sent)) {
        s->t->verdict = SONDE_VALID; /* whatever the last of them showed is found elsewhere */
        sonde_death_blame_sender(v->death, signal, s->t);
    }
    sonde_search_death(s, false);
}

/* A child of a case came back after its end, and the worker has stopped for that. Where the tape is no longer known, or
 * does not lead to that again, the failure stands without its input, and is flaky. */
static void find_forker(struct sonde_supervisor *v, struct job *job)
{
    struct sonde_search *s = job->search;
    unsigned long long back = atomic_load(&s->t->started) - s->left.child_of;
    uint32_t from = back < SONDE_CASE_RING ? (uint32_t)back : SONDE_CASE_RING;
    if (!run_last_again(v, job, from, has_forked)) {
        *v->death = (struct sonde_death){.kind = SONDE_DEATH_FORK, .bell = v->death->bell};
        s->t->verdict = SONDE_FAILED;
        sonde_death_claim(v->death, &s->t->claim);
    }
    sonde_search_death(s, false);
}

/* ---- Failures that are dealt with as they come. Single cases run in the memory of the first search, so its worker must
 * have left the loop; the others go on. */

static struct sonde_found *next_unsettled(const struct job *job)
{
    struct sonde_search *s = job->search;
    uint32_t n = atomic_load_explicit(&s->n_found, memory_order_acquire);
    for (uint32_t i = 0; i < n; i++)
        if (s->found[i]->told && !s->found[i]->settled) return s->found[i];
    return NULL;
}

static bool has_unsettled(const struct job *jobs, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (next_unsettled(&jobs[i])) return true;
    return false;
}

static void settle_failures(struct sonde_supervisor *v, const struct job *jobs, unsigned n)
{
    struct sonde_found *found;
    sonde_heap_use(jobs[0].heap);
    for (unsigned i = 0; i < n; i++) {
        while (!sonde_interrupted() && (found = next_unsettled(&jobs[i])) != NULL) {
            found->settled = true;
            v->settle(v, jobs[i].search, found, v->user);
        }
    }
    sonde_runner_stop(&v->runner);
}

/* The worker has left the loop because it was asked to. */
static bool has_paused(const struct job *job)
{
    return atomic_load_explicit(&job->search->asked.pause, memory_order_relaxed) && job->worker.death->asked
           && !job->search->left.leak_suspected && !job->search->left.finished;
}

/* True if the worker had ended. */
static bool tend(struct sonde_supervisor *v, struct job *job)
{
    int status;
    tended.search = job->search;
    tended.heap = job->heap;
    if (!sonde_worker_poll(&job->worker, &status)) {
        if (sonde_interrupt_sent(job->worker.pid)) ask(&job->search->asked.sender, true);
        return false;
    }
    sonde_heap_use(job->heap);
    if (job->worker.sent && job->worker.death->asked) find_sender(v, job);
    else if (job->search->left.child_of && job->worker.death->asked) find_forker(v, job);
    else if (has_paused(job)) job->paused = true;
    else if (job->search->left.leak_suspected) find_leak(v, job);
    else if (job->search->left.is_worn && job->worker.death->asked) job->stillborn = 0;
    else if (!job->search->left.finished || job->worker.death->kind == SONDE_DEATH_OWN) bury(v, job, status);
    else if (!job->worker.death->asked) bury_late(job, status);
    job->over = job->search->left.finished || sonde_search_is_over(job->search);
    if (!job->over && !job->paused) start_job(job);
    return true;
}

/* Has the first search pause when there is something to do, and go on when it is done. */
static void deal_with_failures(struct sonde_supervisor *v, struct job *jobs, unsigned n)
{
    struct job *first = &jobs[0];
    if (!v->settle) return;
    if (!first->paused && !first->over) {
        bool is_ending = sonde_interrupted()
                         || atomic_load_explicit(&first->search->asked.stop,
                                                 memory_order_relaxed); /* then the rest is left for the end */
        ask(&first->search->asked.pause, !is_ending && has_unsettled(jobs, n));
        return;
    }
    if (has_unsettled(jobs, n)) settle_failures(v, jobs, n);
    ask(&first->search->asked.pause, false);
    first->search->news_at = sonde_clock_now();
    if (first->over) return;
    first->paused = false;
    sonde_heap_use(first->heap);
    start_job(first);
}

/* Failures that are new since the last look. Only what a worker has finished writing counts. */
static void look_for_failures(struct sonde_supervisor *v, struct job *job)
{
    struct sonde_search *s = job->search;
    uint32_t n = atomic_load_explicit(&s->n_found, memory_order_acquire);
    struct sonde_heap *heap = sonde_heap_use(NULL); /* the worker's own: it is at work there */
    for (uint32_t i = 0; i < n && v->found; i++)
        if (!s->found[i]->told) v->found(v, s, s->found[i], v->user);
    sonde_heap_use(heap);
}

/* Now and then, what is worth keeping: asked for here, written down by the worker between two cases. */
static void look_for_snapshot(struct sonde_supervisor *v, struct job *job, bool ask)
{
    struct sonde_snapshot *snapshot = &job->search->snapshot;
    if (!v->keep || job->search->is_torn) return;
    if (sonde_snapshot_is_ready(snapshot)) {
        struct sonde_heap *heap = sonde_heap_use(NULL);
        v->keep(v, job->search, false, v->user);
        sonde_heap_use(heap);
        sonde_snapshot_turn(snapshot, SONDE_SNAPSHOT_NONE);
    } else if (ask) {
        sonde_snapshot_turn(snapshot, SONDE_SNAPSHOT_ASKED);
    }
}

static bool all_over(const struct job *jobs, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!jobs[i].over) return false;
    return true;
}

static void stop_all(const struct job *jobs, unsigned n, enum sonde_stop why)
{
    for (unsigned i = 0; i < n; i++)
        if (!atomic_load_explicit(&jobs[i].search->asked.stop, memory_order_relaxed))
            atomic_store_explicit(&jobs[i].search->asked.stop, 1 + (int)why, memory_order_relaxed);
}

/* Bounds are each search's own; what was found, or found out, is everybody's. */
static void stop_others(const struct job *jobs, unsigned n, enum sonde_stop why)
{
    if (why == SONDE_STOP_FOUND || why == SONDE_STOP_ERROR || why == SONDE_STOP_EXHAUSTED) stop_all(jobs, n, why);
}

static bool all_flat(const struct job *jobs, unsigned n)
{
    double now = sonde_clock_now();
    for (unsigned i = 0; i < n; i++)
        if (!sonde_stop_is_flat(jobs[i].search, now)) return false;
    return true;
}

/* Ctrl-C: the cases that run may end, but not hang. */
static void wind_up(struct job *jobs, unsigned n, double *since)
{
    const double grace = 0.5;
    if (*since == 0) *since = sonde_clock_now();
    stop_all(jobs, n, SONDE_STOP_INTERRUPTED);
    for (unsigned i = 0; i < n && sonde_clock_now() - *since > grace; i++) {
        if (jobs[i].over) continue;
        sonde_worker_stop(&jobs[i].worker);
        jobs[i].paused = false;
        if (!jobs[i].search->t->owner) jobs[i].search->is_torn = true; /* it was at work on what is to be kept */
        jobs[i].search->stopped = SONDE_STOP_INTERRUPTED;
        jobs[i].over = true;
    }
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* What the guides' parts got: of the first search, which stands for all. */
enum { SHARES_MAX = 16 };

static void tell_progress(struct sonde_supervisor *v, const struct job *jobs, unsigned n)
{
    struct sonde_stats sum = {0};
    struct sonde_outlook outlook = {.next_is_new = -1, .quiet_seconds = INFINITY};
    struct sonde_share shares[SHARES_MAX];
    double now = sonde_clock_now();
    if (!v->progress) return;
    for (unsigned i = 0; i < n; i++) {
        const struct sonde_search *s = jobs[i].search;
        sum.tests += s->stats.tests;
        sum.valid += s->stats.valid;
        sum.discarded += s->stats.discarded;
        sum.overruns += s->stats.overruns;
        sum.choices += s->stats.choices;
        sum.unique_valid += sonde_unique_about(&s->judge.unique);
        outlook.places = larger(outlook.places, s->judge.novelty.n_places);
        outlook.valid_places = larger(outlook.valid_places, s->judge.novelty.n_valid_places);
        outlook.corpus += s->harvest.n;
        if (now - s->news_at < outlook.quiet_seconds) outlook.quiet_seconds = now - s->news_at;
    }
    const struct sonde_search *first = v->search;
    const struct sonde_guide_ops *ops = first->guide->ops;
    outlook.guide = ops->name;
    outlook.next_is_new = sonde_species_chance_of_new(&first->judge.traces);
    outlook.shares = shares;
    if (ops->shares) outlook.n_shares = ops->shares(first->guide, shares, SHARES_MAX);
    sum.seconds = now - first->started;
    v->progress(v, &sum, &outlook, v->user);
}

/* A further search, in a heap of its own. Its options are those of the first. */
static bool add_job(struct job *job, const struct sonde_search *first, unsigned number)
{
    size_t room = sonde_supervisor_room(first->options);
    job->heap = first->spawn ? sonde_spawn_heap(first->spawn, room) : sonde_heap_create(room);
    if (!job->heap) return false;
    sonde_heap_use(job->heap);
    job->search = sonde_malloc(sizeof *job->search);
    const sonde_property *property = first->spawn ? sonde_spawn_property(first->spawn) : first->property;
    sonde_search_init(job->search, property, first->options, number);
    if (first->legacy) sonde_search_inherit(job->search, first->legacy);
    job->search->spawn = first->spawn;
    return true;
}

/* How often a long search is written down: a kill costs no more than that. */
static const double keep_seconds = 5;

static void watch_over(struct sonde_supervisor *v, struct job *jobs, unsigned n)
{
    double told = sonde_clock_now(), interrupted = 0, asked = told;
    for (unsigned i = 0; i < n; i++) {
        sonde_heap_use(jobs[i].heap);
        jobs[i].worker = worker_of(jobs[i].search);
        jobs[i].worker.death = sonde_calloc(1, sizeof *jobs[i].worker.death);
        jobs[i].worker.death->bell = v->bell;
        if (v->search->options->isolation == SONDE_ISOLATE_CASE) {
            isolate_cases(jobs[i].search);
            double around = jobs[i].worker.limits.around_seconds;
            jobs[i].worker.limits = (struct sonde_case_limits){.around_seconds = around}; /* it watches cases itself */
        }
        start_job(&jobs[i]);
    }
    while (!all_over(jobs, n)) {
        unsigned seen = atomic_load(v->bell);
        bool ended = false;
        bool ask = sonde_clock_now() - asked > keep_seconds;
        if (sonde_interrupted()) wind_up(jobs, n, &interrupted);
        else if (all_flat(jobs, n)) stop_all(jobs, n, SONDE_STOP_FLAT);
        for (unsigned i = 0; i < n; i++) {
            if (jobs[i].over || jobs[i].paused) continue;
            ended |= tend(v, &jobs[i]);
            look_for_failures(v, &jobs[i]);
            look_for_snapshot(v, &jobs[i], ask);
            if (jobs[i].over) stop_others(jobs, n, jobs[i].search->stopped);
        }
        if (ask) asked = sonde_clock_now();
        deal_with_failures(v, jobs, n);
        if (!ended) sonde_bell_wait(v->bell, seen, 0.02);
        if (sonde_clock_now() - told < 0.1) continue;
        told = sonde_clock_now();
        tell_progress(v, jobs, n);
    }
}

static void connect_jobs(const struct job *jobs, unsigned n)
{
    struct sonde_sharing *all[SONDE_JOBS_MAX];
    for (unsigned i = 0; i < n; i++) all[i] = &jobs[i].search->sharing;
    for (unsigned i = 0; i < n; i++) {
        sonde_heap_use(jobs[i].heap);
        sonde_sharing_connect(&jobs[i].search->sharing, all, n);
    }
}

/* Before every input is claimed to hold, in a worker that has run none of them. */
static void rerun_all(struct sonde_supervisor *v)
{
    struct sonde_search *s = v->search;
    struct job job = {.heap = sonde_heap_current(), .search = s};
    if (!sonde_rerun_is_needed(s)) return;
    sonde_rerun_begin(s);
    if (v->isolated) watch_over(v, &job, 1);
    else sonde_search_run(s);
}

/* Without isolation: the search has stopped because some case leaks. */
static void find_leak_here(struct sonde_supervisor *v)
{
    uint32_t n;
    bool found = false;
    struct sonde_search *s = v->search;
    struct sonde_tape *suspects = last_tapes(s, 0, &n);
    v->checks_leaks = true;
    for (uint32_t i = 0; i < n && !found; i++) {
        const struct sonde_tape *script = &suspects[i];
        found = sonde_supervisor_fails(v, &script, 1, false, 0) && s->t->claim.kind == SONDE_CLAIM_LEAK;
    }
    v->checks_leaks = s->left.leak_suspected = false;
    free_tapes(suspects, n);
    sonde_leak_watch_answer(&s->leaks, found);
    if (found) sonde_search_count(s);
}

void sonde_supervisor_search(struct sonde_supervisor *v)
{
    struct sonde_search *first = v->search;
    if (!v->isolated) {
        for (sonde_search_run(first); first->left.leak_suspected; sonde_search_run(first)) find_leak_here(v);
        if (v->keep) v->keep(v, first, true, v->user);
        rerun_all(v);
        return;
    }
    struct job jobs[SONDE_JOBS_MAX] = {{.heap = sonde_heap_current(), .search = first}};
    unsigned wanted = sonde_search_jobs(first->options), n = 1;
    while (n < wanted && n < SONDE_JOBS_MAX && add_job(&jobs[n], first, n)) n++;
    connect_jobs(jobs, n);
    watch_over(v, jobs, n);
    sonde_heap_use(jobs[0].heap);
    for (unsigned i = 0; i < n && v->keep; i++) {
        sonde_heap_use(jobs[i].heap);
        v->keep(v, jobs[i].search, true, v->user);
    }
    sonde_heap_use(jobs[0].heap);
    tended.search = first;
    tended.heap = jobs[0].heap;
    for (unsigned i = 1; i < n; i++) {
        sonde_search_merge(first, jobs[i].search);
        sonde_heap_destroy(jobs[i].heap);
    }
    if (first->spawn) first->spawn->n_heaps = 1;
    rerun_all(v);
}
