/* 08: strings with a grammar. A number parser that must agree with the C library's.
 *
 * Look for: random characters are almost never a number, so they would not test the parser's real work. A pattern draws
 * only numbers, and shrinks within them. The C library serves as oracle. If a slow, trusted or older implementation
 * exists, "both give the same" is the whole property. The counterexample is the shortest number on which they
 * differ. */
#include <math.h>
#include <sonde.h>
#include <stdlib.h>

/* ---- The code under test. It has a bug. */

static double parse_number(const char *s)
{
    double value = 0, unit = 1, sign = 1;
    int exponent = 0;
    if (*s == '-') {
        sign = -1;
        s++;
    }
    while (*s >= '0' && *s <= '9') value = value * 10 + (*s++ - '0');
    value *= sign;
    if (*s == '.') {
        s++;
        while (*s >= '0' && *s <= '9') value += (*s++ - '0') * (unit /= 10);
    }
    if (*s == 'e') exponent = atoi(s + 1);
    for (; exponent > 0; exponent--) value *= 10;
    for (; exponent < 0; exponent++) value /= 10;
    return value;
}

/* ---- The property. */

static void agrees_with_strtod(sonde *t)
{
    const char *text = sonde_regex(t, "number", "-?(0|[1-9]\\d{0,5})(\\.\\d{1,5})?(e[-+]?\\d)?");
    double want = strtod(text, NULL);
    sonde_check_near(t, parse_number(text), want, 1e-12 * fabs(want));
}

SONDE_MAIN(agrees_with_strtod)
