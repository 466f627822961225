/* Shadow memory: records which threads wrote and read each touched byte of memory last, in this run. It has two uses.
 * - Feedback for the search. A read at one site may get a value that another thread wrote at another site. The
 *   pair of sites is then a feature of the case, like an edge of the code. These are the reads-from pairs of Wolff
 *   et al., "Greybox Fuzzing for Concurrency Testing", ASPLOS 2024, section 4.
 * - On request, data races: two accesses, of which one writes and one is not atomic, and neither happens before
 *   the other. */
#ifndef SONDE_THREADS_SHADOW_H
#define SONDE_THREADS_SHADOW_H

#include "happens.h"

/* An access to memory. */
struct sonde_use {
    uintptr_t address;
    size_t size;
    bool reads, writes, is_atomic;
    const void *site;
};

/* Records an access of the running thread. Ends the run at a race, if the run looks for races. */
SONDE_HIDDEN void sonde_shadow_use(const struct sonde_use *use);
/* Asserts the invariants of all cells. */
SONDE_HIDDEN void sonde_shadow_check(void);

#endif
