/* See program.h. */
#include "programs/program.h"

#include <stdarg.h>

void text_add(struct text *text, const char *format, ...)
{
    size_t room = sizeof text->bytes - text->n;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text->bytes + text->n, room, format, args);
    va_end(args);
    if (n > 0) text->n += (size_t)n < room ? (size_t)n : room - 1;
}

bool text_more(sonde_list *list, struct text *text, const char *between)
{
    if (!sonde_more(list)) return false;
    if (list->i) text_add(text, "%s", between);
    return true;
}
