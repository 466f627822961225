/* sonde_alloc: memory and cleaning up.
 * Also: sonde_buffer sonde_new sonde_defer sonde_context
 * See also: sonde_bytes sonde_run */
#include <sonde.h>
#include <stdlib.h>

static void close_file(void *what)
{
    fclose(*(FILE **)what);
}

static void bytes_are_read_as_written(sonde *t)
{
    size_t n;
    const uint8_t *data = sonde_bytes(t, "data", 0, 100, &n);
    FILE **file = sonde_new(t, FILE *); /* lives until the case ends */
    if (!(*file = tmpfile())) abort();
    sonde_defer(t, close_file, file); /* also if a check fails */

    uint8_t *back = sonde_buffer(t, n);
    sonde_check_eq(t, fwrite(data, 1, n, *file), n);
    rewind(*file);
    sonde_check_eq(t, fread(back, 1, n, *file), n);
    sonde_check_mem_eq(t, back, data, n);
}

SONDE_MAIN(bytes_are_read_as_written)
