/* See text.h. */
#include "text.h"

#include "base/check.h"
#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_put_n(struct text *t, const char *s, size_t n)
{
    t->all = sonde_grow(t->all, &t->cap, (size_t)t->n + n + 1, 1);
    memcpy(t->all + t->n, s, n);
    t->n += (uint32_t)n;
    t->all[t->n] = 0;
}

__attribute__((format(printf, 2, 3))) void text_put(struct text *t, const char *format, ...)
{
    char buffer[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    sonde_assert(n >= 0 && (size_t)n < sizeof buffer);
    text_put_n(t, buffer, (size_t)n);
}
