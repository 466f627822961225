/* Programs that kernel threads can host and fibers cannot, and properties that must hold with both (sonde cc
 * --threads=os). */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sonde.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

int *library_local(void); /* of a library that sonde cc has not seen */
void library_at_exit(atomic_int *counter);

static sonde *the_case;
static pthread_t others[3];

static void start(void *(*fn)(void *), void *a, void *b)
{
    pthread_create(&others[0], NULL, fn, a);
    pthread_create(&others[1], NULL, fn, b);
}

static void join(void)
{
    pthread_join(others[0], NULL);
    pthread_join(others[1], NULL);
}

/* ---- Only threads of the kernel's host this */

/* A thread-local whose address another has: fibers would each find their own there. */
static _Thread_local int slot;
static int *_Atomic published;
static atomic_int seen;
static void *publishes(void *unused)
{
    slot = 7;
    published = &slot;
    while (!seen) {}
    return unused;
}
static void *looks(void *unused)
{
    while (!published) {}
    seen = *published;
    return unused;
}
static void publish(sonde *t, void *unused)
{
    (void)unused;
    published = NULL;
    seen = 0;
    pthread_create(&others[0], NULL, publishes, NULL);
    pthread_create(&others[1], NULL, looks, NULL);
    join();
    sonde_check_eq(t, (int)seen, 7);
}
SONDE_PROPERTY(right_published_local)
{
    sonde_threads(t, "run", publish, NULL);
}

/* The same with a bug that only schedules between two steps on another's thread-local show. */
static _Thread_local int owned;
static int *_Atomic address;
static void *raises_own(void *unused)
{
    owned = 0;
    address = &owned;
    owned++;
    return unused;
}
static void *raises_others(void *result)
{
    while (!address) {}
    (*address)++;
    *(int *)result = 1;
    return NULL;
}
static void *waits_and_reads(void *unused)
{
    int done = 0;
    pthread_t helper;
    raises_own(NULL);
    pthread_create(&helper, NULL, raises_others, &done);
    owned++;
    pthread_join(helper, NULL);
    sonde_check_eq(the_case, owned, 3);
    return unused;
}
static void share_local(sonde *t, void *unused)
{
    the_case = t;
    address = NULL;
    pthread_create(&others[0], NULL, waits_and_reads, unused);
    pthread_join(others[0], NULL);
}
SONDE_PROPERTY(lost_update_of_a_local)
{
    sonde_threads(t, "run", share_local, NULL);
}

/* Threads that ask the kernel which thread they are. */
static atomic_int tids[2];
static pthread_t selves[2];
static void *asks(void *index)
{
    int i = (int)(intptr_t)index;
    pthread_attr_t attributes;
    void *bottom;
    size_t size;
    char name[16];
    tids[i] = (int)syscall(SYS_gettid);
    selves[i] = pthread_self();
    sonde_check(the_case, pthread_getattr_np(pthread_self(), &attributes) == 0);
    pthread_attr_getstack(&attributes, &bottom, &size);
    pthread_attr_destroy(&attributes);
    sonde_check(the_case, (char *)&size > (char *)bottom && (char *)&size < (char *)bottom + size);
    sonde_check(the_case, pthread_setname_np(pthread_self(), "one of them") == 0);
    sonde_check(the_case, pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    sonde_check(the_case, strcmp(name, "one of them") == 0);
    sched_yield();
    sonde_check(the_case, tids[i] == (int)syscall(SYS_gettid));
    return NULL;
}
static void ask(sonde *t, void *unused)
{
    (void)unused;
    the_case = t;
    start(asks, (void *)0, (void *)1);
    pthread_t first = others[0], second = others[1];
    join();
    sonde_check(t, tids[0] != tids[1] && tids[0] != getpid());
    sonde_check(t, pthread_equal(selves[0], first) && pthread_equal(selves[1], second));
    sonde_check(t, (int)syscall(SYS_gettid) == getpid());
}
SONDE_PROPERTY(right_numbers)
{
    sonde_threads(t, "run", ask, NULL);
}

/* ---- Fibers host this as well */

static void *uses_library(void *by)
{
    int *local = library_local();
    sonde_check_eq(the_case, *local, 5);
    *local += (int)(intptr_t)by;
    sched_yield();
    sonde_check_eq(the_case, *local, 5 + (int)(intptr_t)by);
    return NULL;
}
static void use_library(sonde *t, void *unused)
{
    (void)unused;
    the_case = t;
    start(uses_library, (void *)1, (void *)2);
    join();
}
SONDE_PROPERTY(right_library_locals)
{
    sonde_threads(t, "run", use_library, NULL);
}

/* Coroutines that the program makes itself, a jump out of deep recursion, and much stack. */
static __attribute__((noinline)) int dig(int depth, jmp_buf out)
{
    volatile char room[4096];
    room[0] = (char)depth;
    if (depth == 0) longjmp(out, 1);
    if (depth < 0) return 0;
    return dig(depth - 1, out) + room[0];
}
static ucontext_t outer[2], inner[2];
static int resumed[2];
static void coroutine(int i)
{
    resumed[i]++;
    sched_yield();
    swapcontext(&inner[i], &outer[i]);
    resumed[i]++;
    swapcontext(&inner[i], &outer[i]);
}
static void *jumps(void *index)
{
    static char stacks[2][1 << 16];
    int i = (int)(intptr_t)index;
    jmp_buf out;
    if (setjmp(out) == 0) dig(1000, out);
    resumed[i] = 0;
    getcontext(&inner[i]);
    inner[i].uc_stack = (stack_t){.ss_sp = stacks[i], .ss_size = sizeof stacks[i]};
    inner[i].uc_link = NULL;
    makecontext(&inner[i], (void (*)(void))(uintptr_t)coroutine, 1, i);
    swapcontext(&outer[i], &inner[i]);
    sched_yield();
    swapcontext(&outer[i], &inner[i]);
    sonde_check_eq(the_case, resumed[i], 2);
    return NULL;
}
static void jump(sonde *t, void *unused)
{
    (void)unused;
    the_case = t;
    start(jumps, (void *)0, (void *)1);
    join();
}
SONDE_PROPERTY(right_jumps)
{
    sonde_threads(t, "run", jump, NULL);
}

/* Destructors of native keys have run before pthread_join returns. */
static atomic_int ended;
static void *registers(void *unused)
{
    library_at_exit(&ended);
    return unused;
}
static void register_and_join(sonde *t, void *unused)
{
    (void)unused;
    ended = 0;
    pthread_create(&others[0], NULL, registers, NULL);
    pthread_create(&others[1], NULL, registers, NULL);
    pthread_join(others[0], NULL);
    pthread_join(others[1], NULL);
    sonde_check_eq(t, (int)ended, 2);
}
SONDE_PROPERTY(right_destructors)
{
    sonde_threads(t, "run", register_and_join, NULL);
}

/* The first thread ends before the others. */
static atomic_int last;
static void *comes_later(void *unused)
{
    sched_yield();
    last++;
    return unused;
}
static void end_first(sonde *t, void *unused)
{
    (void)t, (void)unused;
    pthread_create(&others[0], NULL, comes_later, NULL);
    pthread_detach(others[0]);
    pthread_exit(NULL);
}
SONDE_PROPERTY(right_early_exit)
{
    last = 0;
    sonde_threads(t, "run", end_first, NULL);
    sonde_check_eq(t, (int)last, 1);
}

/* ---- Ends of all kinds, in a thread that is not the first */

static void *crashes(void *unused)
{
    *(volatile int *)8 = 1;
    return unused;
}
static __attribute__((noinline)) int overflow(volatile int *depth)
{
    volatile char room[1 << 16];
    room[0] = 1;
    return *depth < 0 ? 0 : overflow(depth) + room[0];
}
static void *overflows(void *unused)
{
    volatile int depth = 1;
    return overflow(&depth) ? unused : NULL;
}
static void *aborts(void *unused)
{
    (void)unused;
    abort();
}
static void *exits(void *unused)
{
    (void)unused;
    exit(3);
}
static void *fails(void *unused)
{
    sonde_check_eq(the_case, 1, 2);
    return unused;
}
static void *discards(void *unused)
{
    sonde_assume(the_case, unused != NULL);
    return unused;
}
static volatile int always = 1;
static void *loops_in_place(void *unused)
{
    while (always) {}
    return unused;
}
static __attribute__((no_sanitize("thread"))) void *loops_unseen(void *unused)
{
    while (always) {}
    return unused;
}
static void run_one(sonde *t, void *fn)
{
    the_case = t;
    pthread_create(&others[0], NULL, *(void *(**)(void *))fn, NULL);
    pthread_create(&others[1], NULL, comes_later, NULL);
    join();
}
#define ENDING(name, fn)                                                                                               \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        void *(*f)(void *) = fn;                                                                                       \
        sonde_threads(t, "run", run_one, &f);                                                                          \
    }
ENDING(crash_elsewhere, crashes)
ENDING(overflow_elsewhere, overflows)
ENDING(abort_elsewhere, aborts)
ENDING(exit_elsewhere, exits)
ENDING(claim_elsewhere, fails)
ENDING(loop_elsewhere, loops_in_place)
ENDING(unseen_loop_elsewhere, loops_unseen)

/* Left in the middle, with threads that have not ended, in almost every case: memory stays the same. */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *holds(void *unused)
{
    pthread_mutex_lock(&m);
    discards(unused);
    pthread_mutex_unlock(&m);
    return unused;
}
static void leave_some(sonde *t, void *unused)
{
    the_case = t;
    for (int i = 0; i < 3; i++) pthread_create(&others[i], NULL, i == 1 ? holds : comes_later, unused);
    for (int i = 0; i < 3; i++) pthread_join(others[i], NULL);
}
static unsigned long in_use(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%lu", &pages) != 1) pages = 0;
    if (f) fclose(f);
    return pages;
}
SONDE_PROPERTY(left_in_the_middle)
{
    static unsigned n;
    static unsigned long early;
    if (++n == 500) early = in_use();
    if (n % 500 == 0 && in_use() > early + 256) abort(); /* a stack has 2048 pages */
    sonde_threads(t, "run", leave_some, NULL);
}

SONDE_MAIN()
