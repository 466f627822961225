/* Treats functions of the C library as accesses to the memory of their caller. The linker redirects calls here
 * (--wrap, src/base/libc_calls.h).
 *
 * A wrapper first touches each object that the function uses. That may be a step, at which another thread may run.
 * After the steps it determines how many bytes will be used, reports them, and calls the function, all without
 * another step. Copies are made in pieces, with a step before each: on a real machine another thread can read or
 * change the memory in between. */
#ifndef SONDE_THREADS_LIBC_H
#define SONDE_THREADS_LIBC_H

#include "access.h"

/* Returns whether a call that returns to `site` comes from a thread under control, and not from sonde itself. */
static inline bool sonde_is_watched(const void *site)
{
    return sonde_is_controlled && !sonde_is_ours(site);
}

/* Announces the use of one byte at p; may be a step. */
static inline void sonde_touch(const void *p, bool writes, const void *site)
{
    sonde_access_seen(p, 1, writes, site);
}
/* Reports the use of n bytes, without a step. */
static inline void sonde_cover(const void *p, size_t n, bool writes, const void *site)
{
    if (n) sonde_range_seen(p, n, writes, site);
}

/* Touches a string and reports that it is read, up to its end or `most` bytes. */
SONDE_HIDDEN void sonde_read_text(const char *text, size_t most, const void *site);
/* Copies like memmove; in a thread under control it does so in pieces, with a step for each. Returns `to`. */
SONDE_HIDDEN void *sonde_move(void *to, const void *from, size_t n, const void *site);
/* Fills like memset; in a thread under control it does so in pieces, with a step for each. Returns `to`. */
SONDE_HIDDEN void *sonde_fill(void *to, int byte, size_t n, const void *site);

/* Defines the replacement of a function, __wrap_NAME, and declares the function itself, __real_NAME. The latter
 * exists only if the program was linked with --wrap. */
#define WRAP(type, name, ...)                                                                                          \
    extern type __real_##name(__VA_ARGS__) __attribute__((weak));                                                      \
    __attribute__((visibility("default"))) type __wrap_##name(__VA_ARGS__);                                            \
    type __wrap_##name(__VA_ARGS__)

#endif
