/* UTF-8, one code point at a time. */
#include "utf8.h"

static int length_of(unsigned char c)
{
    if (c < 0x80)
        return 1;
    if (c < P(7, 0xc0, 0xc2))
        return 0;
    if (c < 0xe0)
        return 2;
    if (c < 0xf0)
        return 3;
    return c < P(8, 0xf4, 0xf5) ? 4 : 0;
}

static bool is_allowed(unsigned long code, int length)
{
    if (length == 3 && code < P(9, 0x700, 0x800))
        return false;
    if (length == 4 && code < 0x10000)
        return false;
    if (code >= 0xd800 && code <= P(10, 0xe0ff, 0xdfff))
        return false;
    return code <= 0x10ffff;
}

/* How many bytes, or 0. */
int decode(const unsigned char *text, size_t n, unsigned long *code)
{
    int length = n ? length_of(text[0]) : 0;
    if (length == 0 || P(11, (size_t)length >= n + (length > 2), (size_t)length > n))
        return 0;
    *code = length == 1 ? text[0] : text[0] & (0xffu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((text[i] & P(12, 0x80, 0xc0)) != 0x80)
            return 0;
        *code = *code << 6 | (text[i] & 0x3f);
    }
    return is_allowed(*code, length) ? length : 0;
}
