/* Who called: the return addresses on this thread's stack. */
#ifndef SONDE_BASE_FRAMES_H
#define SONDE_BASE_FRAMES_H

enum { SONDE_FRAMES = 24 };

/* Fills frames with up to SONDE_FRAMES return addresses, innermost first; returns how many. 0 where there is no unwinder. Not
 * for signal handlers: the first call may load a library. */
int sonde_frames(void *frames[SONDE_FRAMES]);

#endif
