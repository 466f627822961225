#define _GNU_SOURCE /* __WALL */
/* Implements sonde_tracer_release of death.h. Only the thread that has attached can detach. PTRACE_DETACH without a
 * signal also cancels the SIGSTOP that PTRACE_ATTACH has sent. If the tracer just ended, the kernel would leave the
 * process stopped. */
#include "exec/death.h"

#include "base/process.h"

#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void sonde_tracer_release(void)
{
    enum { TRIES = 1000 }; /* number of attempts, 1 ms apart: a process can be detached only after it has stopped */
    pid_t parent = getppid();
    if (parent <= 1 || sonde_process_tracer(parent) != (pid_t)syscall(SYS_gettid)) return;
    ptrace(PTRACE_INTERRUPT, parent, NULL, NULL); /* a seized process may still be running */
    for (int i = 0; i < TRIES && ptrace(PTRACE_DETACH, parent, NULL, NULL) != 0; i++) {
        int status;
        waitpid(parent, &status, __WALL | WNOHANG);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}
