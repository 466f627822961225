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

/* Ends this process at once, like _exit. sonde must use this function: exec/last_words.c attributes a plain _exit to
 * the code under test. */
_Noreturn void sonde_process_exit(int status);

/* Reads a file of /proc/PID as a string, cut to `size`; "" if it cannot be read. Safe in a signal handler. */
void sonde_process_read(pid_t pid, const char *name, char *out, size_t size);
/* Returns the thread that traces a process; 0 if none does, or if that is unknown. Safe in a signal handler. */
pid_t sonde_process_tracer(pid_t pid);

/* Changes the bell, a number in shared memory, and wakes everything that waits for it, in all processes that share the
 * memory. */
void sonde_bell_ring(atomic_uint *bell);
/* Waits until the bell differs from `seen`, for at most `seconds`. May return early, so callers check again what they
 * wait for. */
void sonde_bell_wait(atomic_uint *bell, unsigned seen, double seconds);
/* Makes the end of any child ring the bell, too. With NULL, stops that and restores the earlier handler of SIGCHLD. */
void sonde_bell_on_child(atomic_uint *bell);

#endif
