/* Who called: the return addresses on this thread's stack. */
#ifndef SONDE_BASE_FRAMES_H
#define SONDE_BASE_FRAMES_H

enum { SONDE_FRAMES = 24 };

/* Fills frames with up to SONDE_FRAMES return addresses, innermost first; returns how many. 0 where there is no unwinder. Not
 * for signal handlers: the first call may load a library. */
int sonde_frames(void *frames[SONDE_FRAMES]);

/* backtrace(3): the caller is the first. musl has none; there the compiler's own unwinder is asked. */
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define sonde_backtrace backtrace
#else
int sonde_backtrace(void **frames, int max);
#endif

#endif
