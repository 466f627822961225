/* See settings.h. */
#include "guide/settings.h"

#include "guide/guides.h"
#include "guide/mutate.h"

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

/* The weights of mutators go by their names, and `auto` has a switch for each guide. */
static const char *const others[] = {"again",  "back",   "bycost", "climb",  "compared", "discarded",   "echo",
                                     "energy", "equal",  "filter", "follow", "fresh",    "hot",         "hotpicks",
                                     "large",  "larger", "last",   "loose",  "margins",  "nicherivals", "opaque",
                                     "plain",  "pool",   "rivals", "size",   "terse",    "twinlist",    "twinspan",
                                     "warm",   "watch",  "whole",  NULL};

static bool is_word(const char *text, size_t n, const char *word)
{
    return strncmp(text, word, n) == 0 && word[n] == '\0';
}

static bool is_known(const char *text, size_t n)
{
    for (size_t i = 0; others[i]; i++)
        if (is_word(text, n, others[i])) return true;
    for (size_t i = 0; sonde_mutators[i].name; i++)
        if (is_word(text, n, sonde_mutators[i].name)) return true;
    for (size_t i = 0; sonde_guides[i]; i++)
        if (is_word(text, n, sonde_guides[i]->name)) return true;
    return false;
}

const char *sonde_settings_wrong(const char *options)
{
    for (const char *p = options; p && *p;) {
        size_t n = strcspn(p, "=,");
        if (p[n] != '=' || !is_known(p, n)) return p;
        p += strcspn(p, ",");
        p += *p == ',';
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
