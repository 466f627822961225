/* Numbers written into a growing byte array, and read back from bytes that may be damaged. They are little-endian on
 * every machine, so files can be exchanged.
 *
 * Callers need not check each read: beyond the end every number is 0, and is_short is set. They check is_short once,
 * after the last read. Until then they trust no number: they compare a count with the bytes that are left. */
#ifndef SONDE_BASE_BYTES_H
#define SONDE_BASE_BYTES_H

#include <sonde/extend.h>

/* Frees the bytes and leaves the array empty. */
void sonde_bytes_clear(struct sonde_bytes *bytes);
/* Appends a number, little-endian on every machine. Floats and doubles are stored as their bits, so they read back
 * unchanged. None of these functions fails: if memory runs out, the process ends (base/mem.h). */
void sonde_bytes_add_u32(struct sonde_bytes *bytes, uint32_t value);
void sonde_bytes_add_u64(struct sonde_bytes *bytes, uint64_t value);
void sonde_bytes_add_float(struct sonde_bytes *bytes, float value);
void sonde_bytes_add_double(struct sonde_bytes *bytes, double value);

/* A position in bytes that are being read. After one read beyond the end, every later read returns 0. */
struct sonde_reader {
    const uint8_t *data;
    size_t n, at;
    bool is_short;
};

/* Returns a reader at the start of n bytes, which must outlive the reader. */
static inline struct sonde_reader sonde_reader(const void *data, size_t n)
{
    return (struct sonde_reader){.data = data, .n = n};
}

/* Returns a pointer to the next n bytes, which are not copied; NULL if fewer are left. */
const uint8_t *sonde_read_bytes(struct sonde_reader *reader, size_t n);
/* Reads a number. Returns 0 beyond the end and sets is_short, so a caller may check once, after the last read. */
uint32_t sonde_read_u32(struct sonde_reader *reader);
uint64_t sonde_read_u64(struct sonde_reader *reader);
float sonde_read_float(struct sonde_reader *reader);   /* Returns 0 if the value is not finite */
double sonde_read_double(struct sonde_reader *reader); /* Returns 0 if the value is not finite */

#endif
