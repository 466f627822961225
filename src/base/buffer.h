/* A growing string that is written through a FILE. Out of memory ends the process (base/mem.h), so callers never
 * check for failure. Its memory always comes from the C library, even while a shared heap is current.
 *
 *     struct sonde_buffer b;
 *     fprintf(sonde_buffer_open(&b), "%d", 3);
 *     puts(sonde_buffer_close(&b));
 *     sonde_buffer_clear(&b); */
#ifndef SONDE_BASE_BUFFER_H
#define SONDE_BASE_BUFFER_H

#include <stddef.h>
#include <stdio.h>

/* A buffer; a buffer of all zeros is empty. It must not move while it is open. */
struct sonde_buffer {
    char *text; /* the bytes written up to the last flush, and a NUL */
    size_t n;
    FILE *out; /* NULL: not open */
};

/* Opens an empty buffer and returns its `out`, which the buffer owns. */
FILE *sonde_buffer_open(struct sonde_buffer *buffer);
/* Closes the stream and returns `text`, which the buffer owns until it is cleared. */
const char *sonde_buffer_close(struct sonde_buffer *buffer);
/* Frees the memory of the buffer, and closes its stream if that is open. */
void sonde_buffer_clear(struct sonde_buffer *buffer);

#endif
