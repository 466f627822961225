/* A codec for the commands of the README: each run of equal bytes becomes its length and the byte. */
#include <stddef.h>
#include <stdint.h>

/* Returns the number of bytes written to `out`, which has room for 2 * n. */
size_t pack(const uint8_t *in, size_t n, uint8_t *out);
/* Undoes pack. Returns the number of bytes written to `out`. */
size_t unpack(const uint8_t *in, size_t n, uint8_t *out);
