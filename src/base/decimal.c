/* See decimal.h. The digits are handed to strtod, with the point that the present locale wants. */
#include "base/decimal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 400 }; /* more digits than any double needs */

static size_t digits(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] >= '0' && text[i] <= '9') i++;
    return i;
}

/* The length of "e+12" at the start of the text; 0 if that is not there as a whole. */
static size_t exponent(const char *text, size_t n)
{
    if (n == 0 || (*text != 'e' && *text != 'E')) return 0;
    size_t sign = n > 1 && (text[1] == '+' || text[1] == '-');
    size_t length = digits(text + 1 + sign, n - 1 - sign);
    return length ? 1 + sign + length : 0;
}

static double convert(const char *number, size_t n)
{
    char text[LONGEST + 64], point[32];
    size_t at = 0;
    snprintf(point, sizeof point, "%.1f", 1.5); /* "1", the point, "5" */
    size_t width = strlen(point) - 2;
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
    size_t whole = digits(text, n), length = whole, behind = 0;
    if (length < n && text[length] == '.') {
        behind = digits(text + length + 1, n - length - 1);
        length += 1 + behind;
    }
    if (whole + behind == 0) return 0;
    length += exponent(text + length, n - length);
    if (length > LONGEST) return 0;
    *value = convert(text, length);
    return length;
}
