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

/* Runs one case here, in this thread. The script may be NULL. What happened is in the case. */
void sonde_exec_inline(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                       const struct sonde_tape *script);

/* In a worker, after a case that ended well: it has failed if a child of it comes back within so many seconds. */
void sonde_exec_await_children(sonde *t, double seconds);

/* The property's functions around all cases of a process. */
void sonde_exec_worker_setup(const sonde_property *property);
void sonde_exec_worker_teardown(const sonde_property *property);

/* Around all that sonde does: user code has the floating-point environment that is in force now, sonde a plain one. */
void sonde_exec_begin(void);
void sonde_exec_end(void);

#endif
