/* See refusal.h. The buffer is static because constructors run before main, in one thread, possibly before any heap
 * exists. */
#include "base/refusal.h"

#include <errno.h>
#include <stdarg.h>

static char first[512];

int sonde_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!*first) vsnprintf(first, sizeof first, format, arguments);
    va_end(arguments);
    return -EINVAL;
}

const char *sonde_refused(void)
{
    return *first ? first : NULL;
}
