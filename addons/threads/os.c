#define _GNU_SOURCE /* robust mutexes, gettid */
/* See os.h. The baton is a futex per thread. That a thread has ended is known by a robust mutex, which it holds as long as it lives: the kernel
 * gives it away behind the last instruction of the thread, so destructors of native thread-locals have run before another goes on. Joining it
 * would do as well, but then its handle could become that of a new thread before the code under test has joined it. */
#include "os.h"

#include <errno.h>
#include <linux/futex.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define C sonde_control

const bool sonde_os_yes_ = true; /* what sonde_os_chosen_ is another name of, where it was asked for */

enum { HANDLER_STACK = 64 * 1024 };

static struct os_thread {
    pthread_t handle;
    pthread_mutex_t life; /* held as long as it runs code under test */
    atomic_uint baton;
    int number; /* the kernel's */
    bool is_there;
    char *handler_stack; /* for a signal of a stack that has overflowed; kept for the next one */
    jmp_buf base;
} * threads; /* by number of the fiber; 0 is that of the case */

static struct {
    jmp_buf home;
    void (*begin)(void);
    struct os_thread *leaving; /* has ended, but the kernel may not have done with it */
    bool is_over;
} os;

/* ---- The baton */

static long futex(atomic_uint *word, int operation, unsigned value)
{
    return SONDE_REAL(syscall)(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void pass_to(struct os_thread *o)
{
    atomic_store(&o->baton, 1);
    futex(&o->baton, FUTEX_WAKE_PRIVATE, 1);
}

static void await_baton(struct os_thread *o)
{
    while (!atomic_exchange(&o->baton, 0)) futex(&o->baton, FUTEX_WAIT_PRIVATE, 0);
}

/* Waits for the end of who has it. */
static void take_life(struct os_thread *o)
{
    if (SONDE_REAL(pthread_mutex_lock)(&o->life) == EOWNERDEAD) SONDE_REAL(pthread_mutex_consistent)(&o->life);
}

static void await_death(struct os_thread *o)
{
    take_life(o);
    SONDE_REAL(pthread_mutex_unlock)(&o->life);
}

/* What is sonde's goes where the baton is. */
static void take_over(const struct os_thread *o)
{
    if (os.leaving) await_death(os.leaving);
    os.leaving = NULL;
    sonde_tls_take();
    C.plan->here(C.plan->t);
    C.plan->schedule->runs_in = o->number;
}

/* Until this thread has its turn. In a run that has ended it jumps out of what it does. */
static void wait_for_turn(struct os_thread *o)
{
    await_baton(o);
    if (!os.is_over) {
        take_over(o);
        return;
    }
    sonde_is_controlled = false; /* what it still does is its own affair */
    if (o != threads) _longjmp(o->base, 1);
    take_over(o);
    _longjmp(os.home, 1);
}

void sonde_os_switch(const struct sonde_fiber *from, const struct sonde_fiber *to)
{
    sonde_tls_give();
    pass_to(&threads[to->id]);
    wait_for_turn(&threads[from->id]);
}

void sonde_os_end(const struct sonde_fiber *from, const struct sonde_fiber *to)
{
    struct os_thread *o = &threads[from->id];
    if (from->id == 0) { /* the thread of the case stays, for the others to go home to */
        sonde_os_switch(from, to);
        abort();
    }
    sonde_tls_give();
    os.leaving = o;
    sonde_is_controlled = false;
    pass_to(&threads[to->id]);
    _longjmp(o->base, 1);
}

void sonde_os_go_home(void)
{
    struct os_thread *o = &threads[C.running->id];
    os.is_over = true;
    sonde_is_controlled = false;
    if (o == threads) _longjmp(os.home, 1);
    sonde_tls_give();
    pass_to(threads);
    _longjmp(o->base, 1);
}

/* ---- Threads */

static void raise_handler_stack(struct os_thread *o)
{
    if (!o->handler_stack) {
        void *new = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (new == MAP_FAILED) return;
        o->handler_stack = new;
    }
    sigaltstack(&(stack_t){.ss_sp = o->handler_stack, .ss_size = HANDLER_STACK}, NULL);
}

extern void sonde_rseq_leave(void) __attribute__((weak)); /* exec/rseq.h */

static void *live(void *thread)
{
    struct os_thread *o = thread;
    if (_setjmp(o->base)) return NULL;
    if (sonde_rseq_leave) sonde_rseq_leave();
    o->number = (int)SONDE_REAL(syscall)(SYS_gettid);
    raise_handler_stack(o);
    wait_for_turn(o);
    take_life(o);
    os.begin();
    return NULL;
}

static void init_life(struct os_thread *o)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    SONDE_REAL(pthread_mutex_init)(&o->life, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* The C library's own frees and locks in there are nobody's steps. */
static bool leave_control(void)
{
    bool before = sonde_is_controlled;
    sonde_is_controlled = false;
    return before;
}

bool sonde_os_create(const struct sonde_fiber *f)
{
    struct os_thread *o = &threads[f->id];
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    bool before = leave_control();
    pthread_attr_setstack(&attributes, f->stack, f->stack_size);
    atomic_store(&o->baton, 0);
    o->is_there = SONDE_REAL(pthread_create)(&o->handle, &attributes, live, o) == 0;
    pthread_attr_destroy(&attributes);
    sonde_is_controlled = before;
    return o->is_there;
}

void sonde_os_join(const struct sonde_fiber *f)
{
    struct os_thread *o = &threads[f->id];
    bool before = leave_control();
    if (o->is_there) SONDE_REAL(pthread_join)(o->handle, NULL);
    o->is_there = false;
    sonde_is_controlled = before;
}

pthread_t sonde_os_handle(const struct sonde_fiber *f)
{
    return threads[f->id].handle;
}

/* The newest: a handle that was given back may be that of another since. */
struct sonde_fiber *sonde_os_find(pthread_t handle)
{
    for (uint32_t i = C.n_fibers; i-- > 0;)
        if (pthread_equal(threads[i].handle, handle)) return &C.fibers[i];
    return NULL;
}

/* ---- The run */

static void prepare(void)
{
    if (threads) return;
    threads = calloc(SONDE_THREADS_MAX, sizeof *threads);
    if (!threads) abort();
    for (uint32_t i = 0; i < SONDE_THREADS_MAX; i++) init_life(&threads[i]);
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1); /* one heap: only one runs, and addresses then depend on nothing else */
#endif
}

/* One after the other, so that never two of them run. */
static void end_others(void)
{
    for (uint32_t i = 1; i < C.n_fibers; i++) {
        if (!threads[i].is_there) continue;
        pass_to(&threads[i]);
        sonde_os_join(&C.fibers[i]);
    }
    os.leaving = NULL;
}

void sonde_os_run(void (*begin)(void))
{
    prepare();
    os.begin = begin;
    os.is_over = false;
    os.leaving = NULL;
    threads[0].handle = SONDE_REAL(pthread_self)();
    threads[0].number = 0;
    atomic_store(&threads[0].baton, 0);
    if (_setjmp(os.home) == 0) begin();
    C.plan->schedule->runs_in = 0;
    end_others();
}
