/* sonde_string: draw a string.
 * Also: sonde_string_of sonde_utf8 sonde_utf8_broken sonde_regex
 * See also: sonde_bytes sonde_json sonde_put */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

static void numbers_are_parsed_as_printed(sonde *t)
{
    const char *number = sonde_regex(t, "number", "-?[1-9][0-9]{0,8}");
    char out[32];
    snprintf(out, sizeof out, "%ld", strtol(number, NULL, 10));
    sonde_check_eq(t, out, number);
}

static void no_string_is_longer_than_asked(sonde *t)
{
    sonde_check_le(t, strlen(sonde_string(t, "ascii", 0, 20)), 20);
    sonde_check_le(t, strlen(sonde_string_of(t, "digits", "0123456789", 0, 20)), 20);
    sonde_check_le(t, strlen(sonde_utf8(t, "utf8", 0, 20)), 4 * 20); /* at most four bytes for a code point */
}

SONDE_MAIN(numbers_are_parsed_as_printed, no_string_is_longer_than_asked)
