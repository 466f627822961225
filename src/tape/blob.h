/* The layout of a blob's record in the side buffer of a tape, for the files that access its bytes directly; others call
 * sonde_choice_blob. */
#ifndef SONDE_TAPE_BLOB_H
#define SONDE_TAPE_BLOB_H

#include <stdint.h>
#include <string.h>

/* Layout of a blob's record in the side buffer: length, shortest and longest allowed length, alphabet, then the
 * symbols. The alphabet is a kind, or 16 + the offset of a custom alphabet's characters. The number of these
 * characters is stored before them, because every access to a blob needs it. */
enum { BLOB_LEN = 0, BLOB_MIN = 4, BLOB_MAX = 8, BLOB_ALPHABET = 12, BLOB_SYMBOLS = 16, ALPHABET_TEXT = 16 };

/* Returns the number of 32 bits at p, which need not be aligned. */
static inline uint32_t sonde_load32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

#endif
