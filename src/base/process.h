/* Processes of sonde's own: how one is made, and how they wake each other. */
#ifndef SONDE_BASE_PROCESS_H
#define SONDE_BASE_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* fork, for a process that sonde makes and not the code under test. */
pid_t sonde_fork(void);
/* Returns whether the fork whose handlers run (pthread_atfork) is one of these. */
bool sonde_fork_is_own(void);

/* Reads a file of /proc/PID as a string, cut to its room; "" if it cannot be read. Safe in a signal handler. */
void sonde_process_read(pid_t pid, const char *name, char *out, size_t size);
/* Returns the thread that traces a process; 0: none does, or it is not known. Safe in a signal handler. */
pid_t sonde_process_tracer(pid_t pid);

/* Rings the bell; waits for it to differ from `seen`, at most so long. Between processes. */
void sonde_bell_ring(atomic_uint *bell);
void sonde_bell_wait(atomic_uint *bell, unsigned seen, double seconds);
/* Lets the end of a child of this process ring the bell, too; NULL: no longer, and SIGCHLD is as it was before. */
void sonde_bell_on_child(atomic_uint *bell);

#endif
