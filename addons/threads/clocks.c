#define _GNU_SOURCE /* sched_yield */
/* Replaces functions that read clocks or sleep, by virtual time. A thread that sleeps moves to the end of the
 * order, as one that yields does. How long the others take is not modelled. So a thread may wake up before others
 * that came after it in the order have run, as on a slow machine. */
#include "clocks.h"

#include "control.h"
#include "sync.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
enum { TICK = 1000 }; /* nanoseconds that pass when a thread reads a clock */

/* Returns what a clock shows when a run begins: 2000-01-01, or about a day of uptime for clocks without a date. */
static uint64_t start_of(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI ? 946684800 * SECOND
                                                                                           : 100000 * SECOND;
}

uint64_t sonde_deadline(clockid_t clock, const struct timespec *until)
{
    if (!until) return SONDE_FOREVER;
    uint64_t at = (uint64_t)until->tv_sec * SECOND + (uint64_t)until->tv_nsec, start = start_of(clock);
    at = at > start ? at - start : 0;
    return at > sonde_control.now ? at : sonde_control.now + 1;
}

/* Reads a clock: returns its nanoseconds, after a step. In a loop that waits for a time, virtual time passes
 * faster with each iteration, so that the loop soon ends. */
static uint64_t read_clock(clockid_t clock, const void *site)
{
    sonde_step_reading("looks at a clock", site, (uintptr_t)&sonde_control.now);
    unsigned often = sonde_control.running->spins / 4;
    sonde_control.now += (uint64_t)TICK << (often < 30 ? often : 30);
    return start_of(clock) + sonde_control.now;
}

int clock_gettime(clockid_t clock, struct timespec *to)
{
    if (!sonde_running()) return SONDE_REAL(clock_gettime)(clock, to);
    uint64_t now = read_clock(clock, SONDE_CALLER);
    *to = (struct timespec){.tv_sec = (time_t)(now / SECOND), .tv_nsec = (long)(now % SECOND)};
    return 0;
}

int timespec_get(struct timespec *to, int base)
{
    if (!sonde_running()) return SONDE_REAL(timespec_get)(to, base);
    uint64_t now = read_clock(CLOCK_REALTIME, SONDE_CALLER);
    *to = (struct timespec){.tv_sec = (time_t)(now / SECOND), .tv_nsec = (long)(now % SECOND)};
    return base;
}

int gettimeofday(struct timeval *to, void *zone)
{
    if (!sonde_running()) return SONDE_REAL(gettimeofday)(to, zone);
    uint64_t now = read_clock(CLOCK_REALTIME, SONDE_CALLER);
    *to = (struct timeval){.tv_sec = (time_t)(now / SECOND), .tv_usec = (suseconds_t)(now % SECOND / 1000)};
    return 0;
}

time_t time(time_t *to)
{
    if (!sonde_running()) return SONDE_REAL(time)(to);
    time_t now = (time_t)(read_clock(CLOCK_REALTIME, SONDE_CALLER) / SECOND);
    if (to) *to = now;
    return now;
}

clock_t clock(void)
{
    if (!sonde_running()) return SONDE_REAL(clock)();
    return (clock_t)((read_clock(CLOCK_PROCESS_CPUTIME_ID, SONDE_CALLER) - start_of(CLOCK_PROCESS_CPUTIME_ID)) / 1000);
}

/* ---- Sleeping */

/* Moves the running thread to the end of the order. When it runs again, virtual time is at least `deadline`. */
static void pass_turn(const char *what, uint64_t deadline, const void *site)
{
    sonde_control.running->deadline = deadline;
    sonde_come_last();
    sonde_step_reading(what, site, (uintptr_t)&sonde_control.now);
}

void sonde_sleep(uint64_t nanoseconds, const void *site)
{
    pass_turn("sleeps", sonde_control.now + nanoseconds, site);
}

int nanosleep(const struct timespec *request, struct timespec *rest)
{
    if (!sonde_running()) return SONDE_REAL(nanosleep)(request, rest);
    sonde_sleep((uint64_t)request->tv_sec * SECOND + (uint64_t)request->tv_nsec, SONDE_CALLER);
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request, struct timespec *rest)
{
    if (!sonde_running()) return SONDE_REAL(clock_nanosleep)(clock, flags, request, rest);
    if (flags & TIMER_ABSTIME) pass_turn("sleeps", sonde_deadline(clock, request), SONDE_CALLER);
    else sonde_sleep((uint64_t)request->tv_sec * SECOND + (uint64_t)request->tv_nsec, SONDE_CALLER);
    return 0;
}

int usleep(useconds_t microseconds)
{
    if (!sonde_running()) return SONDE_REAL(usleep)(microseconds);
    sonde_sleep((uint64_t)microseconds * 1000, SONDE_CALLER);
    return 0;
}

unsigned sleep(unsigned seconds)
{
    if (!sonde_running()) return SONDE_REAL(sleep)(seconds);
    sonde_sleep((uint64_t)seconds * SECOND, SONDE_CALLER);
    return 0;
}

void sonde_yield(const void *site)
{
    pass_turn("yields", SONDE_FOREVER, site);
}

int sched_yield(void)
{
    if (!sonde_running()) return SONDE_REAL(sched_yield)();
    sonde_yield(SONDE_CALLER);
    return 0;
}
