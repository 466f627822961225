/* See hash.h. Byte order and the last bytes are handled explicitly, so big-endian and little-endian machines agree.
 * Compilers turn the loop into one load. */
#include "base/hash.h"

#include <string.h>

uint64_t sonde_hash_bytes(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *p = data;
    /* The length is added first, so that "a" and "a\0" differ. */
    hash = sonde_hash_add(hash, n);
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t word = 0; /* little-endian on every machine */
        for (unsigned i = 0; i < 8; i++) word |= (uint64_t)p[i] << (8 * i);
        hash = sonde_hash_add(hash, word);
    }
    uint64_t rest = 0;
    for (size_t i = 0; i < n; i++) rest |= (uint64_t)p[i] << (8 * i);
    return sonde_mix(sonde_hash_add(hash, rest));
}

uint64_t sonde_hash_text(uint64_t hash, const char *text)
{
    return sonde_hash_bytes(hash, text, strlen(text));
}
