/* The processes that the code under test starts: they end with the worker they come from, and no others do.
 *
 * Each worker leads a process group, which is killed when the worker has ended. What left the group (a daemon, setsid)
 * and lost its parent comes to the supervisor, if it adopts: it is killed as soon as it must be a dead worker's. What the
 * supervisor itself has started (a reporter's `popen`, an agent) is neither killed nor waited for. Only processes run by
 * sonde_main adopt, and only if they have no children when the run begins, whose orphans could come to them as well. */
#ifndef SONDE_EXEC_FAMILY_H
#define SONDE_EXEC_FAMILY_H

#include <sys/types.h>

/* From now on this process adopts; until it releases, which ends all that it adopted. */
void sonde_family_adopt(void);
void sonde_family_release(void);

/* A child of sonde's own that is no worker: it is neither waited for nor ended here, until it is given back. */
void sonde_family_spare(pid_t child);
void sonde_family_unspare(pid_t child);

/* Around the start of a worker: before the fork, and then in both processes. */
void sonde_family_expect(void);
/* In the parent, after the fork: the worker gets a process group of its own, to be ended with all that
 * it starts. */
void sonde_family_add(pid_t worker);
/* In a worker, before sonde_family_leave: marks it and all its descendants as such. */
void sonde_family_mark(void);
/* In the child: forgets the parent's workers, and enters a new process group. */
void sonde_family_leave(void);

/* A worker has ended, or is to end now: kills all of its group. It must not have been waited for. */
void sonde_family_kill(pid_t worker);
/* All of them; safe in a signal handler. */
void sonde_family_kill_all(void);
/* It was waited for. */
void sonde_family_remove(pid_t worker);
/* Ends what is left of workers that are gone. Costs a look at a file of the system. */
void sonde_family_sweep(void);

#endif
