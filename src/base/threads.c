/* See threads.h. The process clock is read between two readings of the thread clock. Process time minus thread time is
 * the time of other threads. The two thread readings give a lower and an upper bound on it, however long it takes to
 * read them. A thread that was started but has not run yet has no time, so the existing threads are counted as well. */
#include "base/threads.h"

#include "base/schedule.h"

#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    ATTEMPTS = 4, /* number of measurements; the tightest bounds are used */
    ALONE = 3     /* link count of the directory of threads if there is only one thread */
};

static int64_t nanoseconds(clockid_t clock)
{
    struct timespec at;
    if (clock_gettime(clock, &at) < 0) return 0;
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

/* Sets bounds on the time that other threads have run. The bounds differ by the time that this thread ran between the
 * readings, which may include an interrupt or a page fault. The tightest of a few attempts is taken, so that even a
 * short thread is detected. */
static void measure(int64_t *least, int64_t *most)
{
    *least = INT64_MIN;
    *most = INT64_MAX;
    for (int i = 0; i < ATTEMPTS; i++) {
        int64_t before = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        int64_t all = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
        int64_t after = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
        if (all - after > *least) *least = all - after;
        if (all - before < *most) *most = all - before;
    }
}

/* Returns the link count of the directory of threads: each thread has a subdirectory there. 0 if the count is
 * unknown. */
static uint64_t count_alive(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 ? (uint64_t)tasks.st_nlink : 0;
}

/* Returns the hook if threads under control are OS threads (sonde cc --threads=os); NULL otherwise. Such threads also
 * run between sonde_threads_begin and sonde_threads_ran, and clocks cannot distinguish them from other threads. But
 * none exists when a case begins or ends, and the hook counts each start of a thread that is not under control. */
static const struct sonde_schedule_hook *hook_of_os(void)
{
    const struct sonde_schedule_hook *hook = sonde_schedule_hook_ ? sonde_schedule_hook_() : NULL;
    return hook && hook->is_os ? hook : NULL;
}

/* From the GNU C library 2.32 on: false once the program has started a thread. */
extern char __libc_single_threaded __attribute__((weak));

/* Returns whether qemu-user runs this program, which has started no thread. The emulator has a thread that begins to
 * run after a fork, and clocks cannot distinguish it from threads of the program. The emulator replaces /proc/self/exe
 * by the program, but not /proc/thread-self/exe; without an emulator both are the same file. */
static bool is_alone_in_emulator(void)
{
    char program[4096], process[4096];
    if (!&__libc_single_threaded || !__libc_single_threaded) return false;
    ssize_t a = readlink("/proc/self/exe", program, sizeof program);
    ssize_t b = readlink("/proc/thread-self/exe", process, sizeof process);
    return a > 0 && b > 0 && (a != b || memcmp(program, process, (size_t)a));
}

void sonde_threads_begin(struct sonde_threads *threads)
{
    const struct sonde_schedule_hook *hook = hook_of_os();
    int64_t least;
    measure(&least, &threads->others);
    threads->alive = count_alive();
    threads->started = hook ? hook->n_others : 0;
}

bool sonde_threads_ran(const struct sonde_threads *threads)
{
    const struct sonde_schedule_hook *hook = hook_of_os();
    if (hook) return hook->n_others > threads->started || (hook->n_others && count_alive() > ALONE);
    int64_t least, most;
    measure(&least, &most);
    /* If the present lower bound exceeds the earlier upper bound, other threads must have run, however long reading
     * took. */
    bool have_run = least > threads->others || count_alive() > threads->alive;
    return have_run && !is_alone_in_emulator();
}
