/* sonde_observe: name a value without checking it.
 * See also: sonde_note sonde_check_eq */
#include <sonde.h>

#include <string.h>

/* The code under test: turns "aaab" into "3a1b". */
static size_t pack(const char *text, char *out)
{
    size_t n = 0;
    while (*text) {
        size_t run = 1;
        while (text[run] == *text && run < 9) run++;
        out[n++] = (char)('0' + run);
        out[n++] = *text;
        text += run;
    }
    return n;
}

static void packing_loses_nothing(sonde *t)
{
    const char *text = sonde_string_of(t, "text", "ab", 0, 40);
    char *packed = sonde_buffer(t, 2 * strlen(text) + 1);
    size_t n = pack(text, packed), length = 0;
    sonde_observe(t, "packed", packed, n);
    for (size_t i = 0; i < n; i += 2) length += (size_t)(packed[i] - '0');
    sonde_observe(t, "length", length);
    sonde_check_eq(t, length, strlen(text));
}

SONDE_MAIN(packing_loses_nothing)
