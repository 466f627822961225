/* Names of files in a shared directory. Includes the source file, to reach its static functions. */
#define _GNU_SOURCE
#include "share/folder.c"

#include "parsers.h"

void parse_name(const uint8_t *data, size_t n)
{
    char *name = parsers_text(data, n), again[17 + 8 * SONDE_SHARED_KEYS + sizeof SUFFIX];
    struct sonde_notice notice;
    if (read_name(name, &notice)) {
        write_name(&notice, again, sizeof again);
        PROMISE(!strcmp(name, again));
    }
    free(name);
}
