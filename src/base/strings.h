/* Prefixes and suffixes of strings, and the last part of a path. */
#ifndef SONDE_BASE_STRINGS_H
#define SONDE_BASE_STRINGS_H

#include <stdbool.h>
#include <string.h>

/* Returns whether n bytes, which need no NUL, begin with a string. */
static inline bool sonde_bytes_start(const void *bytes, size_t n, const char *with)
{
    return n >= strlen(with) && memcmp(bytes, with, strlen(with)) == 0;
}

/* Returns whether a string begins with another. */
static inline bool sonde_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Returns whether a string ends with another. */
static inline bool sonde_ends(const char *text, const char *with)
{
    size_t n = strlen(text), m = strlen(with);
    return n >= m && strcmp(text + n - m, with) == 0;
}

/* Returns the part after the last slash of a path, or the whole path without a slash. */
static inline const char *sonde_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

#endif
