/* Programs with a data race and programs without one, for sonde_find_races and for ThreadSanitizer (tests/compile/races.sh).
 *
 * Each program has two functions, which run in two threads at once. By sonde cc --threads each is a property; by -DNATIVE the
 * program runs those whose names it is given. Names begin with racy_ or right_. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int data, other;
static char text[64];
static int numbers[8];
static atomic_int flag, flag2;
static _Atomic(int *) pointer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t signal_ = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_once_t once;
static once_flag once11;
static mtx_t lock11;
static sem_t semaphore;
static int ends[2];
static int *heap;
static bool is_ready;
static volatile int volatile_flag;
static struct {
    unsigned a : 4, b : 4;
} bits;
static _Thread_local volatile int sink; /* so that what is read is read */

static void reset(void)
{
    data = other = 0;
    is_ready = false;
    volatile_flag = 0;
    memset(text, 0, sizeof text);
    for (int i = 0; i < 8; i++) numbers[i] = 8 - i;
    atomic_store(&flag, 0);
    atomic_store(&flag2, 0);
    atomic_store(&pointer, NULL);
    bits.a = bits.b = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, 0);
    once = (pthread_once_t)PTHREAD_ONCE_INIT;
    once11 = (once_flag)ONCE_FLAG_INIT;
    mtx_init(&lock11, mtx_plain);
    sem_init(&semaphore, 0, 0);
    if (pipe(ends) < 0) abort();
    heap = malloc(sizeof *heap);
    *heap = 1;
}

static void clean_up(void)
{
    close(ends[0]);
    close(ends[1]);
    free(heap);
    pthread_barrier_destroy(&barrier);
    mtx_destroy(&lock11);
    sem_destroy(&semaphore);
}

/* Waits for a flag with a loop, in this order. */
static void await(atomic_int *f, int value, memory_order order)
{
    while (atomic_load_explicit(f, order) != value) sched_yield();
}
#define SET(f, v, order) atomic_store_explicit(&(f), v, memory_order_##order)
#define FENCE(order) atomic_thread_fence(memory_order_##order)

static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
static void make(void)
{
    data = 7;
}

struct program {
    const char *name;
    void (*a)(void), (*b)(void);
};
#define PROGRAM(name, one, two)                                                                                        \
    static void name##_a(void)                                                                                         \
    {                                                                                                                  \
        one;                                                                                                           \
    }                                                                                                                  \
    static void name##_b(void)                                                                                         \
    {                                                                                                                  \
        two;                                                                                                           \
    }
#include "races.def"
#undef PROGRAM

static void *first(void *p)
{
    ((const struct program *)p)->a();
    return NULL;
}
static void *other_one(void *p)
{
    ((const struct program *)p)->b();
    return NULL;
}

static void run_program(const struct program *p)
{
    pthread_t a, b;
    reset();
    pthread_create(&a, NULL, first, (void *)(uintptr_t)p);
    pthread_create(&b, NULL, other_one, (void *)(uintptr_t)p);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    clean_up();
}

#ifdef NATIVE
static const struct program programs[] = {
#define PROGRAM(name, one, two) {#name, name##_a, name##_b},
#include "races.def"
#undef PROGRAM
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (argc < 2) puts(programs[i].name);
        for (int k = 1; k < argc; k++)
            for (int times = 0; times < 100 && strcmp(argv[k], programs[i].name) == 0; times++)
                run_program(&programs[i]);
    }
    return 0;
}
#else
#include <sonde.h>
static void run(sonde *t, void *p)
{
    (void)t;
    run_program(p);
}
#define PROGRAM(name, one, two)                                                                                        \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        static const struct program p = {#name, name##_a, name##_b};                                                   \
        sonde_find_races(t);                                                                                           \
        sonde_threads(t, "run", run, (void *)(uintptr_t)&p);                                                           \
    }
#include "races.def"
SONDE_MAIN()
#endif
