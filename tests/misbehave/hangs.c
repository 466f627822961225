/* Properties that do not come to an end, in ways that once had several names. tests/cli/hangs.sh says what is expected. */
#include <pthread.h>
#include <sonde.h>
#include <unistd.h>

#define CULPRIT static __attribute__((noinline))
#define STAY __asm__ volatile("" ::: "memory")

static volatile int count;

CULPRIT void one(void)
{
    for (int i = 0; i < 1000; i++) count++;
}

CULPRIT void two(void)
{
    for (int i = 0; i < 300; i++) count--;
}

/* Whatever is called at the moment it is stopped, it is one loop. */
static void calls_in_turn(sonde *t)
{
    if (sonde_int(t, "x", 0, 1000) <= 900) return;
    for (;;) {
        one();
        two();
    }
}

CULPRIT void again(void)
{
    for (int i = 0; i < 1000; i++) count += 2;
}

CULPRIT void back(void)
{
    for (int i = 0; i < 1000; i++) count -= 3;
}

/* Three functions that take equally long. */
static void takes_turns(sonde *t)
{
    if (sonde_int(t, "x", 0, 1000) <= 900) return;
    for (;;) {
        one();
        again();
        back();
    }
}

CULPRIT void first_loop(void)
{
    for (;;) one();
}

CULPRIT void second_loop(void)
{
    for (;;) two();
}

static void has_two_loops(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    if (x > 900) first_loop();
    if (x > 600) second_loop();
    STAY;
}

static sonde *running;

static void defer_again(void *what)
{
    sonde_defer(running, defer_again, what);
}

static void defers_for_ever(sonde *t)
{
    running = t;
    if (sonde_int(t, "x", 0, 1000) >= 37) sonde_defer(t, defer_again, NULL);
}

static void holds(sonde *t)
{
    (void)sonde_int(t, "x", 0, 1000);
}

static void spin_around(void *context)
{
    (void)context;
    for (;;) one();
}

static void wait_around(void *context)
{
    (void)context;
    for (;;) sleep(1000);
}

CULPRIT int descend(volatile int n)
{
    volatile char room[256];
    room[0] = (char)n;
    int below = n >= 0 ? descend(n + 1) : 0;
    STAY;
    return below + room[0];
}

static void *descend_here(void *unused)
{
    count = descend(0);
    return unused;
}

static void thread_overflows(sonde *t)
{
    pthread_t thread;
    if (sonde_int(t, "x", 0, 1000) < 37 || pthread_create(&thread, NULL, descend_here, NULL) != 0) return;
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    const sonde_property all[] = {
        {.name = "calls_in_turn", .run = calls_in_turn},
        {.name = "takes_turns", .run = takes_turns},
        {.name = "has_two_loops", .run = has_two_loops},
        {.name = "defers_for_ever", .run = defers_for_ever},
        {.name = "setup_spins", .run = holds, .worker_setup = spin_around},
        {.name = "setup_waits", .run = holds, .worker_setup = wait_around},
        {.name = "teardown_spins", .run = holds, .worker_teardown = spin_around},
        {.name = "teardown_waits", .run = holds, .worker_teardown = wait_around},
        {.name = "thread_overflows", .run = thread_overflows},
    };
    return sonde_main(argc, argv, all, sizeof all / sizeof *all);
}
