#define _GNU_SOURCE /* etext */
/* memcpy and its like, as accesses to memory: compilers instrument what they make of them inline, and call the C library for the rest.
 * `sonde cc --threads` links with --wrap, which sends those calls here.
 *
 * The linker sends sonde's own calls here, too. They are told by where they come from: `sonde cc` links sonde behind the code under test,
 * so all of the program's code from this archive's first function on is sonde's. */
#include "access.h"

#include <string.h>

extern const char etext[] __attribute__((visibility("hidden")));

bool sonde_is_ours(const void *site)
{
    return (uintptr_t)site >= (uintptr_t)sonde_tls_look && (uintptr_t)site < (uintptr_t)etext;
}

static void note(const void *p, size_t n, bool writes, const void *site)
{
    if (n && sonde_is_controlled && !sonde_is_ours(site)) sonde_access_seen(p, n, writes, site);
}

/* The C library's, where the program was linked with --wrap; NULL elsewhere, where nobody calls what is here. */
#define WRAP(type, name, ...)                                                                                          \
    extern type __real_##name(__VA_ARGS__) __attribute__((weak));                                                      \
    __attribute__((visibility("default"))) type __wrap_##name(__VA_ARGS__);                                            \
    type __wrap_##name(__VA_ARGS__)

WRAP(void *, memcpy, void *to, const void *from, size_t n)
{
    note(from, n, false, SONDE_CALLER);
    note(to, n, true, SONDE_CALLER);
    return __real_memcpy(to, from, n);
}

WRAP(void *, memmove, void *to, const void *from, size_t n)
{
    note(from, n, false, SONDE_CALLER);
    note(to, n, true, SONDE_CALLER);
    return __real_memmove(to, from, n);
}

WRAP(void *, memset, void *to, int byte, size_t n)
{
    note(to, n, true, SONDE_CALLER);
    return __real_memset(to, byte, n);
}

WRAP(size_t, strlen, const char *text)
{
    note(text, 1, false, SONDE_CALLER);
    return __real_strlen(text);
}

WRAP(char *, strcpy, char *to, const char *from)
{
    note(from, 1, false, SONDE_CALLER);
    note(to, 1, true, SONDE_CALLER);
    return __real_strcpy(to, from);
}

WRAP(char *, strncpy, char *to, const char *from, size_t n)
{
    note(from, n, false, SONDE_CALLER);
    note(to, n, true, SONDE_CALLER);
    return __real_strncpy(to, from, n);
}
