/* Faults in the supervisor itself: the code under test may have overwritten the memory it shares with workers,
 * unnoticed by any check. The supervisor then prints an error that names the property, and stores the input of the
 * running case if it is still readable. It exits with SONDE_INTERNAL. */
#ifndef SONDE_EXEC_FAULT_H
#define SONDE_EXEC_FAULT_H

#include "exec/worker.h"

#include <stdint.h>

/* Reports faults of this process from now on, until sonde_fault_leave. Does nothing in builds with a sanitizer,
 * which reports them itself. Workers use other handlers. */
void sonde_fault_watch(void);
/* Restores the previous handlers. Does nothing if sonde_fault_watch was not called. */
void sonde_fault_leave(void);

/* Sets the property and seed to report, and a function that stores the input in a separate process (NULL: none). The
 * name must stay valid until the next call. Running out of memory also stores the input. */
void sonde_fault_expect(const char *property, uint64_t seed, void (*store)(void));

/* ---- Last words. If the property runs without isolation, a fatal signal, an exit or a hang ends the program, and
 * the input would be lost. While last words are armed, the values drawn so far, their token and the seed are first
 * written to standard error.
 *
 * All of that happens in a signal handler on an alternate stack: it allocates no memory and calls no stdio function.
 * Then the signal is passed on to the host's handler, or to the system.
 *
 *     FAIL list_test: SIGSEGV (invalid memory access)
 *
 *       For these values:
 *           xs
 *             x = 3
 *
 *       They are not shrunk, because the property runs without isolation. Seed 7, case 91. Their token:
 *           s1:xs[{x=3}] ? */

/* Contents of the words, copied from the worker. Used by last_words.c only. */
struct sonde_last_words {
    const sonde *t;
    const char *property;
    uint64_t seed;
    uint64_t memory; /* limit in bytes; 0: none */
    struct sonde_last_words *outer;
};

/* Arms last words for cases that this thread runs until sonde_last_words_disarm. They have the case, the property, the
 * seed and the time limits of the worker that is missing. `words` must live until then. Calls may be nested. */
void sonde_last_words_arm(struct sonde_last_words *words, const struct sonde_worker *missing);
/* Disarms, in the same thread and in the reverse order of arming. The last call in the process restores the signal
 * handlers. */
void sonde_last_words_disarm(struct sonde_last_words *words);
/* Sets whether this process runs in a debugger (--gdb): true before words are armed, false after the run. A case that
 * exceeds a limit of time or memory then reaches the breakpoint and continues. */
void sonde_last_words_debug(bool begins);
/* Not 0 while an exit of the process would be a failure for which the debugger has not stopped yet. For --gdb. */
extern volatile int sonde_exits_unseen_;

#endif
