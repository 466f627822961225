/* A fault in the supervisor itself: the memory that it shares with workers may have been written over by the code under
 * test, in ways that no check has seen. It does not end without a word: a sentence names the property, the input of
 * the case that ran is stored if it can still be read, and the status is SONDE_INTERNAL. */
#ifndef SONDE_EXEC_FAULT_H
#define SONDE_EXEC_FAULT_H

#include <stdint.h>

/* From now on faults of this process are reported; until it leaves them as they were. Not in builds with a sanitizer,
 * which reports them itself. A worker leaves them to its own handlers. */
void sonde_fault_watch(void);
/* Puts the handlers back that were there before. Harmless if it does not watch. */
void sonde_fault_leave(void);

/* Which property it would be about, with which seed, and what then stores the input, in a process of its own; NULL:
 * none. The name must stay until the next call. Lack of memory, too, stores the input. */
void sonde_fault_expect(const char *property, uint64_t seed, void (*store)(void));

#endif
