/* The return addresses on this thread's stack. */
#ifndef SONDE_BASE_FRAMES_H
#define SONDE_BASE_FRAMES_H

enum { SONDE_FRAMES = 24 };

/* Fills frames with up to SONDE_FRAMES return addresses, innermost first; returns how many, 0 without an unwinder.
 * Not safe in a signal handler: the first call may load a library. */
int sonde_frames(void *frames[SONDE_FRAMES]);

/* Acts as backtrace(3), whose first frame is the caller. musl lacks backtrace, so the compiler's unwinder is used
 * there. */
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define sonde_backtrace backtrace
#else
int sonde_backtrace(void **frames, int max);
#endif

#endif
