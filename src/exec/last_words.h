/* Last words: where the property runs without isolation, a fatal signal, an exit or a hang ends the program, and the input
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
#ifndef SONDE_EXEC_LAST_WORDS_H
#define SONDE_EXEC_LAST_WORDS_H

#include "case/case.h"

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
