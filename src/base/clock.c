/* See clock.h. */
#include "base/clock.h"

#include <sys/resource.h>

double sonde_clock_read(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0) return 0;
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double sonde_clock_now(void)
{
    return sonde_clock_read(CLOCK_MONOTONIC);
}

/* The system adds a worker's time to RUSAGE_CHILDREN only after this process has waited for the worker. */
double sonde_clock_cpu(void)
{
    struct rusage ended;
    getrusage(RUSAGE_CHILDREN, &ended);
    return sonde_clock_read(CLOCK_PROCESS_CPUTIME_ID) + (double)(ended.ru_utime.tv_sec + ended.ru_stime.tv_sec)
           + 1e-6 * (double)(ended.ru_utime.tv_usec + ended.ru_stime.tv_usec);
}
