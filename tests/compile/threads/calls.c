/* Calls of sonde_together in reports: with and without .print, arguments of several kinds, calls that crash and that do not return. */
#include <pthread.h>
#include <semaphore.h>
#include <sonde.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct call {
    int by, result;
    const char *text;
};

static void draw_by(sonde *t, void *call)
{
    ((struct call *)call)->by = sonde_int(t, "by", 1, 3);
}

static void draw_pair(sonde *t, void *call)
{
    draw_by(t, call);
    ((struct call *)call)->text = sonde_string(t, "text", 1, 2);
}

static void print_pair(FILE *out, const void *call)
{
    fprintf(out, "<%d>", ((const struct call *)call)->by);
}

static void draw_shown(sonde *t, void *call)
{
    draw_by(t, call);
    sonde_show(t, print_pair, call);
}

static void print_result(FILE *out, const void *call)
{
    fprintf(out, "%d", ((const struct call *)call)->result);
}

static void add(void *world, void *call)
{
    int *counter = world;
    *counter += ((struct call *)call)->by;
    ((struct call *)call)->result = *counter;
}

static bool agrees(void *model, const void *call)
{
    *(int *)model += ((const struct call *)call)->by;
    return *(int *)model == ((const struct call *)call)->result;
}

static void get(void *world, void *call)
{
    ((struct call *)call)->result = -*(int *)world - 1; /* always wrong */
}

static bool get_agrees(void *model, const void *call)
{
    return *(int *)model == ((const struct call *)call)->result;
}

static void wait_forever(void *world, void *call)
{
    static sem_t never;
    (void)world, (void)call;
    sem_wait(&never);
}

static void crash(void *world, void *call)
{
    (void)world, (void)call;
    abort();
}

static bool always(void *model, const void *call)
{
    (void)model, (void)call;
    return true;
}

#define MACHINE(name, ...)                                                                                             \
    static const sonde_rule rules_of_##name[] = {__VA_ARGS__};                                                         \
    static const sonde_machine machine_of_##name = {                                                                   \
        SONDE_RULES(rules_of_##name), .size = sizeof(int), .call = sizeof(struct call), .model = sizeof(int)};         \
    SONDE_PROPERTY(name)                                                                                               \
    {                                                                                                                  \
        sonde_together(t, "calls", &machine_of_##name, &(sonde_parallel){.threads = {2, 2}, .calls = {1, 2}});         \
    }

MACHINE(with_printer, {.name = "add", .draw = draw_by, .run = add, .agrees = agrees, .print = print_result})
MACHINE(without_printer, {.name = "add", .draw = draw_by, .run = add, .agrees = agrees})
MACHINE(two_arguments, {.name = "add", .draw = draw_pair, .run = add, .agrees = agrees, .print = print_result})
MACHINE(shown_argument, {.name = "add", .draw = draw_shown, .run = add, .agrees = agrees, .print = print_result})
MACHINE(no_argument, {.name = "get", .run = get, .agrees = get_agrees, .print = print_result})
MACHINE(no_result, {.name = "get", .run = get, .agrees = get_agrees, .print = print_result},
        {.name = "add", .draw = draw_by, .run = add, .agrees = always})
MACHINE(waits, {.name = "wait_forever", .draw = draw_by, .run = wait_forever, .agrees = always, .print = print_result})
MACHINE(crashes, {.name = "crash", .draw = draw_by, .run = crash, .agrees = always, .print = print_result})
SONDE_MAIN()
