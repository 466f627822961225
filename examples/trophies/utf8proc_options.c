/* utf8proc, from its source: no set of options makes it read where it must not. */
#include <sonde.h>
#include <stdlib.h>
#include <utf8proc.h>

/* utf8proc_map promises a result or an error. Only AddressSanitizer sees an access before a table. NULLTERM is left
 * out, because the drawn bytes need not end with a zero. */
SONDE_PROPERTY(any_options_are_safe, .crash_only = true)
{
    size_t n;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 20, &n);
    int options = sonde_int(t, "options", 0, (1 << 14) - 1) & ~UTF8PROC_NULLTERM;
    utf8proc_uint8_t *out = NULL;
    utf8proc_map(bytes, (utf8proc_ssize_t)n, &out, (utf8proc_option_t)options);
    free(out);
}

SONDE_MAIN()
