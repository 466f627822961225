/* Chooses the properties that --filter names; choose.h describes the patterns.
 * A pattern is compared with the names of all properties before it is used as a part of a name. So `--filter list`
 * means the property `list` alone, even if `list_sort` exists. */
#include "cli/choose.h"

#include <fnmatch.h>
#include <string.h>

static bool is_name(const sonde_property *all, size_t n, const char *pattern)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, pattern)) return true;
    return false;
}

/* Returns whether a pattern, without its `!`, matches a name. An exact name (is_exact) means that property alone,
 * even if other names contain it. A pattern with wildcards must match the whole name; one without needs to match
 * only a part. */
static bool fits(const char *name, const char *pattern, bool is_exact)
{
    if (is_exact) return !strcmp(name, pattern);
    return strpbrk(pattern, "*?[") ? !fnmatch(pattern, name, 0) : strstr(name, pattern) != NULL;
}

static bool excludes(const char *pattern)
{
    return pattern[0] == '!';
}

/* Returns whether a pattern matches the name. If `excluding`, considers only patterns that exclude, else only
 * the others. */
static bool is_named(const sonde_property *all, size_t n, const char *name, const char *const *patterns,
                     size_t n_patterns, bool excluding)
{
    for (size_t i = 0; i < n_patterns; i++) {
        const char *pattern = patterns[i] + excludes(patterns[i]);
        if (excludes(patterns[i]) == excluding && fits(name, pattern, is_name(all, n, pattern))) return true;
    }
    return false;
}

/* Returns the first pattern that matches no property; NULL if each matches one. */
static const char *find_unmatched(const sonde_property *all, size_t n, const char *const *patterns, size_t n_patterns)
{
    for (size_t i = 0; i < n_patterns; i++) {
        const char *pattern = patterns[i] + excludes(patterns[i]);
        bool is_exact = is_name(all, n, pattern), fits_some = false;
        for (size_t k = 0; k < n && !fits_some; k++) fits_some = fits(all[k].name, pattern, is_exact);
        if (!fits_some) return patterns[i];
    }
    return NULL;
}

size_t sonde_choose(const sonde_property *all, size_t n, const char *const *patterns, size_t n_patterns,
                    const sonde_property **chosen, const char **unmatched)
{
    size_t n_chosen = 0;
    /* If only exclusions are given, every other property is chosen. */
    bool takes_all = true;
    for (size_t i = 0; i < n_patterns; i++) takes_all &= excludes(patterns[i]);
    for (size_t i = 0; i < n; i++) {
        const char *name = all[i].name;
        if (!takes_all && !is_named(all, n, name, patterns, n_patterns, false)) continue;
        if (is_named(all, n, name, patterns, n_patterns, true)) continue;
        chosen[n_chosen++] = &all[i];
    }
    *unmatched = find_unmatched(all, n, patterns, n_patterns);
    return n_chosen;
}
