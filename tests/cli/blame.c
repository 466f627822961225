/* Crashes whose faulting instruction is the first of its function, with a function right before it that has nothing to do
 * with it. tests/cli/misbehave.sh builds this with several compilers and says who is to blame. */
#include <sonde.h>
#include <stddef.h>

#define APART __attribute__((noinline))

struct node {
    int value;
};

static struct node *volatile nowhere;
static void (*volatile no_function)(void);
static volatile int sink;

APART int innocent(int x)
{
    return x + 1;
}

APART int value_of(const volatile struct node *n)
{
    return n->value;
}

APART int innocent_too(int x)
{
    return x + 2;
}

APART void trap_at_once(void)
{
    __builtin_trap();
}

APART int sum(const volatile struct node *n)
{
    return value_of(n) + innocent(1);
}

static void reads(sonde *t)
{
    struct node fine = {1};
    sink = sum(sonde_int(t, "x", 0, 1000) >= 37 ? nowhere : &fine);
    sink = innocent_too(sink);
}

static void traps(sonde *t)
{
    if (sonde_int(t, "x", 0, 1000) >= 37) trap_at_once();
    sink = innocent_too(sink);
}

static void calls_nothing(sonde *t)
{
    if (sonde_int(t, "x", 0, 1000) >= 37) no_function();
    sink = innocent_too(sink);
}

int main(int argc, char **argv)
{
    const sonde_property all[] = {
        {.name = "reads", .run = reads},
        {.name = "traps", .run = traps},
        {.name = "calls_nothing", .run = calls_nothing},
    };
    return sonde_main(argc, argv, all, sizeof all / sizeof *all);
}
