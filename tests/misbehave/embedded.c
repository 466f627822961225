/* A host that runs a property and has its own handler: which property, and how, are the arguments. Prints "host: ..."
 * where it gets to. */
#include <sonde.h>

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int zero;
static int *volatile nowhere; /* not to volatile: clang's UBSan checks no such pointer */

static int draw(sonde *t)
{
    sonde_list xs = sonde_list_of(t, "xs", 2, 2);
    while (sonde_more(&xs)) sonde_double(t, "x", 0.5, 0.5);
    sonde_open(t, "pair");
    sonde_string_of(t, "name", "\"", 1, 1);
    int n = sonde_int(t, "n", 0, 1000);
    sonde_close(t, "pair");
    return n;
}

static int recurse(int depth)
{
    volatile char frame[4096];
    frame[0] = (char)depth;
    return depth < 0 ? frame[0] : recurse(depth + 1) + frame[0];
}

static void segv(sonde *t)
{
    if (draw(t) >= 500) *nowhere = 1;
}

static void division(sonde *t)
{
    int n = draw(t);
    if (n >= 500) zero = n / zero;
}

static void aborts(sonde *t)
{
    if (draw(t) >= 500) abort();
}

static void overflow(sonde *t)
{
    if (draw(t) >= 500) zero = recurse(zero);
}

static void hang(sonde *t)
{
    int n = draw(t);
    while (n >= 500 && !zero) continue;
}

static void waits(sonde *t)
{
    if (draw(t) >= 500)
        for (;;) pause();
}

static void exits(sonde *t)
{
    if (draw(t) >= 500) exit(0);
}

static void quick(sonde *t)
{
    if (draw(t) >= 500) quick_exit(0);
}

static void at_once(sonde *t)
{
    if (draw(t) >= 500) _exit(0);
}

static void ends(void *unused)
{
    (void)unused;
    exit(0);
}

static void ends_at_once(void *unused)
{
    (void)unused;
    _exit(0);
}

static void on_signal(int number)
{
    const char *text = number == SIGSEGV ? "host: segv\n" : number == SIGFPE ? "host: fpe\n" : "host: abort\n";
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(4);
    _exit(3);
}

static void *idle(void *unused)
{
    for (;;) pause();
    return unused;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        sonde_property_fn *run;
    } all[] = {{"segv", segv},   {"division", division}, {"abort", aborts}, {"overflow", overflow}, {"hang", hang},
               {"waits", waits}, {"exit", exits},        {"quick", quick},  {"at_once", at_once}};
    sonde_config config = {.seed = 1, .tests = 3000, .timeout = 0.05, .wall_timeout = 100, .store = ""};
    sonde_property_fn *run = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, argv[1])) config.name = all[i].name, run = all[i].run;
    if (run == waits) config.wall_timeout = 0.5;
    void (*end)(void *) = run == at_once ? ends_at_once : ends;
    const sonde_property sets_up = {.worker_setup = end}, tears_down = {.worker_teardown = end};
    if (argc > 2 && strcmp(argv[2], "setup") == 0) config.property = &sets_up;
    if (argc > 2 && strcmp(argv[2], "teardown") == 0) config.property = &tears_down;
    if (argc > 2 && strcmp(argv[2], "thread") == 0) {
        pthread_t thread;
        config.isolate = SONDE_ISOLATE_WORKER;
        if (pthread_create(&thread, NULL, idle, NULL) != 0) return 4;
    }
    if (argc > 2 && strcmp(argv[2], "handler") == 0) {
        signal(SIGSEGV, on_signal);
        signal(SIGFPE, on_signal);
        signal(SIGABRT, on_signal);
    }
    int status = sonde_run(run, &config);
    printf("host: status %d\n", status);
    return status;
}
