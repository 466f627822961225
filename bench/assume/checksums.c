/* See checksums.h. */
#include "assume/checksums.h"

unsigned sum8(const uint8_t *v, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i];
    return sum & 0xff;
}

unsigned xor8(const uint8_t *v, size_t n)
{
    unsigned all = 0;
    for (size_t i = 0; i < n; i++) all ^= v[i];
    return all;
}

unsigned crc8(const uint8_t *v, size_t n)
{
    unsigned crc = 0;
    for (size_t i = 0; i < n; i++) {
        crc ^= v[i];
        for (unsigned bit = 0; bit < 8; bit++) crc = (crc << 1 ^ (crc & 0x80 ? 0x07 : 0)) & 0xff;
    }
    return crc;
}

uint32_t crc32(const uint8_t *v, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= v[i];
        for (unsigned bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

bool is_luhn(const uint8_t *digits, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)digits[i] << ((n - i) % 2 == 0);
        sum += digit > 9 ? digit - 9 : digit;
    }
    return sum % 10 == 0;
}

uint32_t fnv32(const uint8_t *v, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++) hash = (hash ^ v[i]) * 16777619u;
    return hash;
}
