/* exec: the only module that calls user code.
 *
 * The steps of one case (sonde_exec_inline):
 * 1. The case begins, and the user's floating-point environment is installed.
 * 2. The property runs, and returns or is left by a jump.
 * 3. Faults and failing allocations are switched off.
 * 4. Deferred functions run, last first. Then the property's teardown runs, and functions that it deferred.
 * 5. sonde's floating-point environment is restored. Children and tools are asked for findings. The case ends. After
 * each call of user code, sonde checks that this process is still the worker and that the case was not overwritten. */
#ifndef SONDE_EXEC_EXEC_H
#define SONDE_EXEC_EXEC_H

#include "case/case.h"

#include <stdatomic.h>

/* Runs one case in this thread. The script may be NULL. The results are in the case. */
void sonde_exec_inline(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                       const struct sonde_tape *script);

/* Waits up to `seconds` after a case that ended well. Fails the case if one of its child processes returns from the
 * property. For workers. */
void sonde_exec_await_children(sonde *t, double seconds);

/* Calls the property's function that runs before, or after, all cases of a process. */
void sonde_exec_worker_setup(const sonde_property *property);
void sonde_exec_worker_teardown(const sonde_property *property);

/* Returns whether the adapter of a test framework is active, whose assertions fail the case. */
bool sonde_exec_has_adapter(void);

/* Begins a run, or ends it. User code gets the floating-point environment in force at the beginning, sonde a plain
 * one. */
void sonde_exec_begin(void);
void sonde_exec_end(void);

/* ---- Warm-up: uncounted cases before the first case of a worker whose property runs threads under control
 * (sonde_threads). They learn which locations of the code touch memory that threads share, and how many steps a run
 * has. Then these results are frozen.
 *
 * They always draw the same random numbers, so the result depends on the program alone, not on later cases. A tape
 * therefore means the same in every worker. They run in a separate process, where they may crash, and print nothing. */

/* Sets the shared memory (initially 0) where workers tell each other which case of the warm-up hangs; NULL: none.
 * Returns the previous memory. A spawned worker gets the address with its order. */
atomic_uint *sonde_warm_up_share(atomic_uint *shared);
atomic_uint *sonde_warm_up_shared(void);
/* Runs the warm-up, once per process and property. Does nothing if the program has no threads under control. */
void sonde_warm_up(const sonde_property *property);

#endif
