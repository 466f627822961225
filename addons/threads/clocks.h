/* Virtual time. It passes when a thread reads a clock, and when all threads sleep or wait. */
#ifndef SONDE_THREADS_CLOCKS_H
#define SONDE_THREADS_CLOCKS_H

#include <stdint.h>
#include <time.h>

/* Returns a time of this clock as a deadline in virtual nanoseconds. Never returns SONDE_FOREVER, except for NULL. */
__attribute__((visibility("hidden"))) uint64_t sonde_deadline(clockid_t clock, const struct timespec *until);

#endif
