/* See buffer.h. */
#include "base/buffer.h"

#include "base/die.h"

#include <stdlib.h>

FILE *sonde_buffer_open(struct sonde_buffer *b)
{
    *b = (struct sonde_buffer){0};
    b->out = open_memstream(&b->text, &b->n);
    if (!b->out) sonde_die(SONDE_INTERNAL, "out of memory for a report");
    return b->out;
}

const char *sonde_buffer_close(struct sonde_buffer *b)
{
    if (b->out && fclose(b->out)) sonde_die(SONDE_INTERNAL, "out of memory for a report");
    b->out = NULL;
    return b->text;
}

void sonde_buffer_clear(struct sonde_buffer *b)
{
    if (b->out) fclose(b->out);
    free(b->text);
    *b = (struct sonde_buffer){0};
}
