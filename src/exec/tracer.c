#define _GNU_SOURCE /* __WALL */
/* See death.h. Only the thread that has attached can detach. PTRACE_DETACH without a signal also takes back the SIGSTOP
 * that PTRACE_ATTACH has sent; the kernel would leave the process stopped if the tracer just ended. */
#include "exec/death.h"

#include "base/process.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void sonde_tracer_release(void)
{
    enum { TRIES = 1000 }; /* of a millisecond: it must have stopped before it can be let go */
    pid_t parent = getppid();
    if (parent <= 1 || sonde_process_tracer(parent) != (pid_t)syscall(SYS_gettid)) return;
    ptrace(PTRACE_INTERRUPT, parent, NULL, NULL); /* one that was seized need not have stopped */
    for (int i = 0; i < TRIES && ptrace(PTRACE_DETACH, parent, NULL, NULL) != 0; i++) {
        int status;
        waitpid(parent, &status, __WALL | WNOHANG);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}
