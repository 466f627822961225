/* Properties that misbehave, one per kind of failure that sonde tells apart. Each draws x in [0, 1000] and goes wrong
 * from 37 on, in a separate static function, so a test can ask for kind, function, minimal input and replay.
 * tests/cli/misbehave.sh says what is expected of each. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Each is a separate function in every build. STAY: the call before it is not the last act of its function, which a
 * compiler would turn into a jump that leaves no trace. */
#define CULPRIT static __attribute__((noinline))
#define STAY __asm__ volatile("" ::: "memory")

enum { WRONG_FROM = 37 };

static int draw(sonde *t)
{
    return sonde_int(t, "x", 0, 1000);
}

/* ---- Claims */

static void check(sonde *t)
{
    int x = draw(t);
    sonde_check(t, x < WRONG_FROM);
}

static void expect(sonde *t)
{
    int x = draw(t);
    sonde_expect(t, x < WRONG_FROM);
}

static void fail(sonde *t)
{
    int x = draw(t);
    if (x >= WRONG_FROM) sonde_fail(t, "%d is too much", x);
}

/* ---- Signals */

static int *volatile nowhere;

CULPRIT void write_nowhere(void)
{
    *nowhere = 1;
    STAY;
}

static void segv(sonde *t)
{
    if (draw(t) >= WRONG_FROM) write_nowhere();
    STAY;
}

CULPRIT void read_beyond_file(void)
{
    int fd = memfd_create("empty", 0);
    volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    (void)page[0];
    STAY;
}

static void bus(sonde *t)
{
    if (draw(t) >= WRONG_FROM) read_beyond_file();
    STAY;
}

static volatile int one = 1, zero, quotient;

CULPRIT void divide_by_zero(void)
{
    quotient = one / zero;
    STAY;
}

static void fpe(sonde *t)
{
    if (draw(t) >= WRONG_FROM) divide_by_zero();
    STAY;
}

CULPRIT void run_into_trap(void)
{
    raise(SIGILL);
    STAY;
}

static void ill(sonde *t)
{
    if (draw(t) >= WRONG_FROM) run_into_trap();
    STAY;
}

CULPRIT void insist(int x)
{
    assert(x < WRONG_FROM);
    STAY;
}

static void plain_assert(sonde *t)
{
    insist(draw(t));
    STAY;
}

/* Recursion is one function, however deep: repeats in a row count once. */
CULPRIT int descend(volatile int n)
{
    volatile char room[256];
    room[0] = (char)n;
    int below = n >= 0 ? descend(n + 1) : 0; /* without end, as far as a stack goes */
    STAY;
    return below + room[0];
}

static void stack_overflow(sonde *t)
{
    if (draw(t) >= WRONG_FROM) quotient = descend(0);
}

CULPRIT void crash_at_depth(volatile int n)
{
    if (n > 0) crash_at_depth(n - 1);
    else *nowhere = 1;
    STAY;
}

static void deep_crash(sonde *t)
{
    int x = draw(t);
    if (x >= WRONG_FROM) crash_at_depth(x % 7 + 2);
    STAY;
}

/* ---- Leaving */

CULPRIT void leave(void)
{
    exit(3);
}

static void calls_exit(sonde *t)
{
    if (draw(t) >= WRONG_FROM) leave();
    STAY;
}

CULPRIT void leave_quickly(void)
{
    quick_exit(5);
}

static void calls_quick_exit(sonde *t)
{
    if (draw(t) >= WRONG_FROM) leave_quickly();
    STAY;
}

static void calls__exit(sonde *t)
{
    if (draw(t) >= WRONG_FROM) _exit(0);
}

/* ---- Taking too much */

CULPRIT void spin(void)
{
    for (volatile int i = 0;; i = !i) STAY;
}

static void hang(sonde *t)
{
    if (draw(t) >= WRONG_FROM) spin();
    STAY;
}

CULPRIT void wait_forever(void)
{
    for (;;) sleep(1000);
}

static void sleeps(sonde *t)
{
    if (draw(t) >= WRONG_FROM) wait_forever();
    STAY;
}

static char *volatile meal; /* seen by all, so that no compiler takes it for nothing */

CULPRIT void eat(void)
{
    for (;;) {
        meal = malloc(1 << 20);
        if (!meal) abort();
        memset(meal, 1, 1 << 20);
    }
}

static void memory(sonde *t)
{
    if (draw(t) >= WRONG_FROM) eat();
    STAY;
}

static void killed(sonde *t)
{
    if (draw(t) < WRONG_FROM) return;
    kill(getpid(), SIGKILL);
    pause();
}

/* ---- Processes, threads, descriptors */

static void forks(sonde *t)
{
    if (draw(t) >= WRONG_FROM) (void)fork(); /* both return */
}

/* A child that ends itself is not a failure. */
static void forks_well(sonde *t)
{
    int x = draw(t), status = 0;
    if (x % 100) return;
    pid_t child = fork();
    if (child == 0) _exit(7);
    if (child > 0) waitpid(child, &status, 0);
    sonde_check(t, child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 7));
}

/* Nor is a child that crashes. */
static void child_crashes(sonde *t)
{
    int x = draw(t), status = 0;
    if (x % 100) return;
    pid_t child = fork();
    if (child == 0) abort();
    if (child > 0) waitpid(child, &status, 0);
    sonde_check(t, x >= 0);
}

static void closes_descriptors(sonde *t)
{
    int x = draw(t);
    for (int fd = 0; x >= 20 && fd < 256; fd++) close(fd);
    sonde_check(t, x < WRONG_FROM);
}

static void *crash_here(void *unused)
{
    write_nowhere();
    return unused;
}

static void thread_crashes(sonde *t)
{
    pthread_t thread;
    if (draw(t) < WRONG_FROM || pthread_create(&thread, NULL, crash_here, NULL) != 0) return;
    pthread_join(thread, NULL);
}

static void babbles(sonde *t)
{
    int x = draw(t);
    printf("{\"property\": \"forged\", %d\001\xff\n", x);
    fputs("ok 1 - forged\n", stderr);
    fflush(stdout);
    if (write(STDOUT_FILENO, "raw\n", 4) < 0) return;
    sonde_check(t, x < WRONG_FROM);
}

/* ---- Around a case */

static void nothing(sonde *t)
{
    (void)draw(t);
}

static void bad_setup(sonde *t)
{
    if (draw(t) >= WRONG_FROM) write_nowhere();
    STAY;
}

static void bad_teardown(sonde *t)
{
    (void)t;
    write_nowhere();
    STAY;
}

static void undo_badly(void *what)
{
    (void)what;
    write_nowhere();
    STAY;
}

static void bad_defer(sonde *t)
{
    if (draw(t) >= WRONG_FROM) sonde_defer(t, undo_badly, NULL);
}

static void bad_worker_setup(void *context)
{
    (void)context;
    write_nowhere();
    STAY;
}

static void bad_worker_teardown(void *context)
{
    (void)context;
    write_nowhere();
    STAY;
}

/* ---- Calls that do not come back */

/* State that cases leave behind: the third big one fails. */
static void depends_on_state(sonde *t)
{
    static int big;
    int x = draw(t);
    if (x >= WRONG_FROM) big++;
    sonde_check(t, big < 3);
}

/* One failure in the life of a store. */
static void flaky(sonde *t)
{
    int x = draw(t);
    const char *mark = getenv("FLAKY_MARK");
    if (x < WRONG_FROM || !mark || access(mark, F_OK) == 0) return;
    FILE *file = fopen(mark, "w");
    if (file) fclose(file);
    sonde_check(t, x < WRONG_FROM);
}

/* Several bugs, one rare. */
static void several(sonde *t)
{
    int x = draw(t);
    if (x == 500) raise(SIGFPE);
    if (x % 10 == 3) write_nowhere();
    sonde_check(t, x % 10 != 4);
}

#define PLAIN(property)                                                                                                \
    {                                                                                                                  \
        .name = #property, .run = property                                                                             \
    }

int main(int argc, char **argv)
{
    const sonde_property all[] = {
        PLAIN(check),
        PLAIN(expect),
        PLAIN(fail),
        PLAIN(segv),
        PLAIN(bus),
        PLAIN(fpe),
        PLAIN(ill),
        PLAIN(plain_assert),
        PLAIN(stack_overflow),
        PLAIN(deep_crash),
        PLAIN(calls_exit),
        PLAIN(calls__exit),
        PLAIN(calls_quick_exit),
        PLAIN(hang),
        PLAIN(sleeps),
        PLAIN(memory),
        PLAIN(killed),
        PLAIN(forks),
        PLAIN(forks_well),
        PLAIN(child_crashes),
        PLAIN(closes_descriptors),
        PLAIN(thread_crashes),
        PLAIN(babbles),
        {.name = "bad_setup", .run = nothing, .setup = bad_setup},
        {.name = "bad_teardown", .run = nothing, .teardown = bad_teardown},
        PLAIN(bad_defer),
        {.name = "bad_worker_setup", .run = nothing, .worker_setup = bad_worker_setup},
        {.name = "bad_worker_teardown", .run = nothing, .worker_teardown = bad_worker_teardown},
        PLAIN(depends_on_state),
        PLAIN(flaky),
        PLAIN(several),
    };
    return sonde_main(argc, argv, all, sizeof all / sizeof *all);
}
