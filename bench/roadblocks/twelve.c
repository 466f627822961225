/* The twelve roadblocks that the search for branches was designed with. */
#include "bug.h"

#include <sonde.h>

#define WIDE(label) sonde_int(t, label, -2000000, 2000000)

APART void check_lin3(int a, int b, int c)
{
    if (3 * a + 5 * b - 2 * c == 1000003) bug();
}

SONDE_PROPERTY(lin3)
{
    int a = WIDE("a"), b = WIDE("b"), c = WIDE("c");
    check_lin3(a, b, c);
}

APART void check_lin2x2(int a, int b)
{
    if (a + 2 * b == 700001)
        if (3 * a - b == 90002) bug();
}

SONDE_PROPERTY(lin2x2)
{
    int a = WIDE("a"), b = WIDE("b");
    check_lin2x2(a, b);
}

APART void check_prod(int a, int b)
{
    if ((long)a * b == 15959989L) bug();
}

SONDE_PROPERTY(prod)
{
    int a = sonde_int(t, "a", 2, 100000), b = sonde_int(t, "b", 2, 100000);
    check_prod(a, b);
}

APART void check_square(int64_t a)
{
    if (a * a - 1234 * a == 4169000) bug();
}

SONDE_PROPERTY(square)
{
    check_square(sonde_i64(t, "a", -1000000, 1000000));
}

APART void check_xor_shift(uint32_t a, uint32_t b)
{
    if ((a ^ (b << 3)) == 0x5a5a1234u && (b & 0xff) == 0x77) bug();
}

SONDE_PROPERTY(xor_shift)
{
    uint32_t a = sonde_u32(t, "a", 0, UINT32_MAX), b = sonde_u32(t, "b", 0, UINT32_MAX);
    check_xor_shift(a, b);
}

APART void check_mod(unsigned a, unsigned b)
{
    if (a % 9973 == 17 && (a + b) % 7919 == 4) bug();
}

SONDE_PROPERTY(mod)
{
    unsigned a = sonde_u32(t, "a", 0, 100000000), b = sonde_u32(t, "b", 0, 100000000);
    check_mod(a, b);
}

APART void check_hash8(const uint8_t *d, size_t n)
{
    uint32_t h = 5381;
    if (n != 8) return;
    for (size_t i = 0; i < n; i++) h = h * 33 + d[i];
    if (h == 0x1234567) bug();
}

SONDE_PROPERTY(hash8)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 12, &n);
    check_hash8(d, n);
}

APART void check_sum(const uint8_t *d, size_t n)
{
    unsigned s = 0;
    if (n < 6) return;
    for (size_t i = 2; i < n; i++) s += d[i];
    if (d[0] * 256u + d[1] == (s & 0xffff) && s > 300) bug();
}

SONDE_PROPERTY(sum)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 40, &n);
    check_sum(d, n);
}

APART void check_flt(double x)
{
    if (x > 1.5 && x < 1.500000001) bug();
}

SONDE_PROPERTY(flt)
{
    check_flt(sonde_double(t, "x", -1e6, 1e6));
}

APART void check_chain(int a, int b, int c, int d)
{
    if (a == 4711)
        if (b == a * 3 + 1)
            if (c == b - a)
                if (d == c / 2 + 9) bug();
}

SONDE_PROPERTY(chain)
{
    int a = WIDE("a"), b = WIDE("b"), c = WIDE("c"), d = WIDE("d");
    check_chain(a, b, c, d);
}

APART void check_date(int y, int m, int d)
{
    long days = 365L * y + y / 4 - y / 100 + y / 400 + (153 * m + 8) / 5 + d;
    if (days == 737881 && m == 2 && d == 29) bug();
}

SONDE_PROPERTY(date)
{
    int y = sonde_int(t, "y", 0, 9999), m = sonde_int(t, "m", 1, 12), d = sonde_int(t, "d", 1, 31);
    check_date(y, m, d);
}

APART void check_state(const uint8_t *d, size_t n)
{
    static const char key[] = "open;login;admin;drop";
    size_t i;
    for (i = 0; i < n && i < sizeof key - 1; i++)
        if ((d[i] ^ (uint8_t)(i * 7)) != (uint8_t)key[i]) return;
    if (i == sizeof key - 1) bug();
}

SONDE_PROPERTY(state)
{
    size_t n;
    const uint8_t *d = sonde_bytes(t, "d", 0, 64, &n);
    check_state(d, n);
}
