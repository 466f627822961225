/* The processes that the code under test starts: they end with the worker they come from, and no others do.
 *
 * Each worker leads a process group, which is killed when the worker has ended. What left the group (a daemon, setsid)
 * and lost its parent comes to the supervisor, if it adopts: it is killed as soon as it must be a dead worker's. What the
 * supervisor itself has started (a reporter's `popen`, an agent) is neither killed nor waited for. Only processes run by
 * sonde_main adopt, and only if they have no children when the run begins, whose orphans could come to them as well. */
#ifndef SONDE_EXEC_FAMILY_H
#define SONDE_EXEC_FAMILY_H

#include "case/case.h"

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

/* ---- Processes that the property forks. A check that fails in one is a failure of the case that forked it; so is a child that
 * comes back from the property as if it were the worker. Both count even if they are seen some cases later. How else a child ends is for the
 * property to judge.
 *
 * Example: the code under test forks to do something in the background, and the child, on an error, returns
 * from the function instead of calling _exit. There are two processes now that go on with the property. The
 * child is known by a page that the kernel clears in it; it writes down the number of its case, and ends. */

/* In a worker, once: from now on the children of this process are strangers, however they are made. */
void sonde_forked_watch(void);
/* The same around a run without workers, in the process that has called sonde. _begin returns false, and does nothing, if this process
 * watches already; _end only after a true. */
bool sonde_forked_begin(void);
void sonde_forked_end(void);

/* 0 in a stranger. It is looked at after each case, so it is no call. */
extern const volatile int *sonde_forked_mark __attribute__((visibility("hidden")));
/* The case that runs now, by the number that it began with. */
extern unsigned long long sonde_forked_case __attribute__((visibility("hidden")));
/* The case whose child came back or failed, if the case had ended before that; 0: none. */
extern unsigned long long sonde_forked_late __attribute__((visibility("hidden")));

static inline bool sonde_forked_is_stranger(void)
{
    return __builtin_expect(*sonde_forked_mark == 0, 0);
}

/* In a stranger that came back: ends it, and lets the worker know. */
__attribute__((noreturn)) void sonde_forked_came_back(void);
/* In the worker: whether there is something to ask for. */
bool sonde_forked_has_news(void);
/* The number of a case whose child came back or failed a check; 0: none did. Waits until one does, or all have ended or are
 * other programs by now, at most so long. */
unsigned long long sonde_forked_take(double seconds);
/* Adds the checks that children evaluated so far to those of the case. */
void sonde_forked_adopt_checks(sonde *t);
/* The check that failed, of the child that sonde_forked_take returned last; NULL: it came back. */
const struct sonde_claim *sonde_forked_claim(void);

#endif
