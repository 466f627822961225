/* Declares the hooks for comparisons in the code under test, as sanitizers call them. Weak: only programs with the
 * core define them. */
#ifndef SONDE_ADDONS_HOOKS_H
#define SONDE_ADDONS_HOOKS_H

#include <stddef.h>

#define SONDE_HOOK(name, ...) extern __attribute__((weak)) void __sanitizer_weak_hook_##name(void *pc, __VA_ARGS__)
SONDE_HOOK(memcmp, const void *a, const void *b, size_t n, int result);
SONDE_HOOK(strcmp, const char *a, const char *b, int result);
SONDE_HOOK(strncmp, const char *a, const char *b, size_t n, int result);
SONDE_HOOK(strcasecmp, const char *a, const char *b, int result);
SONDE_HOOK(strncasecmp, const char *a, const char *b, size_t n, int result);
SONDE_HOOK(strstr, const char *a, const char *b, char *result);

#endif
