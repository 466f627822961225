/* Faults that tools are there to see, one per property, wrong from 37 on. The first nine are for every sanitizer,
 * valgrind, --guard and every way to run a property (hosts of other frameworks define FAULTS_OF_A_HOST); the others for
 * AddressSanitizer and UBSan (tests/cli/sanitizers.sh). Correct code is beside each fault, so that what is found is
 * found by its input. */
#include "faults.h"

#include <limits.h>
#include <pthread.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CULPRIT static __attribute__((noinline))
#define STAY __asm__ volatile("" ::: "memory")

enum { WRONG_FROM = 37 };

static volatile int sink;
static volatile char *volatile kept;

static int draw(sonde *t)
{
    return sonde_int(t, "x", 0, 1000);
}

/* ---- For every tool */

CULPRIT void look_beyond(const volatile unsigned char *bytes, int at)
{
    sink = bytes[at];
    STAY;
}

void overrun(sonde *t)
{
    size_t n;
    int x = draw(t);
    const unsigned char *bytes = sonde_bytes(t, "bytes", 4, 4, &n);
    look_beyond(bytes, x >= WRONG_FROM ? 4 : 3);
    STAY;
}

CULPRIT void use_freed(int x)
{
    volatile char *volatile p = malloc(8);
    if (!p) return;
    p[0] = 1;
    if (x >= WRONG_FROM) free((void *)p);
    sink = p[0];
    if (x < WRONG_FROM) free((void *)p);
    STAY;
}

void use_after_free(sonde *t)
{
    use_freed(draw(t));
    STAY;
}

static int shared;

CULPRIT void *count_up(void *lock)
{
    if (lock) pthread_mutex_lock(lock);
    shared++;
    if (lock) pthread_mutex_unlock(lock);
    STAY;
    return NULL;
}

void race(sonde *t)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t threads[2];
    int x = draw(t);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, count_up, x >= WRONG_FROM ? NULL : &lock) != 0) abort();
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}

CULPRIT void decide(const volatile int *by)
{
    if (*by > 5) sink = (int)getpid(); /* a call, so that it is a jump */
    STAY;
}

void uninitialised(sonde *t)
{
    int x = draw(t);
    volatile int *room = malloc(sizeof *room);
    if (!room) return;
    if (x < WRONG_FROM) *room = x;
    decide(room);
    free((void *)room);
}

CULPRIT void lose(int x)
{
    kept = malloc(100);
    if (x < WRONG_FROM) free((void *)kept);
    kept = NULL;
    STAY;
}

void leak(sonde *t)
{
    lose(draw(t));
    STAY;
}

CULPRIT void divide(volatile int by)
{
    sink = 100 / by;
    STAY;
}

void division(sonde *t)
{
    divide(draw(t) >= WRONG_FROM ? 0 : 1);
    STAY;
}

CULPRIT void give_up(void)
{
    abort();
}

void aborts(sonde *t)
{
    if (draw(t) >= WRONG_FROM) give_up();
}

CULPRIT void go_on(void)
{
    for (;;) sink++;
}

void hang(sonde *t)
{
    if (draw(t) >= WRONG_FROM) go_on();
}

CULPRIT void leave(void)
{
    exit(0);
}

void exits(sonde *t)
{
    if (draw(t) >= WRONG_FROM) leave();
}

#ifndef FAULTS_OF_A_HOST

/* ---- For AddressSanitizer and UBSan */

CULPRIT void overflow_heap(int x)
{
    volatile char *p = malloc(WRONG_FROM);
    if (!p) return;
    p[x] = 1;
    free((void *)p);
    STAY;
}

static void heap_overflow(sonde *t)
{
    overflow_heap(draw(t));
    STAY;
}

CULPRIT void add_up(int x)
{
    volatile int most = INT_MAX - WRONG_FROM + 1;
    sink = most + x;
    STAY;
}

static void undefined(sonde *t)
{
    add_up(draw(t));
    STAY;
}

/* Two places of undefined behaviour are two failures. */
static void undefined_twice(sonde *t)
{
    int x = draw(t);
    volatile int most = INT_MAX, shift = x == 500 ? 40 : 1;
    if (x >= WRONG_FROM && x < 100) sink = most + x;
    sink = 1 << shift;
}

/* A case that is left early may lose what it had: that is not the code under test's fault. */
static void leak_by_assume(sonde *t)
{
    int x = draw(t);
    kept = malloc(100);
    bool good = x < WRONG_FROM;
    if (good) free((void *)kept);
    kept = NULL;
    sonde_assume(t, good);
}

/* Only after an earlier case, of another input: the finding is a sequence. */
static void leak_after(sonde *t)
{
    static bool is_primed;
    int x = draw(t);
    kept = malloc(100);
    bool leaks = is_primed && x >= 500;
    if (x >= 100 && x < 200) is_primed = true;
    if (!leaks) free((void *)kept);
    kept = NULL;
}

CULPRIT void write_nowhere(void)
{
    int *volatile nowhere = NULL;
    *nowhere = 1;
    STAY;
}

static void segv(sonde *t)
{
    if (draw(t) >= WRONG_FROM) write_nowhere();
    STAY;
}

CULPRIT int descend(volatile int n)
{
    volatile char room[256];
    room[0] = (char)n;
    int below = n >= 0 ? descend(n + 1) : 0;
    STAY;
    return below + room[0];
}

static void stack_overflow(sonde *t)
{
    if (draw(t) >= WRONG_FROM) sink = descend(0);
}

static void fine(sonde *t)
{
    char *text = sonde_alloc(t, 100);
    memset(text, draw(t), 100);
}

SONDE_MAIN(overrun, use_after_free, race, uninitialised, leak, division, aborts, hang, exits, heap_overflow, undefined,
           undefined_twice, leak_by_assume, leak_after, segv, stack_overflow, fine)
#endif
