/* A fault in the supervisor itself: the memory that it shares with workers may have been written over by the code under
 * test, in ways that no check has seen. It does not end without a word: a sentence names the property, the input of
 * the case that ran is stored if it can still be read, and the status is SONDE_INTERNAL. */
#ifndef SONDE_EXEC_FAULT_H
#define SONDE_EXEC_FAULT_H

#include "case/case.h"

#include <stdint.h>

/* From now on faults of this process are reported; until it leaves them as they were. Not in builds with a sanitizer,
 * which reports them itself. A worker leaves them to its own handlers. */
void sonde_fault_watch(void);
/* Puts the handlers back that were there before. Harmless if it does not watch. */
void sonde_fault_leave(void);

/* Which property it would be about, with which seed, and what then stores the input, in a process of its own; NULL:
 * none. The name must stay until the next call. Lack of memory, too, stores the input. */
void sonde_fault_expect(const char *property, uint64_t seed, void (*store)(void));

/* ---- Last words: where the property runs without isolation, a fatal signal, an exit or a hang ends the program, and the input
 * would be lost. While they are armed, what was drawn so far, its token and the seed are written to standard error first.
 *
 * All of it happens in a handler of a signal, on a stack of its own: no memory is allocated and nothing of stdio is called.
 * Then the signal goes where it would have gone: to the host's handler, or to the system.
 *
 *     FAIL list_test: SIGSEGV (invalid memory access)
 *
 *       For these values:
 *           xs
 *             x = 3
 *
 *       They are not shrunk, because the property runs without isolation. Seed 7, case 91. Their token:
 *           s1:xs[{x=3}] ? */

struct sonde_last_words {
    const sonde *t;
    const char *property;
    uint64_t seed;
    double cpu_seconds, wall_seconds; /* of one case; 0: no limit */
    struct sonde_last_words *outer;   /* private */
};

/* For what this thread runs from here to `disarm`, where `words` lives. May be nested. */
void sonde_last_words_arm(struct sonde_last_words *words);
/* By the same thread, in the reverse order of arming. The last one puts the handlers of signals back. */
void sonde_last_words_disarm(struct sonde_last_words *words);

#endif
