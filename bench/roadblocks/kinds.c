/* Ten roadblocks of other kinds: numbers and lengths in an encoding, a hash, a sequence of operations, a product that wraps, a
 * look-up, digits that check each other, a curve, words, a file format. Written before the search knew goals. */
#include "bug.h"

#include <sonde.h>

#include <math.h>
#include <string.h>

/* A number as decimal digits. */
APART void check_decimal(const char *s)
{
    unsigned long v = 0;
    size_t i = 0;
    for (; s[i] >= '0' && s[i] <= '9' && i < 9; i++) v = v * 10 + (unsigned long)(s[i] - '0');
    if (s[i] == ';')
        if (v == 31337421) bug();
}

SONDE_PROPERTY(decimal)
{
    check_decimal(sonde_string(t, "s", 0, 24));
}

/* A number in groups of seven bits, as LEB128 has it. */
APART void check_varint(const uint8_t *d, size_t n)
{
    uint64_t v = 0;
    unsigned shift = 0;
    for (size_t i = 0; i < n && shift < 56; i++, shift += 7) {
        v |= (uint64_t)(d[i] & 0x7f) << shift;
        if (d[i] & 0x80) continue;
        if (v == 9876543210) bug();
        return;
    }
}

SONDE_PROPERTY(varint)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 16, &n);
    check_varint(d, n);
}

/* A multiplicative hash: which bucket, and a tag of its low bits. */
APART void check_fibhash(uint32_t key)
{
    uint32_t h = key * 2654435761u;
    if (h >> 20 == 0xbee)
        if ((h & 0xfff) == 0x123) bug();
}

SONDE_PROPERTY(fibhash)
{
    check_fibhash(sonde_u32(t, "key", 0, UINT32_MAX));
}

/* An account after a sequence of payments, each with a fee. */
APART void check_balance(const int *amounts, const bool *is_out, size_t n)
{
    long balance = 0;
    for (size_t i = 0; i < n; i++) {
        long fee = amounts[i] / 100 + 1;
        if (is_out[i] && balance < amounts[i] + fee) return;
        balance += is_out[i] ? -(amounts[i] + fee) : amounts[i] - fee;
    }
    if (n >= 4)
        if (balance == 123456) bug();
}

SONDE_PROPERTY(balance)
{
    int amounts[8];
    bool is_out[8];
    size_t n = (size_t)sonde_int(t, "n", 0, 8);
    for (size_t i = 0; i < n; i++) {
        is_out[i] = sonde_bool(t, "out");
        amounts[i] = sonde_int(t, "amount", 1, 1000000);
    }
    check_balance(amounts, is_out, n);
}

/* The size of an allocation, which wraps. */
APART void check_wrap(uint32_t count, uint32_t size)
{
    if (size < 48 || size > 4096 || count == 0) return;
    uint32_t need = count * size + 16;
    if (need < 64)
        if (count % 2 == 1) bug();
}

SONDE_PROPERTY(wrap)
{
    uint32_t count = sonde_u32(t, "count", 0, UINT32_MAX), size = sonde_u32(t, "size", 0, UINT32_MAX);
    check_wrap(count, size);
}

/* One of a thousand keys, by bisection. */
APART void check_search(uint32_t key)
{
    uint32_t lo = 0, hi = 1000;
    while (lo < hi) {
        uint32_t middle = (lo + hi) / 2, at = middle * 4000037u + middle * middle % 1009;
        if (at == key) {
            if (middle == 617) bug();
            return;
        }
        if (at < key) lo = middle + 1;
        else hi = middle;
    }
}

SONDE_PROPERTY(search)
{
    check_search(sonde_u32(t, "key", 0, UINT32_MAX));
}

/* Sixteen digits that pass the check of Luhn, with a prefix. */
APART void check_card(const char *s)
{
    unsigned sum = 0;
    size_t n = strlen(s);
    if (n != 16) return;
    for (size_t i = 0; i < n; i++) {
        if (s[i] < '0' || s[i] > '9') return;
        unsigned digit = (unsigned)(s[i] - '0') << (i % 2 == 0);
        sum += digit > 9 ? digit - 9 : digit;
    }
    if (sum % 10 == 0)
        if (strncmp(s, "4539", 4) == 0)
            if (s[15] == '7') bug();
}

SONDE_PROPERTY(card)
{
    check_card(sonde_string_of(t, "s", "0123456789 -", 0, 20));
}

/* A point on a circle, in a sector. */
APART void check_circle(double x, double y)
{
    if (x > 600 && y < 0)
        if (fabs(sqrt(x * x + y * y) - 1000) < 1e-6) bug();
}

SONDE_PROPERTY(circle)
{
    double x = sonde_double(t, "x", -1e5, 1e5), y = sonde_double(t, "y", -1e5, 1e5);
    check_circle(x, y);
}

/* Words in their places, of which the second depends on a number. */
APART void check_config(const char *s, int level)
{
    const char *equals = strchr(s, '=');
    if (!equals || equals - s != 4 || strncmp(s, "mode", 4) != 0) return;
    if (strcmp(equals + 1, "turbo") == 0)
        if (level * 3 == 2001) bug();
}

SONDE_PROPERTY(config)
{
    const char *s = sonde_string(t, "s", 0, 30);
    check_config(s, sonde_int(t, "level", 0, 1000000));
}

static uint32_t crc32_of(const uint8_t *d, size_t n)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        crc ^= d[i];
        for (unsigned bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static uint32_t big_endian(const uint8_t *d)
{
    return (uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | d[3];
}

/* A chunk of a file: length, tag, contents, and the CRC of tag and contents. */
APART void check_chunk(const uint8_t *d, size_t n)
{
    if (n < 12) return;
    uint32_t length = big_endian(d);
    if (length != n - 12) return;
    if (memcmp(d + 4, "tIME", 4) != 0) return;
    if (length == 7)
        if (crc32_of(d + 4, length + 4) == big_endian(d + 8 + length)) bug();
}

SONDE_PROPERTY(chunk)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 48, &n);
    check_chunk(d, n);
}
