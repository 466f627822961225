/* Processes that sonde itself creates: how they are forked, and how they wake each other. */
#ifndef SONDE_BASE_PROCESS_H
#define SONDE_BASE_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Forks a process for sonde itself, not for the code under test. */
pid_t sonde_fork(void);
/* Returns whether the fork whose pthread_atfork handlers are running is a sonde_fork. */
bool sonde_fork_is_own(void);

/* Ends this process at once. sonde itself ends by this: last_words.c takes an _exit for the code under test's. */
_Noreturn void sonde_process_exit(int status);

/* Reads a file of /proc/PID as a string, cut to `size`; "" if it cannot be read. Safe in a signal handler. */
void sonde_process_read(pid_t pid, const char *name, char *out, size_t size);
/* Returns the thread that traces a process; 0 if none does, or if that is unknown. Safe in a signal handler. */
pid_t sonde_process_tracer(pid_t pid);

/* Changes the bell, a number in memory, and wakes all waiters in all processes that share it. */
void sonde_bell_ring(atomic_uint *bell);
/* Waits until the bell differs from `seen`, for at most `seconds`. May return early. */
void sonde_bell_wait(atomic_uint *bell, unsigned seen, double seconds);
/* Makes the end of any child ring the bell, too. NULL: ends this and restores the earlier handler of SIGCHLD. */
void sonde_bell_on_child(atomic_uint *bell);

#endif
