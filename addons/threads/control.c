#define _GNU_SOURCE /* RTLD_NEXT */
/* Decides which thread runs next, and switches to it. control.h describes the order of threads.
 *
 * A switch of fibers must exchange the state of the threads. All fibers run in one OS thread. So the processor, the C
 * library and the kernel hold only one copy of everything that they keep per thread. All of it that the code under test
 * could notice must be exchanged with the turn. Otherwise a thread would see the errno or the rounding mode of another,
 * which cannot happen with real threads. hand_over and switch_to exchange it, in this order:
 *
 *     state of a thread                               saved in                   exchanged by
 *     errno                                           fiber.saved_errno          hand_over
 *     thread-locals of the program and of libraries   fiber.tls, a copy          sonde_tls_exchange (tls.c)
 *     rounding mode, floating-point exceptions        states[] of state.c        sonde_state_exchange
 *     h_errno, locale of uselocale, signal mask       states[] of state.c        sonde_state_exchange
 *     callee-saved registers, stack pointer           the fiber's stack          sonde_fiber_switch (fiber.c)
 *
 * Caller-saved registers need nothing, since a switch is a function call.
 *
 * Other state needs no exchange, because the functions that use it are replaced, and look it up by the running
 * fiber:
 * - values of keys, cleanup handlers, destructors of C++ thread-locals (thread.c)
 * - cancellation state (state.c); name, affinity and priority (handles.c); locks held (objects.c)
 *
 * All fibers share the rest, so there the model differs from real threads. For some calls that use shared state,
 * unmodelled.c adds the name of the call to the report. README.md has the whole list:
 * - the alternate signal stack, and everything else that the kernel keeps per thread, but for the signal mask
 * - the buffers of inet_ntoa and strsignal, the error of dlerror
 * - thread-locals of libraries that are loaded during the run
 *
 * Thread-locals of sonde itself must not be exchanged: they belong to the OS thread. tls.c tells them from the
 * others.
 *
 * With --threads=os every thread is an OS thread with a real copy of all this. Then only the thread-locals of
 * sonde move with the turn (sonde_tls_give, sonde_tls_take). */
#include "control.h"

#include "fiber.h"
#include "heap.h"
#include "objects.h"
#include "os.h"
#include "shadow.h"
#include "state.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPINS = 100,      /* reads of the same memory without a change, after which other threads get their turn */
    STUCK = 100,      /* turns in a row per thread in which all threads spin, before all_repeat looks for a cycle */
    STUCK_MAX = 5000, /* turns in a row in which all threads spin, before a loop that may count is taken for endless */
    STEPS_MAX = 1000 * 1000 /* maximum number of steps of one run; more would take seconds per case */
};

struct sonde_control sonde_control;
SONDE_TLS bool sonde_is_controlled;

#define C sonde_control

/* The part of the run's state that only this file uses. */
static struct {
    void *home; /* stack pointer of the case, while fibers run */
    struct sonde_schedule_result *result;
    void (*fn)(struct sonde *t, void *arg); /* the function of thread 0 */
    void *arg;
    uint32_t switch_at;      /* index of the next switch in the plan */
    int64_t lowest, highest; /* levels given out so far; a larger level comes later in the order */
    uint32_t stuck;          /* turns in a row in which every runnable thread only spun */
} own;

void *sonde_real(const char *name)
{
    static const char *const newer[] = {"GLIBC_2.3.2", "GLIBC_2.3.3"};
    /* glibc has two versions of these functions, and in older releases dlsym returns the obsolete one. */
    bool has_older = strncmp(name, "pthread_cond_", 13) == 0;
    void *found = NULL;
    for (size_t i = 0; has_older && !found && i < sizeof newer / sizeof *newer; i++)
        found = dlvsym(RTLD_NEXT, name, newer[i]);
    if (!found) found = dlsym(RTLD_NEXT, name);
    return found ? found : dlsym(RTLD_DEFAULT, name);
}

struct sonde_schedule_result *sonde_result_of_run(void)
{
    return own.result;
}

/* ---- Which thread is next */

/* Returns whether `a` precedes `b` in the order of threads. */
static bool comes_before(const struct sonde_fiber *a, const struct sonde_fiber *b)
{
    if (a->level != b->level) return a->level < b->level;
    if (a->rank != b->rank) return a->rank < b->rank;
    return a->id < b->id;
}

/* Returns whether a thread is runnable. A timed wait always is: virtual time may jump to its deadline. A thread
 * that spins is runnable only after something has changed. */
static bool can_run(const struct sonde_fiber *f)
{
    if (f->state == SONDE_RUNS) return !f->is_spinning || f->changes_seen != C.changes;
    return f->state == SONDE_WAITS && f->deadline != SONDE_FOREVER;
}

/* Returns the first runnable thread; NULL if there is none. */
static struct sonde_fiber *first_in_order(void)
{
    struct sonde_fiber *best = NULL;
    for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++)
        if (can_run(f) && (!best || comes_before(f, best))) best = f;
    return best;
}

/* Returns another runnable thread, chosen by age alone: the next younger one, the oldest or the youngest. NULL if
 * no other thread can run. */
static struct sonde_fiber *other_runnable(enum sonde_switch_to to)
{
    uint32_t n = C.n_fibers, from = to == SONDE_TO_NEXT ? C.running->id + 1 : to == SONDE_TO_OLDEST ? 0 : n - 1;
    for (uint32_t i = 0; i < n; i++) {
        struct sonde_fiber *f = &C.fibers[to == SONDE_TO_YOUNGEST ? from - i : (from + i) % n];
        if (f != C.running && can_run(f)) return f;
    }
    return NULL;
}

/* Wakes the oldest thread that may wake up spuriously, and returns it; NULL if none may. */
static struct sonde_fiber *wake_spuriously(void)
{
    for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++) {
        if (f->state != SONDE_WAITS || !f->may_wake) continue;
        f->state = SONDE_RUNS;
        f->deadline = SONDE_FOREVER;
        if (C.plan->schedule->moments) sonde_note_of(f, "wakes up without a signal", f->site);
        return f;
    }
    return NULL;
}

void sonde_come_last(void)
{
    C.running->level = ++own.lowest;
    C.is_order_stale = true;
}

/* Caches the step of the next switch, so that sonde_step compares one number. */
static void set_next_switch(void)
{
    C.next_switch = own.switch_at < C.plan->n_switches ? C.plan->switches[own.switch_at].at : UINT64_MAX;
}

/* Carries out the switches of the plan that are due. Each one puts the running thread last in the order, and the
 * thread that the switch names, if any can run, first. */
static void take_switch(void)
{
    while (own.switch_at < C.plan->n_switches && C.plan->switches[own.switch_at].at <= C.steps) {
        enum sonde_switch_to to = C.plan->switches[own.switch_at++].to;
        struct sonde_fiber *other = to == SONDE_TO_WAITER ? wake_spuriously() : NULL;
        if (to == SONDE_TO_WAITER) to = SONDE_TO_NEXT;
        if (!other && to != SONDE_TO_FIRST) other = other_runnable(to);
        sonde_come_last();
        if (other) other->level = --own.highest;
    }
    set_next_switch();
}

/* Returns a random runnable thread; NULL if there is none. */
static struct sonde_fiber *any_runnable(uint64_t random)
{
    for (uint32_t i = 0; i < C.n_fibers; i++) {
        struct sonde_fiber *f = &C.fibers[(random + i) % C.n_fibers];
        if (can_run(f)) return f;
    }
    return NULL;
}

/* Gives the turn to a random thread at one step in four. Only a warm-up does this; its random numbers are
 * xorshift64. */
static void switch_randomly(void)
{
    uint64_t x = *C.plan->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *C.plan->random = x;
    if (x % 4) return;
    struct sonde_fiber *other = any_runnable(x >> 33);
    if (other) other->level = --own.highest;
    C.is_order_stale = true;
}

/* ---- Turns */

void sonde_note_of(const struct sonde_fiber *f, const char *what, const void *site)
{
    struct sonde_schedule *s = C.plan->schedule;
    if (s->n_moments == s->cap_moments || sonde_is_ours(site)) return;
    s->moments[s->n_moments++] = (struct sonde_moment){.thread = f->id, .what = what, .site = site};
}

/* Returns to the stack of the case. The fibers are left as they are; the next run reuses their stacks. */
static void return_to_case(void)
{
    struct sonde_fiber *f = C.running;
    if (sonde_is_os()) sonde_os_return_to_case();
    sonde_is_controlled = false;
    sonde_fiber_switch(&f->sp, own.home);
}

static __attribute__((noreturn)) void end_here(enum sonde_schedule_end end)
{
    own.result->end = end;
    return_to_case();
    abort(); /* not reached: no switch leads back to a run that has ended */
}

/* The kind of the end and the sites identify the failure. Sites count as offsets in their modules, so that every
 * process computes the same identity. Callers that know a second site, as for a race, have stored it in the result
 * before. */
void sonde_end_run(enum sonde_schedule_end end, const void *site, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(own.result->message, sizeof own.result->message, format, args);
    va_end(args);
    sonde_note_of(C.running, "is wrong here", site);
    own.result->place[0] = site;
    own.result->identity = ((uint64_t)end << 56) ^ sonde_site_offset(site);
    if (own.result->place[1]) own.result->identity += 31 * sonde_site_offset(own.result->place[1]);
    end_here(end);
}

void sonde_misused(const void *site, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    C.plan->misuse(C.plan->t, site, message);
    abort();
}

/* Switches to another thread. Returns when `before` is scheduled again, which never happens if it has ended. */
static void switch_to(struct sonde_fiber *before, struct sonde_fiber *next)
{
    if (sonde_is_os()) {
        before->sp = __builtin_frame_address(0);
        if (before->state == SONDE_HAS_ENDED) sonde_os_end(before, next);
        sonde_os_switch(before, next);
        return;
    }
    sonde_tls_exchange(before, next);
    sonde_state_exchange(before, next);
    sonde_fiber_switch(&before->sp, next->sp);
}

/* Gives the turn to `next`, which may be the running thread. Returns when the caller has its turn again. */
static void hand_over(struct sonde_fiber *next)
{
    struct sonde_fiber *before = C.running;
    if (next->state == SONDE_WAITS) { /* `next` was chosen because of its deadline */
        next->state = SONDE_RUNS;
        next->timed_out = true;
    }
    if (next->deadline > C.now) C.now = next->deadline;
    next->deadline = SONDE_FOREVER;
    if (next == before) return;
    bool is_preempted = before->state == SONDE_RUNS && !before->is_spinning;
    struct sonde_schedule *s = C.plan->schedule;
    s->n_switches += is_preempted;
    if (is_preempted && s->n_moments) s->moments[s->n_moments - 1].is_preempted = true;
    C.running = next;
    s->is_elsewhere = next->id != 0;
    s->running = next->id;
    before->saved_errno = errno;
    switch_to(before, next);
    errno = C.running->saved_errno;
}

/* Ends the run if all threads but detached ones have ended: these never will. */
static void complain_of_detached(void)
{
    for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++)
        if (f->state != SONDE_HAS_ENDED && !f->is_detached) return;
    for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++) {
        if (f->state == SONDE_HAS_ENDED) continue;
        const char *what = f->state == SONDE_WAITS ? f->what : "others";
        sonde_end_run(SONDE_SCHEDULE_LEAK, f->site,
                      "thread %u was detached and does not end: it waits for %s, and all other threads have ended",
                      f->id, what);
    }
}

/* Ends the run with a message that names every waiting thread, what it waits for, and which thread holds that. The
 * sites of the waits identify the failure. */
static __attribute__((noreturn)) void complain_of_deadlock(void)
{
    char holder[64];
    complain_of_detached();
    struct sonde_schedule_result *r = own.result;
    size_t n = (size_t)snprintf(r->message, sizeof r->message, "deadlock");
    for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++) {
        if (f->state != SONDE_WAITS || n + 1 >= sizeof r->message) continue;
        sonde_holder_of(f->object, holder, sizeof holder);
        n += (size_t)snprintf(r->message + n, sizeof r->message - n, "%s thread %u waits for %s%s", n > 8 ? ";" : ":",
                              f->id, f->what, holder);
        r->identity = r->identity * 31 + sonde_site_offset(f->site);
        if (!r->place[0]) r->place[0] = f->site;
        else r->place[1] = f->site;
        sonde_note_of(f, "waits forever", f->site);
    }
    end_here(SONDE_SCHEDULE_DEADLOCK);
}

/* Returns whether every runnable thread is in a loop that never ends. A loop that is in the same state as before,
 * while nothing has changed, repeats forever. */
static bool all_repeat(void)
{
    for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++)
        if (f->state == SONDE_RUNS && !(f->repeats && f->loop_changes == C.changes)) return false;
    return true;
}

/* Ends the run because of a livelock: only threads that spin can run. */
static __attribute__((noreturn)) void complain_of_loop(const struct sonde_fiber *f, bool repeats)
{
    complain_of_detached();
    if (repeats)
        sonde_end_run(SONDE_SCHEDULE_STUCK, f->site,
                      "no progress: thread %u keeps reading the same values, and no other thread can change them",
                      f->id);
    sonde_end_run(
        SONDE_SCHEDULE_STUCK, f->site,
        "no progress: thread %u keeps reading the same values, which no other thread can change, and has not ended "
        "after %d reads",
        f->id, SPINS * STUCK_MAX);
}

/* Returns a thread that spins, when no other thread can run; NULL if none spins. The loop may end by itself, so each
 * thread gets many turns before the run counts as stuck. */
static struct sonde_fiber *let_one_spin(void)
{
    struct sonde_fiber *best = NULL;
    for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++)
        if (f->state == SONDE_RUNS && (!best || comes_before(f, best))) best = f;
    if (!best) return NULL;
    bool repeats = ++own.stuck > STUCK * C.n_alive && all_repeat();
    if (repeats || own.stuck > STUCK_MAX) complain_of_loop(best, repeats);
    best->is_spinning = false;
    best->level = ++own.lowest;
    return best;
}

/* Gives the turn to the first runnable thread. Returns when the caller has its turn again. */
static void give_turn(void)
{
    C.is_order_stale = false;
    struct sonde_fiber *next = first_in_order();
    if (!next) next = let_one_spin();
    if (!next) complain_of_deadlock();
    hand_over(next);
}

/* Does not count steps while only one thread is alive, because a switch there would change nothing. The caller's action
 * happens after this function returns, so every switch comes before an action. */
void sonde_step(const char *what, const void *site, bool changes)
{
    struct sonde_fiber *f = C.running;
    f->site = site;
    if (C.n_alive > 1) {
        if (++C.steps > STEPS_MAX) end_here(SONDE_SCHEDULE_LONG);
        if (C.steps >= C.next_switch) take_switch();
        if (C.plan->random) switch_randomly();
    }
    if (C.is_order_stale) give_turn();
    if (C.plan->schedule->moments) sonde_note_of(f, what, site); /* other threads had their turn before the action */
    if (!changes) return;
    sonde_changed();
    own.stuck = 0;
}

/* Returns a hash of the running thread's callee-saved registers and stack. Together with memory they decide how it
 * continues. Returns 0 if the stack is too large to hash. */
static __attribute__((noinline)) uint64_t hash_thread(const struct sonde_fiber *f)
{
    enum {
        MOST = 1 << 16, /* bytes of stack to hash; a loop that waits rarely has more */
        SAVED = 5       /* registers that x86-64 pushes below the frame pointer */
    };
    __builtin_unwind_init(); /* pushes the callee-saved registers */
    const uintptr_t *at = __builtin_frame_address(0);
    const uintptr_t *end = (const uintptr_t *)(f->base ? f->base : (uintptr_t)f->stack + f->stack_size);
    uint64_t hash = 1;
#ifdef __x86_64__
    at -= SAVED;
#endif
    if ((uintptr_t)end - (uintptr_t)at > MOST) return 0;
    for (; at < end; at++) {
        hash = (hash ^ *at) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Looks for a cycle in the states of a waiting loop, by Brent's algorithm. Each state is compared with a saved
 * one; the saved one is replaced after 1, 2, 4, 8 and so on states. A change by any thread starts the search
 * again. */
static void note_loop(struct sonde_fiber *f)
{
    if (f->loop_changes != C.changes) f->n_loop_states = 0;
    if (f->n_loop_states == 0) f->repeats = false;
    f->loop_changes = C.changes;
    uint64_t now = hash_thread(f);
    if (now && f->n_loop_states && now == f->loop_state) f->repeats = true;
    f->n_loop_states++;
    if ((f->n_loop_states & (f->n_loop_states - 1)) == 0) f->loop_state = now;
}

/* A loop that waits repeats a few reads, each known by its site and address. A read that is not among the last
 * SONDE_SPIN_READS ones shows that the thread makes progress, and so does any write. After SPINS reads without
 * progress the thread is spinning: it is not runnable until another thread changes something. */
void sonde_step_reading(const char *what, const void *site, uintptr_t address)
{
    struct sonde_fiber *f = C.running;
    uintptr_t read = (uintptr_t)site ^ address;
    bool is_known = false;
    for (uint32_t i = 0; i < SONDE_SPIN_READS && !is_known; i++) is_known = f->reads[i] == read;
    if (!is_known) {
        f->reads[f->next_read++ % SONDE_SPIN_READS] = read;
        f->spins = 0;
    }
    f->is_spinning = false;
    if (++f->spins > SPINS) {
        f->spins = 0;
        f->is_spinning = true;
        f->changes_seen = C.changes;
        C.is_order_stale = true;
        note_loop(f);
    }
    sonde_step(what, site, false);
    C.running->is_spinning = false;
}

/* Implements both kinds of waiting; may_wake allows spurious wake-ups. */
static bool wait_for(const void *object, const char *what, uint64_t deadline, const void *site, bool may_wake)
{
    struct sonde_fiber *f = C.running;
    f->state = SONDE_WAITS;
    f->object = object;
    f->what = what;
    f->site = site;
    f->deadline = deadline;
    f->timed_out = false;
    f->may_wake = may_wake;
    if (deadline != SONDE_FOREVER) f->level = ++own.lowest; /* a timed wait is runnable: let the others run first */
    give_turn();
    f->object = NULL;
    return !f->timed_out;
}

bool sonde_wait_for(const void *object, const char *what, uint64_t deadline, const void *site)
{
    return wait_for(object, what, deadline, site, false);
}

bool sonde_wait_spuriously(const void *object, const char *what, uint64_t deadline, const void *site)
{
    return wait_for(object, what, deadline, site, true);
}

uint32_t sonde_wake(const void *object, uint32_t most)
{
    uint32_t n = 0;
    for (; n < most; n++) {
        struct sonde_fiber *best = NULL;
        for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++)
            if (f->state == SONDE_WAITS && f->object == object && (!best || comes_before(f, best))) best = f;
        if (!best) break;
        best->state = SONDE_RUNS;
        best->deadline = SONDE_FOREVER;
    }
    return n;
}

/* ---- Threads */

/* Records where the stack of an OS thread begins. Thread 0 runs on the stack of the case, from this frame
 * downwards. */
static void record_base(struct sonde_fiber *f, char *frame)
{
    f->base = (uintptr_t)frame;
    if (f->id) return;
    f->stack = frame - SONDE_STACK;
    f->stack_size = SONDE_STACK;
    sonde_stack_known(f->stack, f->stack_size);
}

/* Runs a thread from its beginning to its end. Stack traces of the code under test are cut at this frame, by its
 * name. */
static void sonde_exec_fiber(void)
{
    struct sonde_fiber *f = C.running;
    if (sonde_is_os()) record_base(f, __builtin_frame_address(0));
    errno = 0;
    if (f->id == 0) own.fn(C.plan->t, own.arg);
    else f->result = f->fn(f->arg);
    sonde_fiber_end(f->result);
}

/* Makes sure that a fiber has a stack of this size or larger; replaces a smaller one of an earlier run. Returns
 * false if there is no memory. */
static bool has_stack(struct sonde_fiber *f, size_t size)
{
    enum { UNIT = 1 << 16 }; /* sizes are rounded up, so that a stack fits more runs */
    if (f->stack && f->stack_size >= size) return true;
    sonde_stack_free(f->stack, f->stack_size);
    f->stack_size = (size + UNIT - 1) / UNIT * UNIT;
    f->stack = sonde_stack_create(f->stack_size);
    return f->stack != NULL;
}

static void prepare_fiber(struct sonde_fiber *f)
{
    f->sp = sonde_fiber_prepare(f->stack, f->stack_size, sonde_exec_fiber);
    sonde_tls_begin(f);
    sonde_state_begin(f);
}

/* The slot of a fiber keeps its allocated memory from run to run: the stack, the array of values, the copy of
 * thread-locals. Everything else is reset. */
struct sonde_fiber *sonde_fiber_create(void *(*fn)(void *), void *arg, size_t stack, const void *site)
{
    if (C.n_fibers == SONDE_THREADS_MAX) return NULL;
    struct sonde_fiber *f = &C.fibers[C.n_fibers];
    bool is_here = C.n_fibers == 0 && sonde_is_os(); /* thread 0 is the thread of the case */
    if (!is_here && !has_stack(f, stack > SONDE_STACK ? stack : SONDE_STACK)) return NULL;
    struct sonde_fiber kept = *f;
    *f = (struct sonde_fiber){.stack = kept.stack,
                              .stack_size = kept.stack_size,
                              .values = kept.values,
                              .cap_values = kept.cap_values,
                              .tls = kept.tls,
                              .id = C.n_fibers,
                              .fn = fn,
                              .arg = arg,
                              .created_at = site,
                              .rank = C.n_fibers < C.plan->n_ranks ? C.plan->ranks[C.n_fibers] : 0};
    if (sonde_is_os() && !is_here && !sonde_os_create(f)) return NULL;
    if (!sonde_is_os()) prepare_fiber(f);
    if (C.running) sonde_fork_seen(f);
    C.n_fibers++;
    C.n_alive++;
    if (C.n_fibers > C.plan->schedule->n_threads) C.plan->schedule->n_threads = C.n_fibers;
    return f;
}

/* Ends the run after its last thread: with a failure if a thread was neither joined nor detached. */
static __attribute__((noreturn)) void end_of_all(void)
{
    for (struct sonde_fiber *f = C.fibers; f < C.fibers + C.n_fibers; f++) {
        if (f->id && !f->is_joined && !f->is_detached)
            sonde_end_run(SONDE_SCHEDULE_LEAK, f->created_at,
                          "thread %u was neither joined nor detached: its memory is lost", f->id);
    }
    end_here(SONDE_SCHEDULE_DONE);
}

/* The order is the one of real threads: destructors of C++ thread-locals, then destructors of keys, then robust
 * mutexes. Both kinds of destructors are code under test, and may lose the turn. A thread that still holds a lock
 * is a failure. */
void sonde_fiber_end(void *result)
{
    struct sonde_fiber *f = C.running;
    sonde_locals_end(f);
    sonde_values_end(f);
    sonde_objects_abandon(f);
    const void *site = NULL;
    const char *held = sonde_held_by(f, &site);
    if (held)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u ends while it still holds a %s that it has locked", f->id,
                      held);
    f->result = result;
    f->state = SONDE_HAS_ENDED;
    sonde_release(f);
    C.n_alive--;
    C.changes++;
    own.stuck = 0;
    sonde_wake(f, UINT32_MAX);
    if (C.n_alive == 0) end_of_all();
    give_turn();
    abort();
}

/* ---- The run */

static bool has_memory(void)
{
    if (!C.fibers) C.fibers = calloc(SONDE_THREADS_MAX, sizeof *C.fibers);
    return C.fibers != NULL;
}

/* Resets everything that belongs to one run. Stacks and tables stay; their entries belong to earlier run numbers. */
static void begin(const struct sonde_schedule_plan *plan, struct sonde_schedule_result *result)
{
    result->end = SONDE_SCHEDULE_DONE;
    result->n_steps = result->identity = 0;
    result->place[0] = result->place[1] = NULL;
    result->message[0] = '\0';
    for (uint32_t i = 0; i < C.n_fibers; i++) sonde_values_forget(&C.fibers[i]);
    own.result = result;
    own.switch_at = own.stuck = 0;
    own.lowest = own.highest = 0;
    C.plan = plan;
    C.n_fibers = C.n_alive = 0;
    C.steps = C.changes = C.now = C.n_late = 0;
    C.run++;
    set_next_switch();
    if (sonde_finds_races()) sonde_happens_begin();
    sonde_sites_begin();
}

/* Asserts the invariants of all tables, in hostile builds. Tables are large and most runs alike, so few runs are
 * checked. */
static void check_tables(void)
{
#ifdef SONDE_CHECKED
    if (!sonde_is_milestone(C.run)) return;
    sonde_sites_check();
    sonde_shadow_check();
    sonde_objects_check();
    sonde_threads_heap_check();
    if (sonde_finds_races()) sonde_happens_check();
#endif
}

static struct sonde_schedule_hook hook;

/* Runs fn as thread 0, with the threads that it starts, by the plan. Returns when the run has ended for any reason;
 * *result says how. */
static void run(const struct sonde_schedule_plan *plan, void (*fn)(struct sonde *t, void *arg), void *arg,
                struct sonde_schedule_result *result)
{
    if (!has_memory()) abort();
    begin(plan, result);
    own.fn = fn;
    own.arg = arg;
    sonde_tls_look();
    C.running = sonde_fiber_create(NULL, NULL, 0, NULL);
    if (!C.running) abort();
    C.is_order_stale = false;
    int before = errno;
    sonde_find_uninstrumented(hook.uninstrumented, sizeof hook.uninstrumented);
    sonde_is_controlled = true;
    if (sonde_is_os()) {
        sonde_os_run(sonde_exec_fiber);
    } else {
        sonde_fiber_switch(&own.home, C.running->sp);
        sonde_state_exchange(C.running, &C.fibers[0]);
        sonde_tls_exchange(C.running, &C.fibers[0]); /* thread 0 has the state of the case */
    }
    errno = before;
    plan->schedule->is_elsewhere = false;
    plan->schedule->running = 0;
    result->n_steps = C.steps + C.n_late;
    C.running = NULL;
    check_tables();
    sonde_freed_end();
}

/* Ends the run because the case is left: by a failed check or assume in a thread. */
static __attribute__((noreturn)) void leave(void)
{
    sonde_note_of(C.running, "leaves the case", NULL);
    end_here(SONDE_SCHEDULE_LEFT);
}

static struct sonde_learned *prepare(uint64_t run_number);

/* Switches control on or off, while sonde calls functions that are replaced here. Returns the previous setting. */
static bool set_control(bool is_on)
{
    bool before = sonde_is_controlled;
    sonde_is_controlled = is_on;
    return before;
}

/* Records that the process is about to die, and lets sonde's handlers run without control. */
static void die(void)
{
    if (set_control(false)) sonde_note_of(C.running, "ends the process", NULL);
}

static struct sonde_schedule_hook hook = {
    .run = run, .leave = leave, .prepare = prepare, .set_control = set_control, .die = die};

static struct sonde_learned *prepare(uint64_t run_number)
{
    /* Search now, so that the name is known even if the first case crashes. */
    sonde_find_uninstrumented(hook.uninstrumented, sizeof hook.uninstrumented);
    return hook.learned = sonde_sites_prepare(run_number);
}

void sonde_others_started(void)
{
    __atomic_fetch_add(&hook.n_others, 1, __ATOMIC_RELAXED);
}

/* Returns the functions above. The library finds this one by its name, if it is linked (src/case/threads.c). */
struct sonde_schedule_hook *sonde_schedule_hook_(void) __attribute__((visibility("default")));
struct sonde_schedule_hook *sonde_schedule_hook_(void)
{
    hook.is_os = sonde_is_os();
    return &hook;
}
