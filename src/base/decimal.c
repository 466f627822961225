/* See decimal.h. Numbers are read by strtod, with the decimal point of the current locale; they are written with
 * integer arithmetic alone. */
#include "base/decimal.h"

#include "base/check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400 }; /* maximum length of a number in characters; every double can be written with fewer */

static size_t digits(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9') i++;
    return i;
}

/* Returns the length of the exponent (such as "e+12") at the start of the string; 0 if there is no complete
 * exponent. */
static size_t exponent(const char *text, size_t n)
{
    if (n == 0 || (*text != 'e' && *text != 'E')) return 0;
    size_t sign = n > 1 && (text[1] == '+' || text[1] == '-');
    size_t length = digits(text + 1 + sign, n - 1 - sign);
    return length ? 1 + sign + length : 0;
}

/* Converts a copy that has the decimal point of the current locale, which may be several bytes. */
static double convert(const char *number, size_t n)
{
    char text[LONGEST + 64], point[32];
    size_t at = 0;
    snprintf(point, sizeof point, "%.1f", 1.5); /* prints "1", then the locale's decimal point, then "5" */
    size_t width = strlen(point) - 2;
    sonde_assert(n <= LONGEST && width < sizeof point); /* the copy fits into `text` */
    for (size_t i = 0; i < n; i++) {
        if (number[i] == '.') memcpy(text + at, point + 1, width);
        else text[at] = number[i];
        at += number[i] == '.' ? width : 1;
    }
    text[at] = '\0';
    return strtod(text, NULL);
}

size_t sonde_read_decimal(const char *text, size_t n, double *value)
{
    size_t whole = digits(text, n), length = whole, fraction = 0;
    if (length < n && text[length] == '.') {
        fraction = digits(text + length + 1, n - length - 1);
        length += 1 + fraction;
    }
    if (whole + fraction == 0) return 0;
    length += exponent(text + length, n - length);
    /* A longer number is rejected, not cut: cutting digits would change its value. */
    if (length > LONGEST) return 0;
    *value = convert(text, length);
    return length;
}

/* ---- Writing: x = m * 2^e. For e < 0 that is m * 5^-e / 10^-e, so the integer m * 5^-e has the digits of x. */

/* A limb holds nine digits, so that its product with 5 or 2 and the carry fit into 64 bits. */
enum { LIMBS = 90, LIMB = 1000000000 }; /* the longest number has 767 digits */

/* A large integer. */
struct whole {
    uint32_t limbs[LIMBS]; /* least significant limb first */
    unsigned n;
};

/* Multiplies by one small factor. There are at most 1,074 calls over 86 limbs, which is fast enough for a crash
 * report. */
static void multiply(struct whole *w, uint32_t by)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < w->n; i++) {
        carry += (uint64_t)w->limbs[i] * by;
        w->limbs[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    sonde_assert(!carry || w->n < LIMBS);
    if (carry) w->limbs[w->n++] = (uint32_t)carry;
}

/* Writes the digits, most significant first and without leading zeros; returns how many. */
static unsigned write_digits(const struct whole *w, char *digits)
{
    unsigned n = 0;
    for (unsigned i = w->n; i-- > 0;)
        for (uint32_t unit = LIMB / 10, left = w->limbs[i]; unit; left %= unit, unit /= 10)
            if (n || left / unit) digits[n++] = (char)('0' + left / unit);
    return n;
}

/* Rounds to `keep` digits, ties to even. Returns true if a carry out of the first digit made the number longer. */
static bool round_to(char *digits, unsigned n, unsigned keep)
{
    if (n <= keep) {
        for (unsigned i = n; i < keep; i++) digits[i] = '0';
        return false;
    }
    unsigned i = keep;
    bool is_half = digits[keep] == '5';
    for (unsigned k = keep + 1; k < n; k++) is_half &= digits[k] == '0';
    bool up = is_half ? digits[keep - 1] % 2 != 0 : digits[keep] >= '5';
    while (up && i-- > 0) {
        up = digits[i] == '9';
        digits[i] = up ? '0' : (char)(digits[i] + 1);
    }
    if (up) digits[0] = '1';
    return up;
}

/* 17 digits distinguish every double. Uses integers only and calls nothing: it runs in signal handlers. */
void sonde_write_decimal(double x, char out[SONDE_DECIMAL])
{
    enum { DIGITS = 17 };
    uint64_t bits;
    char digits[LIMBS * 9];
    memcpy(&bits, &x, sizeof bits);
    uint64_t m = bits & ((UINT64_C(1) << 52) - 1);
    /* Subnormal numbers have the same exponent as the smallest normal numbers, but no hidden bit. */
    int e = (int)(bits >> 52 & 2047);
    if (e) m |= UINT64_C(1) << 52;
    e = (e ? e : 1) - 1075;
    struct whole w = {.limbs = {(uint32_t)(m % LIMB), (uint32_t)(m / LIMB)}, .n = 2};
    for (int i = 0; i < e; i++) multiply(&w, 2);
    for (int i = 0; i < -e; i++) multiply(&w, 5);
    unsigned n = write_digits(&w, digits);
    int exponent = (int)n - 1 + (e < 0 ? e : 0);
    /* If 9.99... was rounded to 10.0..., the digits are 1000... and the exponent is one higher. */
    exponent += round_to(digits, n, DIGITS);
    if (bits >> 63) *out++ = '-';
    for (unsigned i = 0; i < DIGITS; i++) {
        *out++ = digits[i];
        if (i == 0) *out++ = '.';
    }
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    for (unsigned unit = size >= 100 ? 100 : 10; unit; unit /= 10) *out++ = (char)('0' + size / unit % 10);
    *out = '\0';
}
