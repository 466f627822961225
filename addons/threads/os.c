#define _GNU_SOURCE /* robust mutexes, gettid */
/* Passes the turn between OS threads; os.h describes the idea. The baton is a futex per thread.
 *
 * A thread holds a robust mutex as long as it lives, so the others can tell when it has ended. The kernel
 * releases the mutex after the last instruction of the thread. So destructors of its thread-locals have run before
 * another thread continues. Joining the thread would show the same, but a new thread could then get its handle
 * before the code under test has joined it. */
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

const bool sonde_os_yes_ =
    true; /* with --threads=os the linker defines sonde_os_chosen_ as an alias of this variable */

enum { HANDLER_STACK = 64 * 1024 }; /* bytes; enough for sonde's signal handlers */

/* An OS thread. */
static struct os_thread {
    pthread_t handle;
    pthread_mutex_t life; /* held as long as the thread runs code under test */
    atomic_uint baton;    /* 1: it is this thread's turn */
    int number;           /* number of the thread that gettid returns */
    bool is_there;        /* the thread was created and not joined yet */
    char *handler_stack;  /* for signals after a stack overflow; kept for later runs */
    jmp_buf base;         /* jump target to leave the code under test */
} * threads;              /* indexed by number of the fiber; 0 is the thread of the case */

/* The state of a run. */
static struct {
    jmp_buf home; /* jump target in sonde_os_run */
    void (*begin)(void);
    struct os_thread *leaving; /* thread that has ended, but that the kernel may not have finished */
    bool is_over;              /* threads that get the baton jump out of the code under test */
} os;

/* ---- The baton */

static long futex(atomic_uint *word, int operation, unsigned value)
{
    return SONDE_REAL(syscall)(SYS_futex, word, operation, value, NULL, NULL, 0);
}

/* Gives the baton to a thread. */
static void pass_to(struct os_thread *o)
{
    atomic_store(&o->baton, 1);
    futex(&o->baton, FUTEX_WAKE_PRIVATE, 1);
}

/* Blocks until this thread has the baton. */
static void await_baton(struct os_thread *o)
{
    while (!atomic_exchange(&o->baton, 0)) futex(&o->baton, FUTEX_WAIT_PRIVATE, 0);
}

/* Locks the mutex of a thread. Blocks while the thread that holds it lives, and repairs it if that thread has
 * ended. */
static void lock_life(struct os_thread *o)
{
    if (SONDE_REAL(pthread_mutex_lock)(&o->life) == EOWNERDEAD) SONDE_REAL(pthread_mutex_consistent)(&o->life);
}

/* Waits until the kernel has finished a thread. */
static void await_end(struct os_thread *o)
{
    lock_life(o);
    SONDE_REAL(pthread_mutex_unlock)(&o->life);
}

/* Moves sonde's state to the OS thread that has got the baton: its thread-locals, and which thread the case runs
 * in. */
static void take_over(const struct os_thread *o)
{
    if (os.leaving) await_end(os.leaving);
    os.leaving = NULL;
    sonde_tls_take();
    C.plan->here(C.plan->t);
    C.plan->schedule->runs_in = o->number;
}

/* Waits until this thread has its turn. If the run has ended meanwhile, jumps out of the code under test. */
static void wait_for_turn(struct os_thread *o)
{
    await_baton(o);
    if (!os.is_over) {
        take_over(o);
        return;
    }
    sonde_is_controlled = false; /* destructors of its thread-locals run without control */
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

/* Makes the next thread wait, in take_over, until the kernel has finished this one. */
void sonde_os_end(const struct sonde_fiber *from, const struct sonde_fiber *to)
{
    struct os_thread *o = &threads[from->id];
    if (from->id == 0) { /* the thread of the case must stay: the run returns there */
        sonde_os_switch(from, to);
        abort();
    }
    sonde_tls_give();
    os.leaving = o;
    sonde_is_controlled = false;
    pass_to(&threads[to->id]);
    _longjmp(o->base, 1);
}

void sonde_os_return_to_case(void)
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

/* Gives the thread a stack for signal handlers, so that an overflow of its stack can be reported. */
static void set_handler_stack(struct os_thread *o)
{
    if (!o->handler_stack) {
        void *new = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (new == MAP_FAILED) return;
        o->handler_stack = new;
    }
    sigaltstack(&(stack_t){.ss_sp = o->handler_stack, .ss_size = HANDLER_STACK}, NULL);
}

extern void sonde_rseq_leave(void) __attribute__((weak)); /* exec/rseq.h */

/* The start routine of an OS thread: waits for its first turn, then runs the code under test. */
static void *run_thread(void *thread)
{
    struct os_thread *o = thread;
    if (_setjmp(o->base)) return NULL;
    if (sonde_rseq_leave) sonde_rseq_leave();
    o->number = (int)SONDE_REAL(syscall)(SYS_gettid);
    set_handler_stack(o);
    wait_for_turn(o);
    lock_life(o);
    os.begin();
    return NULL;
}

/* Initialises the mutex of a thread as a robust one. */
static void init_life(struct os_thread *o)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    SONDE_REAL(pthread_mutex_init)(&o->life, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* Switches control off around calls of the C library, so that its frees and locks are not steps. Returns the previous
 * setting. */
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
    o->is_there = SONDE_REAL(pthread_create)(&o->handle, &attributes, run_thread, o) == 0;
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

/* Searches the newest threads first: the handle of a joined thread may belong to a newer one. */
struct sonde_fiber *sonde_os_find(pthread_t handle)
{
    for (uint32_t i = C.n_fibers; i-- > 0;)
        if (pthread_equal(threads[i].handle, handle)) return &C.fibers[i];
    return NULL;
}

/* ---- The run */

/* Allocates the threads before the first run. */
static void prepare(void)
{
    if (threads) return;
    threads = calloc(SONDE_THREADS_MAX, sizeof *threads);
    if (!threads) abort();
    for (uint32_t i = 0; i < SONDE_THREADS_MAX; i++) init_life(&threads[i]);
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1); /* one heap for all threads, so that addresses depend only on the order of allocations */
#endif
}

/* Lets the remaining threads end, one after the other, so that no two of them ever run at once. */
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
