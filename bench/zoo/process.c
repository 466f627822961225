/* See process.h. */
#include "zoo/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t children[ZOO_JOBS_MAX]; /* of this process; 0: none */

/* Takes the children along. They may have started others, in their own groups, which follow by PR_SET_PDEATHSIG. */
static void end_all(int number)
{
    for (int i = 0; i < ZOO_JOBS_MAX; i++)
        if (children[i]) kill(-children[i], SIGKILL);
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {.sa_handler = end_all};
        sigaction(numbers[i], &action, NULL);
    }
}

static void become_child(pid_t parent, double cpu_seconds)
{
    for (int i = 0; i < ZOO_JOBS_MAX; i++) children[i] = 0;
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    if (cpu_seconds <= 0) return;
    rlim_t seconds = (rlim_t)cpu_seconds + 1;
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
}

pid_t zoo_fork(double cpu_seconds)
{
    sigset_t all, before;
    pid_t parent = getpid();
    watch_signals();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* no signal between the start of a child and its entry in the list */
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) become_child(parent, cpu_seconds);
    for (int i = 0; child > 0 && i < ZOO_JOBS_MAX; i++) {
        if (children[i]) continue;
        setpgid(child, child);
        children[i] = child;
        break;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return child;
}

bool zoo_wait(pid_t child)
{
    int status = -1;
    if (child <= 0) return false;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    for (int i = 0; i < ZOO_JOBS_MAX; i++)
        if (children[i] == child) children[i] = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool zoo_command(char *const *argv, const char *log)
{
    pid_t child = zoo_fork(0);
    if (child == 0) {
        int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (fd >= 0) {
            dup2(fd, STDOUT_FILENO);
            dup2(fd, STDERR_FILENO);
        }
        execvp(argv[0], argv);
        fprintf(stderr, "zoo: %s cannot be run\n", argv[0]);
        _exit(127);
    }
    return zoo_wait(child);
}
