/* The runner of worker.h: a worker that runs cases on demand and waits in between. So shrinking does not start a
 * process for each case. */
#include "base/heap.h"
#include "base/process.h"
#include "case/case.h"
#include "exec/exec.h"
#include "exec/fault.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"
#include "exec/death.h"
#include "exec/state.h"
#include "exec/worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void sonde_runner_init(struct sonde_runner *r, sonde *t, const sonde_property *property, struct sonde_guide *guide)
{
    struct sonde_worker worker = r->worker;
    *r = (struct sonde_runner){.worker = worker, .t = t, .property = property, .guide = guide, .capture = -1};
    r->worker.t = t;
    r->worker.pid = 0;
}

/* Fails the case if it leaks. A pointer to the leaked block may still be on the dead stack or in a register, and
 * look live to the sanitizer. So the case is run again, which leaks again and overwrites the traces of the first. */
static void check_for_leak(struct sonde_runner *r)
{
    if (r->t->verdict != SONDE_VALID) return;
    sonde_assert(r->n_ran > 0 && r->n_ran <= r->n_scripts);
    r->n_after = 1;
    sonde_exec_inline(r->t, r->property, r->guide, &r->scripts[r->n_ran - 1]);
    if (r->t->verdict == SONDE_VALID && sonde_leaks_are_there()) sonde_case_leaks(r->t);
}

/* Waits as long as a case may take. The case has ended, so its limits no longer run. */
void sonde_runner_await_children(struct sonde_runner *r)
{
    const double otherwise = 10; /* seconds, if a case has no limit */
    double limit = r->worker.limits.wall_seconds;
    sonde_exec_await_children(r->t, limit > 0 ? limit : otherwise);
}

static bool runs_next(const struct sonde_runner *r)
{
    bool has_failed = r->t->verdict == SONDE_FAILED || r->t->verdict == SONDE_MISUSE;
    return !(r->stops_at_failure && has_failed);
}

/* Runs a script, and records its last comparisons if wanted. Returns whether to run the next one. */
static bool run_script(struct sonde_runner *r, const struct sonde_tape *script)
{
    r->n_hints = 0;
    r->n_ran++;
    if (r->state && r->n_ran == r->n_scripts) sonde_state_restore(r->state);
    if (!r->coverage) {
        sonde_exec_inline(r->t, r->property, r->guide, script);
        return runs_next(r);
    }
    sonde_coverage_reset(r->coverage);
    sonde_coverage_begin(r->coverage, true);
    sonde_exec_inline(r->t, r->property, r->guide, script);
    const struct sonde_coverage_view *seen = sonde_coverage_end(r->coverage);
    size_t n = seen ? seen->n_hints : 0, skipped = n > SONDE_RUNNER_HINTS ? n - SONDE_RUNNER_HINTS : 0;
    if (n) memcpy(r->hints, seen->hints + skipped, (n - skipped) * sizeof *r->hints);
    r->n_hints = (uint32_t)(n - skipped);
    return runs_next(r);
}

/* Serves orders, in the worker. While wanted == done, the memory belongs to the supervisor, which fills in the scripts
 * and then raises `wanted`. From then on the memory belongs to the worker, until the worker sets `done` to the same
 * number. Release and acquire on these two numbers order all other accesses. */
static void serve(void *arg)
{
    const double soon = 0.02; /* in seconds; the next order usually comes sooner */
    double idle_seconds = soon;
    struct sonde_runner *r = arg;
    sonde_exec_worker_setup(r->property);
    if (r->state) sonde_state_keep();
    for (;;) {
        unsigned seen = atomic_load(r->worker.death->bell);
        int wanted = atomic_load_explicit(&r->wanted, memory_order_acquire);
        /* Relaxed is enough for `done`, because only this process writes it. */
        if (wanted == atomic_load_explicit(&r->done, memory_order_relaxed)) {
            sonde_bell_wait(r->worker.death->bell, seen, idle_seconds);
            idle_seconds = 1;
            /* The code under test may have stopped the supervisor, which then sends no orders. */
            if (atomic_load(r->worker.death->bell) == seen) sonde_tracer_release();
            continue;
        }
        sonde_assert(wanted == atomic_load_explicit(&r->done, memory_order_relaxed) + 1); /* one order at a time */
        idle_seconds = soon;
        r->n_after = 0;
        while (r->n_ran < r->n_scripts && run_script(r, &r->scripts[r->n_ran])) continue;
        if (r->t->verdict == SONDE_VALID && sonde_margin_is_over(&r->worker.limits)) sonde_death_exceeded();
        if (r->awaits_children) sonde_runner_await_children(r);
        if (r->checks_leaks) check_for_leak(r);
        if (r->t->shows) fflush(NULL);
        atomic_store_explicit(&r->done, wanted, memory_order_release);
        sonde_bell_ring(r->worker.death->bell);
    }
}

static void start_runner(struct sonde_runner *r)
{
    sonde_case_renew(r->t);
    atomic_store_explicit(&r->done, atomic_load_explicit(&r->wanted, memory_order_relaxed), memory_order_relaxed);
    enum sonde_output output = r->capture >= 0 ? SONDE_OUTPUT_KEEP : SONDE_OUTPUT_DROP;
    if (sonde_worker_start(&r->worker, output, r->capture, serve, r) < 0) r->worker.pid = 0;
}

/* Fails the case if it sent a signal to this process. The signal has arrived by now: it was pending before the bell
 * rang, and is delivered on return from a system call. */
static void blame_sender(struct sonde_runner *r)
{
    (void)getppid();
    int sent = sonde_interrupt_sent(r->worker.pid);
    if (!sent) return;
    sonde_worker_stop(&r->worker);
    sonde_death_blame_sender(r->worker.death, sent, r->t);
}

/* Returns whether the worker left readable data in shared memory. */
static bool is_whole(const struct sonde_runner *r)
{
    return r->n_ran <= r->n_scripts && r->n_hints <= SONDE_RUNNER_HINTS && sonde_case_is_whole(r->t);
}

/* Fails a case that ended, but wrote to memory that it must not change. */
static void fail_damaged(struct sonde_runner *r)
{
    r->deaths++;
    r->n_ran = r->n_scripts;
    r->n_hints = 0;
    sonde_worker_stop(&r->worker);
    r->t->seal = 0; /* marks the case for repair */
    sonde_worker_on_death(&r->worker, r->t, 0);
}

void sonde_runner_run_here(struct sonde_runner *r, const struct sonde_tape *const *scripts, uint32_t n)
{
    r->n_ran = 0;
    while (r->n_ran < n && run_script(r, scripts[r->n_ran])) continue;
}

/* Runs the scripts in this process, because no worker can be started: that is better than not at all. If a case ends
 * this process, last words print its input. */
static void run_without_worker(struct sonde_runner *r, const struct sonde_tape *const *scripts, uint32_t n)
{
    struct sonde_last_words words;
    sonde_last_words_arm(&words, &r->worker);
    sonde_runner_run_here(r, scripts, n);
    sonde_last_words_disarm(&words);
}

static bool is_done(const struct sonde_runner *r, int order)
{
    return atomic_load_explicit(&r->done, memory_order_acquire) == order;
}

/* Reads the bell before `done`: if the worker finishes in between, it has rung, and the wait returns at once. A
 * worker that has ended may have finished its order before, so `done` is read again. */
void sonde_runner_run(struct sonde_runner *r, const struct sonde_tape *const *scripts, uint32_t n, bool fresh)
{
    if (fresh) sonde_worker_stop(&r->worker);
    if (!r->worker.pid) start_runner(r);
    if (!r->worker.pid) {
        run_without_worker(r, scripts, n);
        return;
    }
    int status;
    for (uint32_t i = 0; i < n && i < SONDE_RUNNER_SCRIPTS; i++) sonde_tape_copy(&r->scripts[i], scripts[i]);
    r->n_scripts = n < SONDE_RUNNER_SCRIPTS ? n : SONDE_RUNNER_SCRIPTS;
    /* The last order is done, so the memory belongs to the supervisor. */
    sonde_assert(n > 0 && is_done(r, atomic_load_explicit(&r->wanted, memory_order_relaxed)));
    r->n_hints = r->n_ran = 0;
    /* Relaxed is enough for `wanted`, because only this process writes it. */
    int wanted = atomic_load_explicit(&r->wanted, memory_order_relaxed) + 1;
    atomic_store_explicit(&r->wanted, wanted, memory_order_release);
    sonde_worker_restart_limits(&r->worker);
    sonde_bell_ring(r->worker.death->bell);
    for (;;) {
        unsigned seen = atomic_load(r->worker.death->bell);
        if (is_done(r, wanted)) break;
        if (sonde_worker_wait(&r->worker, seen, &status) && !is_done(r, wanted)) {
            r->deaths++;
            sonde_worker_on_death(&r->worker, r->t, status);
            return;
        }
    }
    if (is_whole(r)) blame_sender(r);
    else fail_damaged(r);
}

void sonde_runner_clear(struct sonde_runner *r)
{
    sonde_runner_stop(r);
    for (uint32_t i = 0; i < SONDE_RUNNER_SCRIPTS; i++) sonde_tape_clear(&r->scripts[i]);
}

void sonde_runner_stop(struct sonde_runner *r)
{
    sonde_worker_stop(&r->worker);
}
