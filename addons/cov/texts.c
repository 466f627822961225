/* Comparisons of texts, made visible: with --wrap=strcmp the linker sends calls of strcmp here. The result is the C
 * library's; what was compared goes to the hook that sanitizers would call, where there is one. So a search learns the
 * words that the code under test looks for, without a sanitizer.
 *
 * Only calls that the linker sees: it knows nothing of those within the C library, or that the compiler made inline. */
#include "../hooks.h"

/* The function itself, and what stands for it. Hidden: each program and library has its own. */
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
