/* See threads.h. The clock of the process is read between two readings of the clock of the thread: what other threads
 * have run lies between the two differences, exactly, however long the readings take. A thread that was started and has not
 * run yet has no time: it is counted among those that are there. */
#include "exec/threads.h"

#include "base/schedule.h"

#include <sys/stat.h>
#include <time.h>

enum { LOOKS = 4 };

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec at;
    if (clock_gettime(clock, &at) < 0) return 0;
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

/* What others have run: at least, and at most. The two lie apart by what this thread ran between the readings, which may be an
 * interrupt or a page fault; the best of a few looks is taken, so that even a short thread shows. */
static void look(int64_t *least, int64_t *most)
{
    *least = INT64_MIN;
    *most = INT64_MAX;
    for (int i = 0; i < LOOKS; i++) {
        int64_t before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        int64_t all = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        int64_t after = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        if (all - after > *least) *least = all - after;
        if (all - before < *most) *most = all - before;
    }
}

/* Each has a folder there, and so a link; 0 where that cannot be known. */
static uint64_t count_alive(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 ? (uint64_t)tasks.st_nlink : 0;
}

void sonde_threads_begin(struct sonde_threads *threads)
{
    int64_t least;
    look(&least, &threads->others);
    threads->alive = count_alive();
}

/* Threads under control that are the kernel's (sonde cc --threads=os) cannot be told from others, and decide nothing by themselves. */
static bool has_own_threads(void)
{
    return sonde_schedule_hook_ && sonde_schedule_hook_()->is_os;
}

bool sonde_threads_ran(const struct sonde_threads *threads)
{
    if (has_own_threads()) return false;
    int64_t least, most;
    look(&least, &most);
    /* `least` of now above `most` of then: other threads must have run in between, whatever the
     * readings cost. */
    return least > threads->others || count_alive() > threads->alive;
}
