/* sonde.conf: cli/profile.c, with what it has for itself. */
#define _GNU_SOURCE
#include "cli/profile.c"

#include "parsers.h"

void parse_profile(const uint8_t *data, size_t n)
{
    char file[] = "sonde.conf", message[256] = "";
    struct sonde_profile profile = {.name = "ci", .file = file, .text = parsers_text(data, n)};
    struct reader r = {.profile = &profile, .message = message, .size = sizeof message};
    int error = read_lines(&r);
    PROMISE(!error == !*message);
    for (size_t i = 0; i < profile.n; i++) PROMISE(profile.settings[i].line <= r.line && profile.settings[i].value);
    free(profile.text);
    sonde_free(profile.settings);
}
