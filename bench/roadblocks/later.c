/* Ten roadblocks that were written when the search was finished, and run once: BCD, Gray code, a ratio of doubles, a mean, a
 * matrix, a rotation, an address, a sequence that must rise, a polynomial of one number, a time of day. */
#include "bug.h"

#include <sonde.h>

#include <math.h>
#include <string.h>

/* Digits in half bytes. */
APART void check_bcd(uint32_t x)
{
    uint32_t v = 0;
    for (int shift = 28; shift >= 0; shift -= 4) {
        uint32_t digit = x >> shift & 15;
        if (digit > 9) return;
        v = v * 10 + digit;
    }
    if (v == 20481024) bug();
}

SONDE_PROPERTY(bcd)
{
    check_bcd(sonde_u32(t, "x", 0, UINT32_MAX));
}

/* A Gray code and its number. */
APART void check_gray(uint32_t gray, uint32_t number)
{
    uint32_t decoded = gray;
    for (unsigned shift = 1; shift < 32; shift *= 2) decoded ^= decoded >> shift;
    if (decoded == number)
        if (number > 1000000 && (number & 0xff) == 0x5a) bug();
}

SONDE_PROPERTY(gray)
{
    uint32_t gray = sonde_u32(t, "gray", 0, UINT32_MAX), number = sonde_u32(t, "number", 0, UINT32_MAX);
    check_gray(gray, number);
}

/* An aspect ratio, within a tolerance. */
APART void check_ratio(double width, double height)
{
    if (width < 100 || height < 100) return;
    if (fabs(width / height - 16.0 / 9) < 1e-7)
        if (width * height > 2e6 && width * height < 2.1e6) bug();
}

SONDE_PROPERTY(ratio)
{
    double width = sonde_double(t, "width", 0, 1e4), height = sonde_double(t, "height", 0, 1e4);
    check_ratio(width, height);
}

/* The mean and the spread of a sample. */
APART void check_mean(const int *x, size_t n)
{
    long sum = 0;
    int lo = x[0], hi = x[0];
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
        lo = x[i] < lo ? x[i] : lo;
        hi = x[i] > hi ? x[i] : hi;
    }
    if (sum == 4242 * (long)n)
        if (hi - lo == 1717) bug();
}

SONDE_PROPERTY(mean)
{
    int x[5];
    for (size_t i = 0; i < 5; i++) x[i] = sonde_int(t, "x", 0, 100000);
    check_mean(x, 5);
}

/* A matrix that is singular, with a trace. */
APART void check_matrix(int a, int b, int c, int d)
{
    if (a + d != 5005) return;
    if (a == 0 || b == 0) return;
    if (a * d - b * c == 0)
        if (b - c == 12) bug();
}

SONDE_PROPERTY(matrix)
{
    int a = sonde_int(t, "a", -10000, 10000), b = sonde_int(t, "b", -10000, 10000);
    int c = sonde_int(t, "c", -10000, 10000), d = sonde_int(t, "d", -10000, 10000);
    check_matrix(a, b, c, d);
}

/* A word rotated by a drawn count. */
APART void check_rotate(uint32_t x, unsigned by)
{
    uint32_t r = by ? x << by | x >> (32 - by) : x;
    if (by > 4 && by < 28)
        if (r == 0xcafef00d) bug();
}

SONDE_PROPERTY(rotate)
{
    uint32_t x = sonde_u32(t, "x", 0, UINT32_MAX);
    check_rotate(x, sonde_u32(t, "by", 0, 31));
}

/* A host of a network: four numbers of an address and the length of a prefix. */
APART void check_network(const uint8_t *ip, unsigned bits)
{
    uint32_t address = (uint32_t)ip[0] << 24 | (uint32_t)ip[1] << 16 | (uint32_t)ip[2] << 8 | ip[3];
    if (bits < 20 || bits > 30) return;
    uint32_t mask = UINT32_MAX << (32 - bits);
    if ((address & mask) == 0xc0a83200)
        if ((address & ~mask) == (~mask ^ 1)) bug();
}

SONDE_PROPERTY(network)
{
    uint8_t ip[4];
    for (size_t i = 0; i < 4; i++) ip[i] = (uint8_t)sonde_u32(t, "ip", 0, 255);
    check_network(ip, sonde_u32(t, "bits", 0, 32));
}

/* Numbers that rise by growing steps. */
APART void check_rising(const int *x, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (x[i] <= x[i - 1]) return;
    for (size_t i = 2; i < n; i++)
        if (x[i] - x[i - 1] != x[i - 1] - x[i - 2] + 3) return;
    bug();
}

SONDE_PROPERTY(rising)
{
    int x[5];
    for (size_t i = 0; i < 5; i++) x[i] = sonde_int(t, "x", 0, 1000000);
    check_rising(x, 5);
}

/* A cubic of one number. */
APART void check_cubic(long x)
{
    if (x * x * x - 300 * x * x + 7 * x == 42548082942) bug();
}

SONDE_PROPERTY(cubic)
{
    check_cubic(sonde_int(t, "x", -100000, 100000));
}

/* A time of day as text. */
APART void check_clock(const char *s)
{
    if (strlen(s) != 8 || s[2] != ':' || s[5] != ':') return;
    int part[3];
    for (size_t i = 0; i < 3; i++) {
        char high = s[3 * i], low = s[3 * i + 1];
        if (high < '0' || high > '9' || low < '0' || low > '9') return;
        part[i] = (high - '0') * 10 + (low - '0');
    }
    if (part[0] < 24 && part[1] < 60 && part[2] < 60)
        if (part[0] * 3600 + part[1] * 60 + part[2] == 73505) bug();
}

SONDE_PROPERTY(clock_text)
{
    check_clock(sonde_string_of(t, "s", "0123456789:. ", 0, 12));
}
