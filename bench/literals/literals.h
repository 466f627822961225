/* Code that wants something exact of its input: a word, a number, a checksum, a length. To be instrumented. Each
 * returns true for the inputs that show its bug. */
#ifndef BENCH_LITERALS_LITERALS_H
#define BENCH_LITERALS_LITERALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The example of targeted testing, section 4: a string that starts with "bug", looked at letter by letter. */
bool literals_buggy(const char *s);
/* A word, compared as a whole. */
bool literals_keyword(const char *s);
/* A word of four letters; then as many strings are compared that have nothing to do with the input. */
bool literals_word(const char *s, unsigned noise);
/* A number of four bytes, beyond the sign bit. */
bool literals_magic(uint32_t x);
/* The same as the first bytes of a file, highest first. */
bool literals_magic_file(const uint8_t *data, size_t n);

/* A payload of eight bytes at least with the right CRC-32. */
bool literals_checksum(const uint8_t *payload, size_t n, uint32_t sum);
/* The same as one frame: the payload, then its sum, lowest byte first. */
bool literals_checksum_frame(const uint8_t *frame, size_t n);

/* A payload of eight bytes at least, as long as its field says. */
bool literals_length(const uint8_t *payload, size_t n, uint32_t length);
/* The same as one record: kind, length in two bytes, highest first, then the payload and nothing else. */
bool literals_length_record(const uint8_t *record, size_t n);

#endif
