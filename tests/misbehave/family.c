/* Properties whose code starts processes and does not end them, or writes where it has no business. From 37 on where they
 * fail. tests/cli/family.sh says what is expected. */
#define _GNU_SOURCE
#include <signal.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRONG_FROM = 37 };

static int draw(sonde *t)
{
    return sonde_int(t, "x", 0, 1000);
}

/* As daemon(3) does it: out of the session, and without a parent. */
static void start_daemon(void)
{
    pid_t child = fork();
    if (child > 0) waitpid(child, NULL, 0);
    if (child != 0) return;
    setsid();
    if (fork() == 0) execlp("sleep", "sleep", "1000", (char *)NULL);
    _exit(0);
}

static void daemons_and_holds(sonde *t)
{
    if (draw(t) % 100 == 0) start_daemon();
}

static void daemons_and_fails(sonde *t)
{
    int x = draw(t);
    if (x < WRONG_FROM) return;
    start_daemon();
    abort();
}

/* Waits for what does not end: a hang, whose shell and sleep are not the worker. */
static void waits_for_shell(sonde *t)
{
    if (draw(t) >= WRONG_FROM && system("sleep 1000; true") != 0) _exit(1);
}

static void leaves_spinning(sonde *t)
{
    int x = draw(t);
    if (x < WRONG_FROM) return;
    if (fork() == 0)
        for (;;) __asm__ volatile("");
    _exit(3);
}

/* A child of worker_setup is there for all cases of the worker. */
static pid_t server;

static void start_server(void *context)
{
    (void)context;
    server = fork();
    if (server == 0) execlp("sleep", "sleep", "1000", (char *)NULL);
}

static void uses_server(sonde *t)
{
    int x = draw(t);
    sonde_check(t, kill(server, 0) == 0);
    sonde_check(t, x < WRONG_FROM);
}

static void writes_anywhere(sonde *t)
{
    static const char forged[] = "ok 7 - forged\n";
    (void)draw(t);
    for (int fd = 3; fd < 64; fd++)
        if (write(fd, forged, strlen(forged)) < 0) continue;
}

/* ---- Children that come back from the property */

static void comes_back_late(sonde *t)
{
    int x = draw(t);
    if (x >= WRONG_FROM && fork() == 0) usleep(300 * 1000);
}

/* No process waits for it, nor is it a child of the worker any more. */
static void grandchild_comes_back(sonde *t)
{
    int x = draw(t);
    if (x < WRONG_FROM || fork() != 0) return;
    if (fork() != 0) _exit(0);
    usleep(300 * 1000);
}

/* By the system call itself, of which the C library does not know. */
static void raw_child_comes_back(sonde *t)
{
    if (draw(t) >= WRONG_FROM) (void)syscall(SYS_fork);
}

static void raw_child_comes_back_late(sonde *t)
{
    int x = draw(t);
    if (x >= WRONG_FROM && syscall(SYS_fork) == 0) usleep(300 * 1000);
}

static void raw_child_ends(sonde *t)
{
    int x = draw(t), status = 0;
    if (x % 10) return;
    pid_t child = (pid_t)syscall(SYS_fork);
    if (child == 0) exit(x % 3); /* it does not have the worker's handlers */
    sonde_check(t, waitpid(child, &status, 0) == child && WEXITSTATUS(status) == x % 3);
}

static void leaves_sleeping(sonde *t)
{
    if (draw(t) % 100 || fork() != 0) return;
    for (;;) pause();
}

#define PLAIN(property)                                                                                                \
    {                                                                                                                  \
        .name = #property, .run = property                                                                             \
    }

int main(int argc, char **argv)
{
    const sonde_property all[] = {
        PLAIN(daemons_and_holds),
        PLAIN(daemons_and_fails),
        PLAIN(waits_for_shell),
        PLAIN(leaves_spinning),
        {.name = "uses_server", .run = uses_server, .worker_setup = start_server},
        PLAIN(writes_anywhere),
        PLAIN(comes_back_late),
        PLAIN(grandchild_comes_back),
        PLAIN(raw_child_comes_back),
        PLAIN(raw_child_comes_back_late),
        PLAIN(raw_child_ends),
        PLAIN(leaves_sleeping),
    };
    if (getenv("FAMILY_CHILD") && fork() == 0) { /* a child of the program itself: sonde must not touch it */
        execlp("sleep", "sleep", "30", (char *)NULL);
        _exit(1);
    }
    return sonde_main(argc, argv, all, sizeof all / sizeof *all);
}
