/* Ten roadblocks that the search was not developed on; they were run once before its last change and once after it: a
 * packet header with its sum, a code point, three bytes in base 64, a size that wraps, a weekday, a determinant, a mask
 * with a given number of bits, a square root, a cache entry that was replaced, an amount as text. */
#include "bug.h"

#include <sonde.h>

#include <string.h>

/* A header of 20 bytes: version, length, and the 16-bit sum of the Internet protocols; then a hop count of 0. */
APART void check_header(const uint8_t *d, size_t n)
{
    uint32_t sum = 0;
    if (n < 20 || d[0] != 0x45) return;
    if ((size_t)(d[2] << 8 | d[3]) != n) return;
    for (size_t i = 0; i < 20; i += 2) sum += (uint32_t)(d[i] << 8 | d[i + 1]);
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    if (sum == 0xffff)
        if (d[8] == 0 && d[9] == 17) bug();
}

SONDE_PROPERTY(header)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 40, &n);
    check_header(d, n);
}

/* Four bytes of UTF-8, and a range of code points. */
APART void check_code_point(const uint8_t *d, size_t n)
{
    if (n < 4 || (d[0] & 0xf8) != 0xf0) return;
    uint32_t c = d[0] & 7;
    for (size_t i = 1; i < 4; i++) {
        if ((d[i] & 0xc0) != 0x80) return;
        c = c << 6 | (d[i] & 63);
    }
    if (c >= 0x1f600 && c <= 0x1f64f) bug();
}

SONDE_PROPERTY(code_point)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 12, &n);
    check_code_point(d, n);
}

/* Four characters of base 64, which are three bytes. */
APART void check_base64(const char *s)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t v = 0;
    if (strlen(s) % 4 != 0 || s[0] == '\0') return;
    for (size_t i = 0; i < 4; i++) {
        const char *at = strchr(digits, s[i]);
        if (!at) return;
        v = v << 6 | (uint32_t)(at - digits);
    }
    if (v == 0x474946) bug();
}

SONDE_PROPERTY(base64)
{
    check_base64(sonde_string(t, "s", 0, 12));
}

/* The bytes of an image in 32 bits. */
APART void check_image(uint32_t width, uint32_t height, uint32_t depth)
{
    if (width == 0 || height == 0 || (depth != 8 && depth != 24 && depth != 32)) return;
    uint32_t row = (width * depth / 8 + 3) & ~3u, size = row * height;
    if (width > 10000 && height > 10000)
        if (size < 4096 && size != 0) bug();
}

SONDE_PROPERTY(image)
{
    uint32_t width = sonde_u32(t, "width", 0, 1000000), height = sonde_u32(t, "height", 0, 1000000);
    check_image(width, height, sonde_u32(t, "depth", 0, 64));
}

/* Friday the 13th of a leap year whose 25 December is a Sunday, after 2000. */
APART int day_of_week(int y, int m, int d)
{
    static const int shift[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
    if (m < 3) y--;
    return (y + y / 4 - y / 100 + y / 400 + shift[m - 1] + d) % 7;
}

APART void check_weekday(int y, int m, int d)
{
    if (m < 1 || m > 12 || d < 1 || d > 31) return;
    if (d == 13 && day_of_week(y, m, d) == 5)
        if (y > 2000 && y % 4 == 0 && y % 100 != 0 && day_of_week(y, 12, 25) == 0) bug();
}

SONDE_PROPERTY(weekday)
{
    int y = sonde_int(t, "y", 1600, 9999), m = sonde_int(t, "m", 0, 15);
    check_weekday(y, m, sonde_int(t, "d", 0, 40));
}

/* A matrix of large numbers with determinant 1. */
APART void check_determinant(const int32_t *m)
{
    if (m[0] < 100 || m[1] < 100 || m[2] < 100) return;
    if ((int64_t)m[0] * m[3] - (int64_t)m[1] * m[2] == 1) bug();
}

SONDE_PROPERTY(determinant)
{
    int32_t m[4];
    for (size_t i = 0; i < 4; i++) m[i] = sonde_int(t, "m", -30000, 30000);
    check_determinant(m);
}

/* A mask of processors: so many of them, the first in use, the last not. */
APART void check_mask(uint64_t mask)
{
    unsigned n = 0;
    for (uint64_t left = mask; left; left &= left - 1) n++;
    if (n == 5)
        if ((mask & 1) && mask >> 40 != 0 && !(mask >> 63)) bug();
}

SONDE_PROPERTY(mask)
{
    check_mask(sonde_u64(t, "mask", 0, UINT64_MAX));
}

/* A square root by Newton, and what is left over. */
APART void check_root(uint64_t x)
{
    uint64_t r = x, next = (x + 1) / 2;
    while (next < r) {
        r = next;
        next = (r + x / r) / 2;
    }
    if (r == 123456)
        if (x - r * r == 7) bug();
}

SONDE_PROPERTY(root)
{
    check_root(sonde_u64(t, "x", 1, UINT64_MAX / 4));
}

/* A cache of eight slots: a key is replaced by another one and comes back. */
APART void check_cache(const uint16_t *keys, size_t n)
{
    uint16_t at[8] = {0}, replaced = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned slot = (unsigned)(keys[i] * 40503u >> 13) & 7;
        if (keys[i] == 0 || at[slot] == keys[i]) continue;
        if (replaced != 0 && keys[i] == replaced) bug();
        replaced = at[slot];
        at[slot] = keys[i];
    }
}

SONDE_PROPERTY(cache)
{
    uint16_t keys[10];
    size_t n = (size_t)sonde_int(t, "n", 0, 10);
    for (size_t i = 0; i < n; i++) keys[i] = (uint16_t)sonde_int(t, "key", 0, UINT16_MAX);
    check_cache(keys, n);
}

/* An amount: digits, a point, two digits. */
APART void check_amount(const char *s)
{
    unsigned long cents = 0;
    unsigned after = 0;
    bool is_after = false;
    for (; *s; s++) {
        if (*s == '.' && !is_after) is_after = true;
        else if (*s < '0' || *s > '9') return;
        else cents = cents * 10 + (unsigned long)(*s - '0'), after += is_after;
    }
    if (after == 2)
        if (cents == 104999) bug();
}

SONDE_PROPERTY(amount)
{
    check_amount(sonde_string(t, "s", 0, 12));
}
