/* The clocks of a run, in seconds. Clocks decide only when to stop ("Determinism" in docs/architecture.md), so every
 * file that includes this header says what it needs a clock for. */
#ifndef SONDE_BASE_CLOCK_H
#define SONDE_BASE_CLOCK_H

#include <time.h>

/* Returns the monotonic time. Only differences mean something; they are valid between processes of this machine. */
double sonde_clock_now(void);
/* Returns the processor time of this process and of its children that have ended. */
double sonde_clock_cpu(void);
/* Returns the time of a system clock. Returns 0 if the clock cannot be read, for example because it belongs to a
 * process that has ended. */
double sonde_clock_read(clockid_t clock);

#endif
