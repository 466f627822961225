/* Memory that was freed while threads run under control. */
#ifndef SONDE_THREADS_HEAP_H
#define SONDE_THREADS_HEAP_H

#include "control.h"

/* Ends the run if a thread under control is about to use memory that was freed in it, or a frame of another thread that has returned. */
SONDE_HIDDEN void sonde_freed_check(const void *p, bool writes, const void *site);
/* The same for an object, "mutex", that it is about to use. */
SONDE_HIDDEN void sonde_gone_check(const void *p, const char *kind, const void *site);
/* The run has ended: what was kept is freed. */
SONDE_HIDDEN void sonde_freed_end(void);

#endif
