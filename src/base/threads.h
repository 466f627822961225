/* Whether other threads than this one have run in this process since a moment, or wait to. Threads that came and went count:
 * their time stays in the clock of the process. So two looks are enough, however many cases lie between them, and nothing of
 * the C library has to be replaced. */
#ifndef SONDE_BASE_THREADS_H
#define SONDE_BASE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

struct sonde_threads {
    int64_t others; /* nanoseconds that other threads have run at most */
    uint64_t alive; /* how many threads there are */
    uint64_t
        started; /* by the code under test, and not under control: where threads under control are the kernel's as well */
};

/* A few readings of clocks and one stat of /proc: nothing is counted while threads run. */
void sonde_threads_begin(struct sonde_threads *threads);
/* No false alarm: it answers true only if others have certainly run since. */
bool sonde_threads_ran(const struct sonde_threads *threads);

#endif
