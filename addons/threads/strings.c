#define _GNU_SOURCE /* memrchr, memmem */
/* Wrappers of functions that compare and search memory and strings, convert numbers, and sort; libc.h describes
 * what a wrapper does. */
#include "../hooks.h"
#include "libc.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void sonde_read_text(const char *text, size_t most, const void *site)
{
    if (!most) return;
    sonde_touch(text, false, site);
    size_t n = strnlen(text, most);
    sonde_cover(text, n < most ? n + 1 : most, false, site);
}

/* Reports that n bytes are read, with a step before it. */
static void read_bytes(const void *p, size_t n, const void *site)
{
    if (!n) return;
    sonde_touch(p, false, site);
    sonde_cover(p, n, false, site);
}

/* ---- Comparisons. The search learns from them which words the code compares its input with. */

/* Passes a comparison on to the search. */
#define TELL(name, ...)                                                                                                \
    if (__sanitizer_weak_hook_##name) __sanitizer_weak_hook_##name(SONDE_CALLER, __VA_ARGS__)

/* Returns a character in lower case, in the C locale. */
static unsigned char folded(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Reports that both strings are read up to their first difference or their end. */
static void read_both(const char *a, const char *b, size_t most, bool folds, const void *site)
{
    size_t n = 0;
    if (!most || !sonde_is_watched(site)) return;
    sonde_touch(a, false, site);
    sonde_touch(b, false, site);
    while (n < most - 1 && a[n] && (folds ? folded(a[n]) == folded(b[n]) : a[n] == b[n])) n++;
    sonde_cover(a, n + 1, false, site);
    sonde_cover(b, n + 1, false, site);
}

static void read_two(const void *a, const void *b, size_t n, const void *site)
{
    if (!sonde_is_watched(site)) return;
    read_bytes(a, n, site);
    read_bytes(b, n, site);
}

WRAP(int, memcmp, const void *a, const void *b, size_t n)
{
    read_two(a, b, n, SONDE_CALLER);
    int result = __real_memcmp(a, b, n);
    TELL(memcmp, a, b, n, result);
    return result;
}

WRAP(int, bcmp, const void *a, const void *b, size_t n)
{
    read_two(a, b, n, SONDE_CALLER);
    return __real_bcmp(a, b, n);
}

WRAP(int, strcmp, const char *a, const char *b)
{
    read_both(a, b, SIZE_MAX, false, SONDE_CALLER);
    int result = __real_strcmp(a, b);
    TELL(strcmp, a, b, result);
    return result;
}

WRAP(int, strncmp, const char *a, const char *b, size_t n)
{
    read_both(a, b, n, false, SONDE_CALLER);
    int result = __real_strncmp(a, b, n);
    TELL(strncmp, a, b, n, result);
    return result;
}

WRAP(int, strcasecmp, const char *a, const char *b)
{
    read_both(a, b, SIZE_MAX, true, SONDE_CALLER);
    int result = __real_strcasecmp(a, b);
    TELL(strcasecmp, a, b, result);
    return result;
}

WRAP(int, strncasecmp, const char *a, const char *b, size_t n)
{
    read_both(a, b, n, true, SONDE_CALLER);
    int result = __real_strncasecmp(a, b, n);
    TELL(strncasecmp, a, b, n, result);
    return result;
}

static void read_texts(const char *a, const char *b, const void *site)
{
    if (!sonde_is_watched(site)) return;
    sonde_read_text(a, SIZE_MAX, site);
    sonde_read_text(b, SIZE_MAX, site);
}

WRAP(char *, strstr, const char *a, const char *b)
{
    read_texts(a, b, SONDE_CALLER);
    char *result = __real_strstr(a, b);
    TELL(strstr, a, b, result);
    return result;
}

/* ---- Searches */

#define READ_TEXT(text, most)                                                                                          \
    if (sonde_is_watched(SONDE_CALLER)) sonde_read_text(text, most, SONDE_CALLER)

WRAP(size_t, strlen, const char *text)
{
    READ_TEXT(text, SIZE_MAX);
    return __real_strlen(text);
}

WRAP(size_t, strnlen, const char *text, size_t most)
{
    READ_TEXT(text, most);
    return __real_strnlen(text, most);
}

/* Reports a read up to the byte that was found, or of n bytes if there is none. */
static void read_up_to(const char *p, const char *found, size_t n, const void *site)
{
    sonde_cover(p, found ? (size_t)(found - p) + 1 : n, false, site);
}

WRAP(char *, strchr, const char *text, int c)
{
    if (!sonde_is_watched(SONDE_CALLER)) return __real_strchr(text, c);
    sonde_touch(text, false, SONDE_CALLER);
    char *found = __real_strchr(text, c);
    read_up_to(text, found, found ? 0 : strlen(text) + 1, SONDE_CALLER);
    return found;
}

WRAP(void *, memchr, const void *p, int c, size_t n)
{
    if (!sonde_is_watched(SONDE_CALLER) || !n) return __real_memchr(p, c, n);
    sonde_touch(p, false, SONDE_CALLER);
    void *found = __real_memchr(p, c, n);
    read_up_to(p, found, n, SONDE_CALLER);
    return found;
}

WRAP(void *, memrchr, const void *p, int c, size_t n)
{
    if (sonde_is_watched(SONDE_CALLER)) read_bytes(p, n, SONDE_CALLER);
    return __real_memrchr(p, c, n);
}

WRAP(void *, memmem, const void *p, size_t n, const void *wanted, size_t size)
{
    if (sonde_is_watched(SONDE_CALLER)) {
        read_bytes(p, n, SONDE_CALLER);
        read_bytes(wanted, size, SONDE_CALLER);
    }
    return __real_memmem(p, n, wanted, size);
}

WRAP(char *, strrchr, const char *text, int c)
{
    READ_TEXT(text, SIZE_MAX);
    return __real_strrchr(text, c);
}

WRAP(size_t, strspn, const char *text, const char *set)
{
    read_texts(text, set, SONDE_CALLER);
    return __real_strspn(text, set);
}

WRAP(size_t, strcspn, const char *text, const char *set)
{
    read_texts(text, set, SONDE_CALLER);
    return __real_strcspn(text, set);
}

WRAP(char *, strpbrk, const char *text, const char *set)
{
    read_texts(text, set, SONDE_CALLER);
    return __real_strpbrk(text, set);
}

/* ---- Copies in new memory, and pieces of strings */

WRAP(char *, strdup, const char *text)
{
    READ_TEXT(text, SIZE_MAX);
    return __real_strdup(text);
}

WRAP(char *, strndup, const char *text, size_t most)
{
    READ_TEXT(text, most);
    return __real_strndup(text, most);
}

/* Reports the accesses of strtok_r and strsep: they read the string and the set, and write a zero after the token. */
static void cut(char *text, const char *set, const void *site)
{
    sonde_read_text(set, SIZE_MAX, site);
    if (!text) return;
    sonde_read_text(text, SIZE_MAX, site);
    char *start = text + strspn(text, set), *end = start + strcspn(start, set);
    if (*end) sonde_cover(end, 1, true, site);
}

WRAP(char *, strtok_r, char *text, const char *set, char **rest)
{
    if (sonde_is_watched(SONDE_CALLER)) {
        sonde_touch(rest, true, SONDE_CALLER);
        cut(text ? text : *rest, set, SONDE_CALLER);
    }
    return __real_strtok_r(text, set, rest);
}

WRAP(char *, strsep, char **text, const char *set)
{
    if (sonde_is_watched(SONDE_CALLER)) {
        sonde_touch(text, true, SONDE_CALLER);
        if (*text) cut(*text, set, SONDE_CALLER);
    }
    return __real_strsep(text, set);
}

/* ---- Numbers */

/* Defines the wrapper of a function that converts a string, and reads it up to its end. */
#define NUMBER(type, name)                                                                                             \
    WRAP(type, name, const char *text)                                                                                 \
    {                                                                                                                  \
        READ_TEXT(text, SIZE_MAX);                                                                                     \
        return __real_##name(text);                                                                                    \
    }
NUMBER(int, atoi)
NUMBER(long, atol)
NUMBER(long long, atoll)
NUMBER(double, atof)

/* Reports a read up to the character after the number. */
static void read_number(const char *text, const char *end, const void *site)
{
    if (sonde_is_watched(site)) sonde_cover(text, (size_t)(end - text) + 1, false, site);
}

/* Defines the wrapper of a function like strtol, which stores where the number ends. */
#define PARSED(type, name, parameters, arguments)                                                                      \
    WRAP(type, name, const char *text, char **end parameters)                                                          \
    {                                                                                                                  \
        char *own_end = NULL;                                                                                          \
        if (sonde_is_watched(SONDE_CALLER)) sonde_touch(text, false, SONDE_CALLER);                                    \
        type result = __real_##name(text, &own_end arguments);                                                         \
        read_number(text, own_end, SONDE_CALLER);                                                                      \
        if (end) {                                                                                                     \
            if (sonde_is_watched(SONDE_CALLER)) sonde_access_seen(end, sizeof *end, true, SONDE_CALLER);               \
            *end = own_end;                                                                                            \
        }                                                                                                              \
        return result;                                                                                                 \
    }
#define COMMA ,
#define BASE_PARAMETER COMMA int base
#define BASE_ARGUMENT COMMA base
PARSED(long, strtol, BASE_PARAMETER, BASE_ARGUMENT)
PARSED(unsigned long, strtoul, BASE_PARAMETER, BASE_ARGUMENT)
PARSED(long long, strtoll, BASE_PARAMETER, BASE_ARGUMENT)
PARSED(unsigned long long, strtoull, BASE_PARAMETER, BASE_ARGUMENT)
PARSED(long, __isoc23_strtol, BASE_PARAMETER, BASE_ARGUMENT)
PARSED(unsigned long, __isoc23_strtoul, BASE_PARAMETER, BASE_ARGUMENT)
PARSED(long long, __isoc23_strtoll, BASE_PARAMETER, BASE_ARGUMENT)
PARSED(unsigned long long, __isoc23_strtoull, BASE_PARAMETER, BASE_ARGUMENT)
PARSED(double, strtod, , )
PARSED(float, strtof, , )

/* ---- Arrays */

typedef int comparison(const void *a, const void *b);

WRAP(void, qsort, void *array, size_t n, size_t size, comparison *compare)
{
    if (sonde_is_watched(SONDE_CALLER) && n && size) {
        sonde_touch(array, true, SONDE_CALLER);
        sonde_cover(array, n * size, false, SONDE_CALLER);
        sonde_cover(array, n * size, true, SONDE_CALLER);
    }
    __real_qsort(array, n, size, compare);
}

/* Touches the middle element only. The comparison function is code under test and reports the elements that it
 * reads. */
WRAP(void *, bsearch, const void *key, const void *array, size_t n, size_t size, comparison *compare)
{
    if (sonde_is_watched(SONDE_CALLER) && n && size)
        sonde_touch((const char *)array + n / 2 * size, false, SONDE_CALLER);
    return __real_bsearch(key, array, n, size, compare);
}
