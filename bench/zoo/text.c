/* See the header. */
#include "zoo/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct zoo_text *text, size_t more)
{
    if (text->n + more + 1 <= text->cap) return;
    text->cap = 2 * (text->n + more + 1);
    text->s = realloc(text->s, text->cap);
    if (!text->s) abort();
}

void zoo_print(struct zoo_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0) abort();
    reserve(text, (size_t)n);
    vsnprintf(text->s + text->n, (size_t)n + 1, format, again);
    text->n += (size_t)n;
    va_end(again);
    va_end(args);
}

int zoo_text_read(struct zoo_text *text, const char *path)
{
    char part[1 << 16];
    FILE *f = fopen(path, "r");
    if (!f) return -errno;
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) zoo_print(text, "%.*s", (int)n, part);
    fclose(f);
    return 0;
}

void zoo_text_clear(struct zoo_text *text)
{
    free(text->s);
    *text = (struct zoo_text){0};
}

const char *zoo_text_of(const struct zoo_text *text)
{
    return text->s ? text->s : "";
}
