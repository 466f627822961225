/* Writing numbers into bytes that grow, and reading them back without trusting them. Little-endian, so that what one
 * machine wrote another can read.
 *
 * A reader is asked without looking at each answer: past the end every number is 0, and is_short says so once,
 * when all has been read. Nothing that was read is believed for that: counts are checked against what is left. */
#ifndef SONDE_BASE_BYTES_H
#define SONDE_BASE_BYTES_H

#include <sonde/extend.h>

void sonde_bytes_clear(struct sonde_bytes *bytes);
/* Numbers are little-endian on every machine; floats and doubles by their bits, so that they come back
 * as they were. None of these fails: without memory the process ends (base/mem.h). */
void sonde_bytes_add_u32(struct sonde_bytes *bytes, uint32_t value);
void sonde_bytes_add_u64(struct sonde_bytes *bytes, uint64_t value);
void sonde_bytes_add_float(struct sonde_bytes *bytes, float value);
void sonde_bytes_add_double(struct sonde_bytes *bytes, double value);

/* A reader that has once been asked for more than there is answers zeros from then on. */
struct sonde_reader {
    const uint8_t *data;
    size_t n, at;
    bool is_short;
};

static inline struct sonde_reader sonde_reader(const void *data, size_t n)
{
    return (struct sonde_reader){.data = data, .n = n};
}

/* The next n bytes where they lie; NULL if there are not so many. */
const uint8_t *sonde_read_bytes(struct sonde_reader *reader, size_t n);
/* 0 where the bytes have ended, and is_short is set: a caller may read on and ask once at the end. */
uint32_t sonde_read_u32(struct sonde_reader *reader);
uint64_t sonde_read_u64(struct sonde_reader *reader);
float sonde_read_float(struct sonde_reader *reader);   /* 0 instead of what is not finite */
double sonde_read_double(struct sonde_reader *reader); /* the same */
/* Everything was read, and nothing was missing. */
bool sonde_read_ended(const struct sonde_reader *reader);

#endif
