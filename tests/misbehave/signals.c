/* Properties that send signals. Each draws x in [0, 1000] and sends one from 37 on, to whom its name says;
 * tests/cli/signals.sh says what is expected of each. */
#define _GNU_SOURCE
#include <signal.h>
#include <sonde.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CULPRIT static __attribute__((noinline))
#define STAY __asm__ volatile("" ::: "memory")

enum { WRONG_FROM = 37 };

static int draw(sonde *t)
{
    return sonde_int(t, "x", 0, 1000);
}

CULPRIT void send_itself(int signal)
{
    raise(signal);
    STAY;
}

#define SENDS(name, number)                                                                                            \
    static void name(sonde *t)                                                                                         \
    {                                                                                                                  \
        if (draw(t) >= WRONG_FROM) send_itself(number);                                                                \
        STAY;                                                                                                          \
    }

SENDS(raises_int, SIGINT)
SENDS(raises_term, SIGTERM)
SENDS(raises_hup, SIGHUP)
SENDS(raises_quit, SIGQUIT)
SENDS(raises_usr1, SIGUSR1)
SENDS(raises_rt, SIGRTMIN + 1)

static void breaks_pipe(sonde *t)
{
    int ends[2];
    if (draw(t) < WRONG_FROM || pipe(ends) != 0) return;
    close(ends[0]);
    if (write(ends[1], "x", 1) < 0) abort();
    STAY;
}

static void rings_alarm(sonde *t)
{
    if (draw(t) < WRONG_FROM) return;
    ualarm(1000, 0);
    for (;;) pause();
}

CULPRIT void send_group(int signal)
{
    kill(0, signal);
    STAY;
}

static void group_int(sonde *t)
{
    if (draw(t) >= WRONG_FROM) send_group(SIGINT);
    STAY;
}

static void group_term(sonde *t)
{
    if (draw(t) >= WRONG_FROM) send_group(SIGTERM);
    STAY;
}

static void parent_term(sonde *t)
{
    if (draw(t) >= WRONG_FROM) kill(getppid(), SIGTERM);
}

static void parent_int(sonde *t)
{
    if (draw(t) >= WRONG_FROM) kill(getppid(), SIGINT);
}

static void parent_usr1(sonde *t)
{
    if (draw(t) >= WRONG_FROM) kill(getppid(), SIGUSR1);
}

static void parent_quit(sonde *t)
{
    if (draw(t) >= WRONG_FROM) kill(getppid(), SIGQUIT);
}

/* By a process that the property forked: it signals the group. */
static void child_group(sonde *t)
{
    if (draw(t) < WRONG_FROM) return;
    pid_t pid = fork();
    if (pid == 0) {
        kill(0, SIGTERM);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

/* ---- Properties that are right */

static volatile sig_atomic_t heard;

static void hear(int signal)
{
    heard = signal;
}

static void handles(sonde *t)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE, SIGALRM};
    int x = draw(t);
    int number = numbers[(size_t)x % (sizeof numbers / sizeof *numbers)];
    signal(number, hear);
    heard = 0;
    raise(number);
    sonde_check_eq(t, (int)heard, number);
    signal(number, SIG_DFL);
}

/* A child dies of the signal that its parent sends, as it would anywhere. */
static void ends_child(sonde *t)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGKILL};
    int number = numbers[sonde_pick(t, "signal", sizeof numbers / sizeof *numbers)];
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        for (;;) pause();
    kill(pid, number);
    waitpid(pid, &status, 0);
    sonde_check(t, WIFSIGNALED(status));
    sonde_check_eq(t, WTERMSIG(status), number);
}

static void slow(sonde *t)
{
    draw(t);
    usleep(1000);
}

static void fails(sonde *t)
{
    int x = draw(t);
    sonde_check(t, x < WRONG_FROM);
}

static void waits(sonde *t)
{
    draw(t);
    for (;;) pause();
}

static void holds(sonde *t)
{
    draw(t);
}

SONDE_MAIN(raises_int, raises_term, raises_hup, raises_quit, raises_usr1, raises_rt, breaks_pipe, rings_alarm,
           group_int, group_term, parent_term, parent_int, parent_usr1, parent_quit, child_group, handles, ends_child,
           slow, fails, waits, holds)
