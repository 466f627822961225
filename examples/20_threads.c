/* 20: threads. Threads take and return numbers, like descriptors: always the smallest free one. A million runs on a
 * real machine may not show the bug.
 *
 * Look for: the schedule of the threads is drawn like any other value. So the counterexample has the calls, and the one
 * switch between threads that matters; the notes show it as columns. A model for a single thread defines the results:
 * there must be an order of the calls in which the model returns the same.
 * Compile this file, and all of the code under test, with `sonde cc --threads` (docs/threads.md). */
#include <sonde.h>

#include <stdatomic.h>

/* ---- The code under test */

enum { NUMBERS = 32 };

struct numbers {
    atomic_uint taken; /* one bit for each number */
};

static int take(struct numbers *n)
{
    for (int i = 0; i < NUMBERS; i++) {
        if (atomic_load(&n->taken) >> i & 1) continue;
        atomic_fetch_or(&n->taken, 1U << i); /* another thread may have taken it */
        return i;
    }
    return -1;
}

static void give(struct numbers *n, int i)
{
    atomic_fetch_and(&n->taken, ~(1U << i));
}

/* ---- The test: calls, their results, and what a single thread would have seen */

struct call {
    int number;
};

static void run_take(void *world, void *call)
{
    ((struct call *)call)->number = take(world);
}

static bool take_agrees(void *model, const void *call)
{
    unsigned *taken = model;
    int i = 0;
    while (i < NUMBERS && *taken >> i & 1) i++;
    *taken |= 1U << i;
    return ((const struct call *)call)->number == i;
}

static void print_number(FILE *out, const void *call)
{
    fprintf(out, "%d", ((const struct call *)call)->number);
}

static void draw_give(sonde *t, void *call)
{
    ((struct call *)call)->number = sonde_int(t, "number", 0, 3);
}

static void run_give(void *world, void *call)
{
    give(world, ((struct call *)call)->number);
}

static bool give_agrees(void *model, const void *call)
{
    *(unsigned *)model &= ~(1U << ((const struct call *)call)->number);
    return true;
}

static const sonde_rule rules[] = {{.name = "take", .run = run_take, .agrees = take_agrees, .print = print_number},
                                   {.name = "give", .draw = draw_give, .run = run_give, .agrees = give_agrees}};
static const sonde_machine machine = {SONDE_RULES(rules), .size = sizeof(struct numbers), .call = sizeof(struct call),
                                      .model = sizeof(unsigned)};

static void numbers_are_taken_once(sonde *t)
{
    sonde_together(t, "calls", &machine, &(sonde_parallel){.threads = {2, 3}, .calls = {1, 3}});
}

SONDE_MAIN(numbers_are_taken_once)
