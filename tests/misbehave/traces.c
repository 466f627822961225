/* Code under test that attaches to the process which watches it: for tests/cli/traces.sh. */
#define _GNU_SOURCE
#include <sonde.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int draw(sonde *t)
{
    return sonde_int(t, "x", 0, 1000);
}

static void attach(void)
{
    ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
    usleep(1000);
}

static void attaches_and_fails(sonde *t)
{
    int x = draw(t);
    if (x >= 37) attach();
    sonde_check(t, x < 37);
}

static void attaches_and_holds(sonde *t)
{
    if (draw(t) >= 37) attach();
}

static void attaches_and_crashes(sonde *t)
{
    if (draw(t) < 37) return;
    attach();
    abort();
}

static void attaches_and_exits(sonde *t)
{
    if (draw(t) < 37) return;
    attach();
    exit(0);
}

static void seizes_and_fails(sonde *t)
{
    int x = draw(t);
    if (x >= 37) ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
    if (x >= 37) ptrace(PTRACE_INTERRUPT, getppid(), NULL, NULL);
    sonde_check(t, x < 37);
}

static void attaches_properly(sonde *t)
{
    int status;
    if (draw(t) < 37) return;
    attach();
    waitpid(getppid(), &status, __WALL);
    ptrace(PTRACE_DETACH, getppid(), NULL, NULL);
}

SONDE_MAIN(attaches_and_fails, attaches_and_holds, attaches_and_crashes, attaches_and_exits, seizes_and_fails,
           attaches_properly)
