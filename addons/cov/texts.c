/* Makes comparisons of strings visible: with --wrap=strcmp the linker redirects calls of strcmp here. The result comes
 * from the C library. The operands are passed to the hook that sanitizers would call, if there is one. So a search
 * learns the words that the code under test compares with, without a sanitizer.
 *
 * Only calls that the linker sees are redirected, not calls within the C library or calls that the compiler inlined. */
#include "../hooks.h"

/* Defines the wrapper of a function. Hidden: each program and library has a separate one. */
#define WRAP(type, name, parameters, ...)                                                                              \
    extern type __real_##name parameters;                                                                              \
    __attribute__((visibility("hidden"))) type __wrap_##name parameters;                                               \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        type result = __real_##name(__VA_ARGS__);                                                                      \
        if (__sanitizer_weak_hook_##name)                                                                              \
            __sanitizer_weak_hook_##name(__builtin_return_address(0), __VA_ARGS__, result);                            \
        return result;                                                                                                 \
    }

WRAP(int, memcmp, (const void *a, const void *b, size_t n), a, b, n)
WRAP(int, strcmp, (const char *a, const char *b), a, b)
WRAP(int, strncmp, (const char *a, const char *b, size_t n), a, b, n)
WRAP(int, strcasecmp, (const char *a, const char *b), a, b)
WRAP(int, strncasecmp, (const char *a, const char *b, size_t n), a, b, n)
WRAP(char *, strstr, (const char *a, const char *b), a, b)
