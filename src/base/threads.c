/* See threads.h. The clock of the process is read between two readings of the clock of the thread: what other threads
 * have run lies between the two differences, exactly, however long the readings take. A thread that was started and has not
 * run yet has no time: it is counted among those that are there. */
#include "base/threads.h"

#include "base/schedule.h"

#include <sys/stat.h>
#include <time.h>

enum { LOOKS = 4, ALONE = 3 }; /* links of a directory with one directory in it */

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

/* Threads under control that are the kernel's (sonde cc --threads=os) run between the two looks as well, and only one at a time: clocks cannot tell
 * them from others. But when a case has begun and when it has ended there are none of them, and each start of another is counted. */
static const struct sonde_schedule_hook *hook_of_os(void)
{
    const struct sonde_schedule_hook *hook = sonde_schedule_hook_ ? sonde_schedule_hook_() : NULL;
    return hook && hook->is_os ? hook : NULL;
}

void sonde_threads_begin(struct sonde_threads *threads)
{
    const struct sonde_schedule_hook *hook = hook_of_os();
    int64_t least;
    look(&least, &threads->others);
    threads->alive = count_alive();
    threads->started = hook ? hook->n_others : 0;
}

bool sonde_threads_ran(const struct sonde_threads *threads)
{
    const struct sonde_schedule_hook *hook = hook_of_os();
    if (hook) return hook->n_others > threads->started || (hook->n_others && count_alive() > ALONE);
    int64_t least, most;
    look(&least, &most);
    /* `least` of now above `most` of then: other threads must have run in between, whatever the
     * readings cost. */
    return least > threads->others || count_alive() > threads->alive;
}
