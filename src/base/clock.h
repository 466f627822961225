/* The clocks of the run, in seconds. No clock decides anything but when to stop ("Determinism" in docs/architecture.md), so
 * whoever includes this says what for. */
#ifndef SONDE_BASE_CLOCK_H
#define SONDE_BASE_CLOCK_H

#include <time.h>

/* Never goes back, and means nothing but the distance to another reading of this machine, in any process. */
double sonde_clock_now(void);
/* Processor time of this process and of the children that have ended. */
double sonde_clock_cpu(void);
/* Any clock of the system; 0 if it cannot be read: that of a process may be gone. */
double sonde_clock_read(clockid_t clock);

#endif
