/* A string that is written as a file is. Without memory the process ends (base/mem.h), so nobody has to ask whether it is
 * open. Its memory is the C library's, whatever the current heap is.
 *
 *     struct sonde_buffer b;
 *     fprintf(sonde_buffer_open(&b), "%d", 3);
 *     puts(sonde_buffer_close(&b));
 *     sonde_buffer_clear(&b); */
#ifndef SONDE_BASE_BUFFER_H
#define SONDE_BASE_BUFFER_H

#include <stddef.h>
#include <stdio.h>

/* Zero is an empty one. While it is open it must not be moved. */
struct sonde_buffer {
    char *text; /* ends with a NUL; what was written up to the last flush */
    size_t n;
    FILE *out; /* NULL: it is not open */
};

/* Returns `out`. */
FILE *sonde_buffer_open(struct sonde_buffer *buffer);
/* Returns `text`, which is the buffer's until it is cleared. */
const char *sonde_buffer_close(struct sonde_buffer *buffer);
void sonde_buffer_clear(struct sonde_buffer *buffer);

#endif
