/* Ten roadblocks that were written when the search with samples was finished, and run once: a book number, an address as
 * text, hex digits, a product of fixed-point numbers, an interpolation, a ring buffer, a triangle, an angle, a record
 * with its sum, a setting. */
#include "bug.h"

#include <sonde.h>

#include <math.h>
#include <string.h>

/* Ten digits with weights, modulo 11; the last may be an X. */
APART void check_isbn(const char *s)
{
    unsigned sum = 0;
    if (strlen(s) != 10) return;
    for (unsigned i = 0; i < 10; i++) {
        bool is_x = s[i] == 'X' && i == 9;
        if (!is_x && (s[i] < '0' || s[i] > '9')) return;
        sum += (10 - i) * (is_x ? 10 : (unsigned)(s[i] - '0'));
    }
    if (sum % 11 == 0)
        if (s[0] == '3' && s[1] == '5' && s[2] == '4') bug();
}

SONDE_PROPERTY(isbn)
{
    check_isbn(sonde_string_of(t, "s", "0123456789X-", 0, 14));
}

/* Four numbers with dots between them. */
APART void check_ipv4(const char *s)
{
    uint32_t address = 0;
    for (unsigned part = 0; part < 4; part++) {
        unsigned x = 0, n = 0;
        for (; *s >= '0' && *s <= '9' && n < 3; s++, n++) x = x * 10 + (unsigned)(*s - '0');
        if (n == 0 || x > 255 || *s++ != (part < 3 ? '.' : '\0')) return;
        address = address << 8 | x;
    }
    if (address >> 8 == 0x0a141e)
        if ((address & 0xff) == 77) bug();
}

SONDE_PROPERTY(ipv4)
{
    check_ipv4(sonde_string_of(t, "s", "0123456789.", 0, 20));
}

/* Eight hex digits, and nothing after them. */
APART void check_hex(const char *s)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 8; i++) {
        unsigned digit;
        if (s[i] >= '0' && s[i] <= '9') digit = (unsigned)(s[i] - '0');
        else if (s[i] >= 'a' && s[i] <= 'f') digit = (unsigned)(s[i] - 'a') + 10;
        else return;
        v = v << 4 | digit;
    }
    if (s[8] != '\0') return;
    if (v == 0xdecafbad) bug();
}

SONDE_PROPERTY(hex)
{
    check_hex(sonde_string(t, "s", 0, 16));
}

/* Numbers with 16 bits after the point. */
APART void check_fixed(int32_t a, int32_t b)
{
    if ((int64_t)a * b >> 16 == 124969)
        if (a - b == 1000) bug();
}

SONDE_PROPERTY(fixed)
{
    int32_t a = sonde_int(t, "a", -100000000, 100000000), b = sonde_int(t, "b", -100000000, 100000000);
    check_fixed(a, b);
}

/* A value between two points. */
APART void check_interp(const int *p, int x)
{
    if (x <= p[0] || x >= p[2]) return;
    long rise = p[3] - p[1], y = p[1] + rise * (x - p[0]) / (p[2] - p[0]);
    if (y == 500)
        if (rise > 10000) bug();
}

SONDE_PROPERTY(interp)
{
    int p[4];
    for (size_t i = 0; i < 4; i++) p[i] = sonde_int(t, "p", -100000, 100000);
    check_interp(p, sonde_int(t, "x", -100000, 100000));
}

/* A ring of 64 that is full. */
APART void check_ring(uint32_t head, uint32_t tail)
{
    if (((tail - head) & 63) != 63) return;
    if ((head & 63) == 17)
        if (tail > 1000 && tail / 64 == head / 64 + 1) bug();
}

SONDE_PROPERTY(ring)
{
    uint32_t head = sonde_u32(t, "head", 0, 1000000);
    check_ring(head, sonde_u32(t, "tail", 0, 1000000));
}

/* Right angles, and a perimeter. */
APART void check_triangle(long a, long b, long c)
{
    if (a + b <= c || a <= 0 || b <= 0) return;
    if (a * a + b * b == c * c)
        if (a + b + c == 1000) bug();
}

SONDE_PROPERTY(triangle)
{
    long a = sonde_int(t, "a", 0, 10000), b = sonde_int(t, "b", 0, 10000);
    check_triangle(a, b, sonde_int(t, "c", 0, 10000));
}

/* A direction, and a distance. */
APART void check_angle(double x, double y)
{
    if (fabs(atan2(y, x) - 0.75) < 1e-6)
        if (x * x + y * y > 5e7) bug();
}

SONDE_PROPERTY(angle)
{
    double x = sonde_double(t, "x", -1e4, 1e4);
    check_angle(x, sonde_double(t, "y", -1e4, 1e4));
}

/* Type, length, contents, and three times their sum. */
APART void check_tlv(const uint8_t *d, size_t n)
{
    unsigned sum = 0;
    if (n < 8 || d[0] != 7 || d[1] != n - 4) return;
    for (size_t i = 0; i < d[1]; i++) sum += d[2 + i];
    if ((unsigned)(d[n - 2] << 8 | d[n - 1]) == 3 * sum)
        if (sum > 500) bug();
}

SONDE_PROPERTY(tlv)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 40, &n);
    check_tlv(d, n);
}

/* A setting: a word, and a number in digits. */
APART void check_limit(const char *s)
{
    unsigned v = 0;
    if (strncmp(s, "limit=", 6) != 0) return;
    for (s += 6; *s >= '0' && *s <= '9'; s++) v = v * 10 + (unsigned)(*s - '0');
    if (*s == '\0')
        if (v == 40961) bug();
}

SONDE_PROPERTY(limit)
{
    check_limit(sonde_string(t, "s", 0, 30));
}
