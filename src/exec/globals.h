/* Restores the variables of instrumented code between cases, for a property with `.reset = SONDE_GLOBALS`.
 *
 * Each object that `sonde cc` has compiled carries a note about its parts of .data, .bss and thread-local storage
 * (sonde/globals.h). So the variables of sonde, the C library and sanitizers are not touched, wherever they were
 * linked. The heap is not restored. */
#ifndef SONDE_EXEC_GLOBALS_H
#define SONDE_EXEC_GLOBALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Saves the current values of the variables; returns false if no code with a note is loaded. Only the last saved state
 * is kept. */
bool sonde_globals_keep(void);
/* Drops the saved values: the next sonde_globals_restore saves the values at that time. */
void sonde_globals_forget(void);
/* Calls `visit` for each range of variables that was saved. */
void sonde_globals_each(void (*visit)(uint8_t *at, size_t n));
struct sonde_state_bytes;
/* Fills out[] with the first `max` runs of bytes that differ from the saved ones; returns the number of all runs. */
uint32_t sonde_globals_changed(struct sonde_state_bytes *out, uint32_t max);
/* Restores n bytes at an address, as far as they were saved. */
void sonde_globals_return(uint8_t *at, size_t n);
/* Restores the saved values, before a case. Returns NULL, or an error message if that is impossible. */
const char *sonde_globals_restore(void);

#endif
