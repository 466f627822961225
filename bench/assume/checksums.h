/* Values that are computed from bytes, as file formats and protocols have them. */
#ifndef BENCH_ASSUME_CHECKSUMS_H
#define BENCH_ASSUME_CHECKSUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

unsigned sum8(const uint8_t *v, size_t n); /* modulo 256 */
unsigned xor8(const uint8_t *v, size_t n);
unsigned crc8(const uint8_t *v, size_t n);     /* polynomial 0x07 */
uint32_t crc32(const uint8_t *v, size_t n);    /* as in Ethernet and PNG */
bool is_luhn(const uint8_t *digits, size_t n); /* the last is the check digit */
uint32_t fnv32(const uint8_t *v, size_t n);    /* FNV-1a */

#endif
