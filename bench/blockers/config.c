/* A line of a configuration file. */
#include "blockers.h"

#include <sonde.h>

#include <string.h>

int config_version = HELD(2, 3);

APART int parse(const char *s, uint32_t salt)
{
    size_t n = strlen(s);
    int equals = 0;
    if (n > 255) passed("config-long");                /* blocked: range s */
    if (config_version >= 3) passed("config-version"); /* blocked: constant */
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '#') passed("config-comment"); /* blocked: range s */
        equals += s[i] == '=';
    }
    if (equals == 0) passed("config-flag"); /* blocked: assume assigned */
    uint64_t hash = digest(&salt, sizeof salt);
    if (hash == UINT64_C(0xfa1f4f2c0810ce28)) passed("config-salt"); /* blocked: open salt */
    return equals;
}

SONDE_PROPERTY(config)
{
    const char *s = sonde_string_of(t, "s", HELD("abcdef= ", "abcdef= #"), 0, HELD(40, 1000));
    uint32_t salt = sonde_u32(t, "salt", 0, UINT32_MAX);
#ifndef UNBLOCKED
    sonde_assume(t, strchr(s, '=') != NULL); /* assume: assigned */
#endif
    sonde_check(t, parse(s, salt) >= 0);
}
