/* Restores the variables of instrumented code between cases, for a property with `.reset = SONDE_GLOBALS`.
 *
 * Each object that `sonde cc` has compiled carries a note about its parts of .data, .bss and thread-local storage
 * (sonde/globals.h). So the variables of sonde, the C library and sanitizers are not touched, wherever they were
 * linked. The heap is not restored. */
#ifndef SONDE_EXEC_GLOBALS_H
#define SONDE_EXEC_GLOBALS_H

#include <stdbool.h>

/* Saves the current values of the variables; returns false if no code with a note is loaded. Only the last saved state
 * is kept. */
bool sonde_globals_keep(void);
/* Drops the saved values: the next sonde_globals_restore saves the values at that time. */
void sonde_globals_forget(void);
/* Restores the saved values, before a case. Returns NULL, or an error message if that is impossible. */
const char *sonde_globals_restore(void);

#endif
