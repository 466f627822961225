/* Virtual time: it passes when a thread asks for it, and when nobody but sleepers can run. */
#ifndef SONDE_THREADS_CLOCKS_H
#define SONDE_THREADS_CLOCKS_H

#include <stdint.h>
#include <time.h>

/* The virtual nanosecond of a time of this clock; never SONDE_FOREVER, which NULL is. */
__attribute__((visibility("hidden"))) uint64_t sonde_deadline(clockid_t clock, const struct timespec *until);

#endif
