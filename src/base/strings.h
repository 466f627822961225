/* How strings begin and end, and what a path ends with. */
#ifndef SONDE_BASE_STRINGS_H
#define SONDE_BASE_STRINGS_H

#include <stdbool.h>
#include <string.h>

/* Whether n bytes, which need no NUL, begin with a string. */
static inline bool sonde_bytes_start(const void *bytes, size_t n, const char *with)
{
    return n >= strlen(with) && memcmp(bytes, with, strlen(with)) == 0;
}

static inline bool sonde_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static inline bool sonde_ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

/* Returns what follows the last slash of a path, or all of it. */
static inline const char *sonde_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
