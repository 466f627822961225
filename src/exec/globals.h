/* The variables of instrumented code, restored between cases: for a property with `.reset = SONDE_GLOBALS`.
 *
 * What is instrumented says so itself: each object that `sonde cc` has compiled carries a note about which part of .data, .bss and the
 * thread's own variables is its (sonde/globals.h). So neither sonde's variables nor those of the C library or of a sanitizer's runtime are
 * touched, wherever they were linked to. What lies on the heap is not restored. */
#ifndef SONDE_EXEC_GLOBALS_H
#define SONDE_EXEC_GLOBALS_H

#include <stdbool.h>

/* Remembers how they are now; false if no code with a note is loaded. One state is remembered, the last. */
bool sonde_globals_keep(void);
/* They are forgotten: the next sonde_globals_restore keeps what it finds. */
void sonde_globals_forget(void);
/* Before a case: as they were when they were kept. Returns why that cannot be, a sentence; NULL: done. */
const char *sonde_globals_restore(void);

#endif
