/* See settings.h. */
#include "guide/settings.h"

#include <stdlib.h>
#include <string.h>

double sonde_setting(const char *options, const char *name, double otherwise)
{
    size_t n = strlen(name);
    for (const char *p = options; p && *p; p = strchr(p, ',')) {
        if (*p == ',') p++;
        if (strncmp(p, name, n) != 0 || p[n] != '=') continue;
        char *end;
        double value = strtod(p + n + 1, &end);
        if (end != p + n + 1) return value;
    }
    return otherwise;
}
