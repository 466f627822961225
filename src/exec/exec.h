/* exec: the only place that calls user code.
 *
 * One case, in order (sonde_exec_inline): the case begins; the floating-point environment becomes the user's; the
 * property runs, and returns or is left by a jump; faults and failing allocations are switched off; deferred
 * functions run, last first; the property's teardown runs, and what it deferred; sonde's floating-point
 * environment is back; children and tools are asked; the case ends. After each call of user code it is asked
 * whether this process is still the worker, and whether the case was overwritten. */
#ifndef SONDE_EXEC_EXEC_H
#define SONDE_EXEC_EXEC_H

#include "case/case.h"

#include <stdatomic.h>

/* Runs one case here, in this thread. The script may be NULL. What happened is in the case. */
void sonde_exec_inline(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                       const struct sonde_tape *script);

/* In a worker, after a case that ended well: it has failed if a child of it comes back within so many seconds. */
void sonde_exec_await_children(sonde *t, double seconds);

/* The property's functions around all cases of a process. */
void sonde_exec_worker_setup(const sonde_property *property);
void sonde_exec_worker_teardown(const sonde_property *property);

/* Returns whether the adapter of a framework is at work, whose assertions fail the case. */
bool sonde_exec_has_adapter(void);

/* Around all that sonde does: user code has the floating-point environment that is in force now, sonde a plain one. */
void sonde_exec_begin(void);
void sonde_exec_end(void);

/* ---- Before the first case of a worker whose property runs threads under control (sonde_threads): some cases that nobody counts, by which
 * it learns which places of the code touch what threads share, and how many steps a run has. Then that is frozen.
 *
 * They draw from numbers of their own, always the same, so what is learned depends on the program alone and not on the cases that
 * follow; a tape means the same in every worker. They run in a process of their own, where they may crash, and print nothing. */

/* From now on workers tell each other there, in memory that they share (0 at first), which case of the warm-up hangs; NULL: nowhere.
 * Returns what it was. A worker that is spawned, not forked, gets it with its order. */
atomic_uint *sonde_warm_up_share(atomic_uint *shared);
atomic_uint *sonde_warm_up_shared(void);
/* Once per process and property; nothing where the program has no threads under control. */
void sonde_warm_up(const sonde_property *property);

#endif
