/* Implements readable.h. Reading within a page never fails if one of its bytes was read before. */
#include "observe/readable.h"

#include <stdint.h>
#include <string.h>

/* AddressSanitizer's: returns the first byte that must not be read, or NULL. */
extern __attribute__((weak)) void *__asan_region_is_poisoned(void *from, size_t n);

size_t sonde_readable_length(const char *text, size_t known, size_t n)
{
    enum { PAGE = 4096 }; /* or a multiple */
    size_t length = strnlen(text, known);
    if (length < known || known == n) return length;
    size_t rest = PAGE - 1 - (uintptr_t)(text + known - 1) % PAGE;
    if (rest > n - known) rest = n - known;
    void *from = (void *)(uintptr_t)(text + known), *wrong = NULL;
    if (__asan_region_is_poisoned && rest) wrong = __asan_region_is_poisoned(from, rest);
    if (wrong) rest = (size_t)((char *)wrong - (char *)from);
    return known + strnlen(from, rest);
}
