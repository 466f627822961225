/* Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once. */
#ifndef SONDE_EXEC_INTERRUPT_H
#define SONDE_EXEC_INTERRUPT_H

#include <stdbool.h>

/* For programs that sonde owns (sonde_main); an embedded run leaves the signals alone. */
void sonde_interrupt_watch(void);
bool sonde_interrupted(void);

#endif
