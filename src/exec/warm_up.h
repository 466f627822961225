/* Before the first case of a worker whose property runs threads under control (sonde_threads): some cases that nobody counts, by which
 * it learns which places of the code touch what threads share, and how many steps a run has. Then that is frozen.
 *
 * They draw from numbers of their own, always the same, so what is learned depends on the program alone and not on the cases that
 * follow; a tape means the same in every worker. They run in a process of their own, where they may crash, and print nothing. */
#ifndef SONDE_EXEC_WARM_UP_H
#define SONDE_EXEC_WARM_UP_H

#include <sonde.h>

#include <stdatomic.h>

/* From now on workers tell each other there, in memory that they share (0 at first), which case of the warm-up hangs; NULL: nowhere. Answers
 * what it was. A worker that is spawned, not forked, gets it with its order. */
atomic_uint *sonde_warm_up_share(atomic_uint *shared);
atomic_uint *sonde_warm_up_shared(void);
/* Once per process and property; nothing where the program has no threads under control. */
void sonde_warm_up(const sonde_property *property);

#endif
