#define _GNU_SOURCE /* memmem */
/* See included.h. Only lines are examined, not conditions: a name in a branch that is not compiled counts as well. */
#include "cli/included.h"

#include "base/mem.h"
#include "base/strings.h"
#include "store/files.h"

#include <string.h>

enum { SOURCE_MAX = 64 << 20 }; /* bytes of a source that are read */

/* Returns whether a line is a directive of the preprocessor, or includes a file by the assembler. */
static bool may_include(const char *line, size_t n)
{
    if (memmem(line, n, ".inc", 4)) return true;
    while (n && (*line == ' ' || *line == '\t')) line++, n--;
    return n && *line == '#';
}

/* Returns whether a line has a name, with or without a directory, at the end of "..." or <...>. */
static bool has_name(const char *line, size_t n, const char *name)
{
    size_t length = strlen(name);
    const char *end = line + n;
    for (const char *at = line; (at = memmem(at, (size_t)(end - at), name, length)) != NULL; at++)
        if (at > line && strchr("\"</", at[-1]) && at + length < end && strchr("\">\\", at[length])) return true;
    return false;
}

const char *sonde_included(const char *source, const char *const *paths, uint32_t n)
{
    char *text;
    size_t size, length;
    const char *found = NULL;
    if (sonde_read_file(source, SOURCE_MAX, true, &text, &size) < 0) return NULL;
    for (const char *at = text, *end = text + size; at < end && !found; at += length + 1) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        length = (size_t)((stop ? stop : end) - at);
        for (uint32_t i = 0; i < n && !found && may_include(at, length); i++)
            if (has_name(at, length, sonde_last_part(paths[i]))) found = paths[i];
    }
    sonde_free(text);
    return found;
}
