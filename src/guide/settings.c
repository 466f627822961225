/* See settings.h. */
#include "guide/settings.h"

#include <stdlib.h>
#include <string.h>

const char *sonde_setting_text(const char *options, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = options; p && *p; p = strchr(p, ',')) {
        if (*p == ',') p++;
        if (strncmp(p, name, n) == 0 && p[n] == '=') return p + n + 1;
    }
    return NULL;
}

double sonde_setting(const char *options, const char *name, double otherwise)
{
    const char *text = sonde_setting_text(options, name);
    char *end = NULL;
    double value = text ? strtod(text, &end) : 0;
    return text && end != text ? value : otherwise;
}
