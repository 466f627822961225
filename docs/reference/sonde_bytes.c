/* sonde_bytes: draw bytes.
 * See also: sonde_string sonde_buffer */
#include <sonde.h>
#include <string.h>

static void copies_are_equal(sonde *t)
{
    size_t n;
    const uint8_t *data = sonde_bytes(t, "data", 0, 100, &n);
    uint8_t *copy = sonde_buffer(t, n); /* exactly n bytes: an overrun is found */
    memcpy(copy, data, n);
    sonde_check_mem_eq(t, copy, data, n);
}

SONDE_MAIN(copies_are_equal)
