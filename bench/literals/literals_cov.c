/* See literals.h. */
#include "literals/literals.h"

#include <string.h>

bool literals_buggy(const char *s)
{
    if (s[0] != 'b') return false;
    if (s[1] != 'u') return false;
    return s[2] == 'g';
}

bool literals_keyword(const char *s)
{
    return strcmp(s, "procedure") == 0;
}

bool literals_word(const char *s, unsigned noise)
{
    char left[] = "left-000", right[] = "right-000";
    bool is_it = strcmp(s, "lynx") == 0;
    unsigned equal = 0;
    for (unsigned i = 0; i < noise; i++) {
        left[6] = right[7] = (char)('0' + i / 10 % 10);
        left[7] = right[8] = (char)('0' + i % 10);
        equal += strcmp(left, right) == 0;
    }
    return is_it && equal == 0;
}

bool literals_magic(uint32_t x)
{
    return x == 0xdeadbeef;
}

bool literals_magic_file(const uint8_t *data, size_t n)
{
    if (n < 4) return false;
    uint32_t magic = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 | data[3];
    return magic == 0xcafed00d;
}

static uint32_t crc32(const uint8_t *data, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

bool literals_checksum(const uint8_t *payload, size_t n, uint32_t sum)
{
    return n >= 8 && crc32(payload, n) == sum;
}

bool literals_checksum_frame(const uint8_t *frame, size_t n)
{
    if (n < 12) return false;
    const uint8_t *end = frame + n - 4;
    uint32_t sum = end[0] | (uint32_t)end[1] << 8 | (uint32_t)end[2] << 16 | (uint32_t)end[3] << 24;
    return crc32(frame, n - 4) == sum;
}

bool literals_length(const uint8_t *payload, size_t n, uint32_t length)
{
    (void)payload;
    return n >= 8 && length == n;
}

bool literals_length_record(const uint8_t *record, size_t n)
{
    if (n < 3 + 8) return false;
    size_t length = (size_t)record[1] << 8 | record[2];
    return record[0] == 7 && length == n - 3;
}
