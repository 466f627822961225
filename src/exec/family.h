/* Ends the processes that the code under test started when their worker ends, and no other processes.
 *
 * Each worker leads a process group, which is killed after the worker has ended. A process that left the group (a
 * daemon, setsid) and lost its parent becomes a child of the supervisor, if the supervisor adopts. Such a process is
 * killed once it can only belong to a dead worker. Processes that the supervisor started itself (a reporter's `popen`,
 * an agent) are neither killed nor waited for. Only runs of sonde_main adopt, and only if the process has no children
 * at the start. Orphans of such children would be adopted as well. */
#ifndef SONDE_EXEC_FAMILY_H
#define SONDE_EXEC_FAMILY_H

#include "case/case.h"

#include <sys/types.h>

/* Starts adopting orphans in this process. sonde_family_release stops adopting, and ends all adopted processes. */
void sonde_family_adopt(void);
void sonde_family_release(void);

/* Exempts a child of sonde that is not a worker: this module neither waits for it nor ends it until
 * sonde_family_unspare. */
void sonde_family_spare(pid_t child);
/* Ends the exemption of that child, which has been waited for. */
void sonde_family_unspare(pid_t child);

/* Notes the time before a worker starts, so that its orphans can be recognised. Call it before the fork. */
void sonde_family_expect(void);
/* Gives the worker a separate process group, so that sonde_family_kill can end all processes in it. Called in the
 * parent, after the fork. */
void sonde_family_add(pid_t worker);
/* Marks this process and all its descendants as belonging to a worker. Called in a worker, before
 * sonde_family_leave. */
void sonde_family_mark(void);
/* Forgets the parent's workers, and enters a new process group. Called in the child. */
void sonde_family_leave(void);

/* Kills the group of a worker that has ended, or is to end now. The worker must not have been waited for. */
void sonde_family_kill(pid_t worker);
/* Kills the groups of all workers. Async-signal-safe. */
void sonde_family_kill_all(void);
/* Removes a worker that was waited for. */
void sonde_family_remove(pid_t worker);
/* Ends the remaining processes of workers that have ended. Costs one read of a system file. */
void sonde_family_sweep(void);

/* ---- Processes that the property forks. The case fails if a check fails in such a process, or if the process
 * returns from the property as if it were the worker. Both count even if sonde notices them some cases later. The
 * property itself must judge how else a child ends.
 *
 * Example: the code under test forks for background work. On an error, the child returns from the function instead
 * of calling _exit. Now two processes continue with the property. sonde recognises the child by a page that the
 * kernel clears in it. The child records the number of its case, and ends. */

/* Recognises all children of this process from now on, however they are created. Called in a worker, once. */
void sonde_forked_watch(void);
/* Recognises children around a run without workers, in the process that called sonde. _begin returns false, and does
 * nothing, if this process watches already. Call _end only after true. */
bool sonde_forked_begin(void);
void sonde_forked_end(void);

/* Points to 0 in a forked child. This is a variable and not a function, because it is read after each case. */
extern const volatile int *sonde_forked_mark __attribute__((visibility("hidden")));
/* Holds the number of the running case, as given at its beginning. */
extern unsigned long long sonde_forked_case __attribute__((visibility("hidden")));
/* Holds the number of a case that had ended before its child returned or failed; 0: none. */
extern unsigned long long sonde_forked_late __attribute__((visibility("hidden")));

/* Returns whether this process is a child that the property has forked. */
static inline bool sonde_forked_is_child(void)
{
    return __builtin_expect(*sonde_forked_mark == 0, 0);
}

/* Ends a forked child that returned from the property, and tells the worker. */
__attribute__((noreturn)) void sonde_forked_exit(void);
/* Returns, in the worker, whether sonde_forked_take has something to return. */
bool sonde_forked_has_news(void);
/* Returns the number of a case whose child returned or failed a check; 0: none. Waits at most `seconds`, until there
 * is one, or until all children have ended or have become other programs. */
unsigned long long sonde_forked_take(double seconds);
/* Adds the checks that children have evaluated so far to the count of the case. */
void sonde_forked_adopt_checks(sonde *t);
/* Returns the failed check of the child that sonde_forked_take returned last; NULL: that child returned from the
 * property. */
const struct sonde_claim *sonde_forked_claim(void);

#endif
