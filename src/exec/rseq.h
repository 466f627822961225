/* Restartable sequences. The C library gives the kernel an address in the memory of each thread, where a program may write
 * which few instructions must not be interrupted. What the kernel cannot make sense of there ends the process, and no handler
 * is called: so a worker whose code under test overruns a block into that memory would die without a place. */
#ifndef SONDE_EXEC_RSEQ_H
#define SONDE_EXEC_RSEQ_H

/* For this thread: the kernel looks there no longer, and a stray write is a fault like any other. Code that uses such
 * sequences sees that there are none and takes its slower way. */
void sonde_rseq_leave(void);

#endif
