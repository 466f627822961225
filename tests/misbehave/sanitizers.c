/* What sanitizers see: one property per kind, wrong from 37 on, like kinds.c. tests/cli/sanitizers.sh builds it as a
 * user would, with AddressSanitizer and a UBSan that only prints, against a library without either. */
#include <limits.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

#define CULPRIT static __attribute__((noinline))
#define STAY __asm__ volatile("" ::: "memory")

enum { WRONG_FROM = 37 };

static volatile int sink;
static volatile char *volatile kept;

static int draw(sonde *t)
{
    return sonde_int(t, "x", 0, 1000);
}

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

CULPRIT void use_after_free(int x)
{
    volatile char *volatile p = malloc(8);
    if (!p) return;
    p[0] = 1;
    if (x >= WRONG_FROM) free((void *)p);
    sink = p[0];
    if (x < WRONG_FROM) free((void *)p);
    STAY;
}

static void freed(sonde *t)
{
    use_after_free(draw(t));
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

CULPRIT void lose(int x)
{
    kept = malloc(100);
    if (x < WRONG_FROM) free((void *)kept);
    kept = NULL;
    STAY;
}

static void leak(sonde *t)
{
    lose(draw(t));
    STAY;
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

SONDE_MAIN(heap_overflow, freed, undefined, undefined_twice, leak, leak_by_assume, leak_after, segv, stack_overflow,
           fine)
