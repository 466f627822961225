#define _GNU_SOURCE /* reallocarray, vasprintf */
/* libsonde_oom.a: the allocating functions, for programs that are linked with -Wl,--wrap=malloc and so on (the list is
 * in sonde-oom.pc). Only calls from code that is linked together are seen. Allocations inside the C library are not, so
 * its functions that return new memory are wrapped, too. Works under sanitizers. */
#include "counter.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAP(type, name, parameters)                                                                                   \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters

WRAP(void *, malloc, (size_t size))
{
    return fails() ? NULL : __real_malloc(size);
}

WRAP(void *, calloc, (size_t n, size_t size))
{
    return fails() ? NULL : __real_calloc(n, size);
}

/* A realloc to size 0 is a free, which cannot fail. */
WRAP(void *, realloc, (void *old, size_t size))
{
    return size && fails() ? NULL : __real_realloc(old, size);
}

WRAP(void *, reallocarray, (void *old, size_t n, size_t size))
{
    return n && size && fails() ? NULL : __real_reallocarray(old, n, size);
}

WRAP(void *, aligned_alloc, (size_t align, size_t size))
{
    return fails() ? NULL : __real_aligned_alloc(align, size);
}

WRAP(void *, memalign, (size_t align, size_t size))
{
    return fails() ? NULL : __real_memalign(align, size);
}

/* posix_memalign returns the error and leaves errno unchanged. */
WRAP(int, posix_memalign, (void **p, size_t align, size_t size))
{
    int before = errno;
    if (!fails()) return __real_posix_memalign(p, align, size);
    errno = before;
    return ENOMEM;
}

WRAP(char *, strdup, (const char *text))
{
    return fails() ? NULL : __real_strdup(text);
}

WRAP(char *, strndup, (const char *text, size_t n))
{
    return fails() ? NULL : __real_strndup(text, n);
}

WRAP(int, vasprintf, (char **p, const char *format, va_list args))
{
    *p = NULL;
    return fails() ? -1 : __real_vasprintf(p, format, args);
}

WRAP(int, asprintf, (char **p, const char *format, ...))
{
    va_list args;
    va_start(args, format);
    int n = __wrap_vasprintf(p, format, args);
    va_end(args);
    return n;
}

/* With _FORTIFY_SOURCE, code calls these instead of the functions above. */
WRAP(int, __vasprintf_chk, (char **p, int flag, const char *format, va_list args))
{
    (void)flag;
    return __wrap_vasprintf(p, format, args);
}

WRAP(int, __asprintf_chk, (char **p, int flag, const char *format, ...))
{
    va_list args;
    (void)flag;
    va_start(args, format);
    int n = __wrap_vasprintf(p, format, args);
    va_end(args);
    return n;
}
