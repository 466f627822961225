/* Functions of the C library as accesses to the memory of their caller. The linker sends calls here (--wrap, src/base/libc_calls.h).
 *
 * A function touches each object first, which may be a step: there another thread may run. Then, at once, it finds out how much it
 * will use, says so, and calls the function itself. Copies are made in pieces, with a step before each: on a machine another thread
 * can see or change the memory between two of them. */
#ifndef SONDE_THREADS_LIBC_H
#define SONDE_THREADS_LIBC_H

#include "access.h"

/* Whether a call that returns to `site` comes from a thread under control, and not from sonde itself. */
static inline bool sonde_is_watched(const void *site)
{
    return sonde_is_controlled && !sonde_is_ours(site);
}

/* A step before one byte at p is used. */
static inline void sonde_touch(const void *p, bool writes, const void *site)
{
    sonde_access_seen(p, 1, writes, site);
}
/* All of these bytes are used now, without a step. */
static inline void sonde_cover(const void *p, size_t n, bool writes, const void *site)
{
    if (n) sonde_range_seen(p, n, writes, site);
}

/* Reads a string of at most `most` bytes. */
SONDE_HIDDEN void sonde_read_text(const char *text, size_t most, const void *site);
/* memmove and memset; in a thread under control in pieces, each with a step. */
SONDE_HIDDEN void *sonde_move(void *to, const void *from, size_t n, const void *site);
SONDE_HIDDEN void *sonde_fill(void *to, int byte, size_t n, const void *site);

/* Defines what takes the place of a function, and declares the function itself: it is there if the program was linked with --wrap. */
#define WRAP(type, name, ...)                                                                                          \
    extern type __real_##name(__VA_ARGS__) __attribute__((weak));                                                      \
    __attribute__((visibility("default"))) type __wrap_##name(__VA_ARGS__);                                            \
    type __wrap_##name(__VA_ARGS__)

#endif
