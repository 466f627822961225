/* 20: threads. Numbers that threads take and give back, as descriptors are: the smallest that is free. There is a bug that a million runs on
 * a real machine need not show.
 *
 * What to look for: the schedule of the threads is drawn like any other value, so the counterexample has both: which calls, and the one
 * switch from thread to thread at the place where it hurts. The notes show it as columns. What the calls should have answered is said by a
 * model for one thread alone: there must be an order of the calls in which it answers the same.
 * Compile it, and all of the code under test, by `sonde cc --threads` (docs/threads.md). */
#include <sonde.h>

#include <stdatomic.h>

/* ---- The code under test */

enum { NUMBERS = 32 };

struct numbers {
    atomic_uint taken; /* a bit for each */
};

static int take(struct numbers *n)
{
    for (int i = 0; i < NUMBERS; i++) {
        if (atomic_load(&n->taken) >> i & 1) continue;
        atomic_fetch_or(&n->taken, 1U << i); /* another may have taken it since */
        return i;
    }
    return -1;
}

static void give(struct numbers *n, int i)
{
    atomic_fetch_and(&n->taken, ~(1U << i));
}

/* ---- The test: calls, what they answered, and what one thread alone would have seen */

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
