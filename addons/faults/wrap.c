#define _GNU_SOURCE /* O_TMPFILE */
/* libsonde_faults.a: for programs that are linked with -Wl,--wrap=read and so on (the list is in sonde-faults.pc). Only
 * calls from code that is linked together are seen. Works under sanitizers. */
#include <stdbool.h>
#include <stddef.h>

/* Defined by libsonde_threads: records that the caller uses these bytes. The wrappers here replace libsonde_threads'
 * wrappers of the same functions. */
extern void sonde_bytes_seen_(const void *p, size_t n, bool writes, const void *site) __attribute__((weak));
#define SEEN(p, n, writes)                                                                                             \
    do {                                                                                                               \
        if (sonde_bytes_seen_) sonde_bytes_seen_(p, n, writes, __builtin_return_address(0));                           \
    } while (0)

#define DEFINE(type, name, parameters)                                                                                 \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters
#define REAL(name) __real_##name

#include "calls.h"
