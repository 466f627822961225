/* Crashes after the code under test has changed how signals are handled. */
#include <pthread.h>
#include <signal.h>
#include <sonde.h>

static void crash_from(int x, int least)
{
    if (x >= least) *(volatile int *)0 = 1;
}

static void *nothing(void *arg)
{
    return arg;
}

static void run_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
}

static void all_ignored(sonde *t)
{
    int x = sonde_int(t, "x", 0, 100);
    for (int i = 1; i < 32; i++) signal(i, SIG_IGN);
    crash_from(x, 37);
}

static void one_default(sonde *t)
{
    int x = sonde_int(t, "x", 0, 100);
    signal(SIGSEGV, SIG_DFL);
    crash_from(x, 37);
}

static void ignored_after_threads(sonde *t)
{
    int x = sonde_int(t, "x", 0, 100);
    run_thread();
    for (int i = 1; i < 32; i++) signal(i, SIG_IGN);
    crash_from(x, 37);
}

SONDE_MAIN(all_ignored, one_default, ignored_after_threads)
