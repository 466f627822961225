/* Prefixes and suffixes of strings, the last part of a path, and how far a misspelt name is from a known one. */
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

/* Returns the distance between a known name and n characters: how many letters were added, left out, changed, or
 * swapped with their neighbour. SIZE_MAX if either is longer than 63. */
size_t sonde_distance(const char *name, const char *text, size_t n);
/* Returns the distance from which on a known name is no longer suggested ("did you mean") for a name of n characters.
 * One error is allowed, and one more per three letters. */
static inline size_t sonde_distance_limit(size_t n)
{
    return n < 4 ? 2 : n / 3 + 2;
}

#endif
