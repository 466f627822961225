/* What is known of memory that was touched in this run: who wrote there last and who has read since. Two things are made of it. Which
 * place of the code has read what another thread wrote at which place is a feature of the case, like an edge of the code (Wolff et al.,
 * "Greybox Fuzzing for Concurrency Testing", ASPLOS 2024, section 4: reads-from pairs). And, on request, data races: two accesses of
 * which one writes, one is not atomic, and neither happens before the other. */
#ifndef SONDE_THREADS_SHADOW_H
#define SONDE_THREADS_SHADOW_H

#include "happens.h"

struct sonde_use {
    uintptr_t address;
    size_t size;
    bool reads, writes, is_atomic;
    const void *site;
};

/* The running thread uses memory. Ends the run at a race, if races are looked for. */
SONDE_HIDDEN void sonde_shadow_use(const struct sonde_use *use);
SONDE_HIDDEN void sonde_shadow_check(void);

#endif
