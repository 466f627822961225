/* See threads.h. The clock of the process is read between two readings of the clock of the thread: what other threads
 * have run lies between the two differences, exactly, however long the readings take. */
#include "exec/threads.h"

#include <time.h>

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec at;
    if (clock_gettime(clock, &at) < 0) return 0;
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

/* What others have run: at least, and at most. */
static void look(int64_t *least, int64_t *most)
{
    int64_t before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    int64_t all = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    int64_t after = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
    *least = all - after;
    *most = all - before;
}

void sonde_threads_begin(struct sonde_threads *threads)
{
    int64_t least;
    look(&least, &threads->others);
}

bool sonde_threads_ran(const struct sonde_threads *threads)
{
    int64_t least, most;
    look(&least, &most);
    return least > threads->others;
}
