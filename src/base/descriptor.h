/* Descriptors of sonde's own, out of the way of the code under test: high, closed when another program is executed, and
 * closed in workers unless those need them. So nothing that a property writes to a descriptor it does not have reaches a
 * report, and no process that it starts holds the user's output open. */
#ifndef SONDE_BASE_DESCRIPTOR_H
#define SONDE_BASE_DESCRIPTOR_H

#include <stdbool.h>

/* Moves a descriptor up and remembers it; the number it has now. A negative one is handed back. */
int sonde_descriptor_hide(int descriptor, bool for_workers);
/* Before it is closed. */
void sonde_descriptor_forget(int descriptor);
/* In a worker: closes all that are not for workers. */
void sonde_descriptor_leave(void);

#endif
