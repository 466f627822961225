/* A reader with a checksum that is not a sum, compiled with coverage and comparisons. */
#include "lib/packet_cov.h"

static unsigned checksum_of(const unsigned char *p, size_t n)
{
    unsigned c = 0x5a;
    for (size_t i = 0; i < n; i++) {
        c ^= p[i];
        for (int k = 0; k < 8; k++) c = c & 0x80 ? (c << 1 ^ 0x107) & 0xff : c << 1;
    }
    return c;
}

bool packet_is_read(const unsigned char *payload, size_t n, unsigned checksum, bool *is_wrong)
{
    if (checksum_of(payload, n) != checksum) return false;
    for (size_t i = 0; i < n; i++) *is_wrong |= payload[i] >= 200;
    return true;
}
