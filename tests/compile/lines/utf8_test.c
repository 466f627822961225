#include "utf8.h"

#include <string.h>

static int encode(unsigned long c, unsigned char *out)
{
    if (c < 0x80) return out[0] = (unsigned char)c, 1;
    if (c < 0x800) return out[0] = (unsigned char)(0xc0 | c >> 6), out[1] = (unsigned char)(0x80 | (c & 63)), 2;
    if (c >= 0xd800 && c < 0xe000) return 0;
    if (c < 0x10000) {
        out[0] = (unsigned char)(0xe0 | c >> 12), out[1] = (unsigned char)(0x80 | (c >> 6 & 63));
        return out[2] = (unsigned char)(0x80 | (c & 63)), 3;
    }
    out[0] = (unsigned char)(0xf0 | c >> 18), out[1] = (unsigned char)(0x80 | (c >> 12 & 63));
    return out[2] = (unsigned char)(0x80 | (c >> 6 & 63)), out[3] = (unsigned char)(0x80 | (c & 63)), 4;
}

/* Bytes that are decoded are the encoding of the result, and nothing that is encoded is refused. */
static void is_the_inverse(sonde *t)
{
    unsigned char text[8] = {0}, again[8];
    size_t n = 0;
    unsigned long code = 0, given = 0;
    bool is_valid = sonde_bool(t, "valid");
    if (is_valid) {
        given = (unsigned long)sonde_int(t, "code", 0, 0x10ffff);
        n = (size_t)encode(given, text);
    } else {
        n = (size_t)sonde_int(t, "n", 0, 4);
        for (size_t i = 0; i < n; i++) text[i] = (unsigned char)sonde_int(t, "byte", 0, 255);
    }
    int used = decode(text, n, &code);
    if (is_valid && n) sonde_check(t, used == (int)n && code == given);
    if (used) sonde_check(t, encode(code, again) == used && (size_t)used <= n && !memcmp(text, again, (size_t)used));
}
SONDE_MAIN(is_the_inverse)
