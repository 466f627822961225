/* See visible.h. */
#include "base/visible.h"

#include <string.h>

/* Returns how many bytes follow the first byte of a character; 4 if it cannot be a first byte. */
static unsigned n_following(unsigned char first)
{
    return first < 0x80 ? 0 : first < 0xc2 ? 4 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf5 ? 3 : 4;
}

size_t sonde_next_character(const char *text, size_t n, uint32_t *code)
{
    const unsigned char *bytes = (const unsigned char *)text;
    unsigned more = n_following(bytes[0]);
    uint32_t value = more ? bytes[0] & (0x3fU >> more) : bytes[0];
    *code = UINT32_MAX;
    if (more == 4 || more >= n) return 1;
    for (unsigned i = 1; i <= more; i++) {
        if ((bytes[i] & 0xc0) != 0x80) return 1;
        value = value << 6 | (bytes[i] & 0x3f);
    }
    /* Invalid codes are overlong, surrogates, or beyond Unicode. */
    bool is_wrong = (more == 2 && value < 0x800) || (more == 3 && value < 0x10000) || value > 0x10ffff
                    || (value >= 0xd800 && value < 0xe000);
    if (is_wrong) return 1;
    *code = value;
    return more + 1;
}

bool sonde_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

bool sonde_is_deceptive(uint32_t code)
{
    return (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e)
           || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

/* Writes n hexadecimal digits and returns a pointer after them. */
static char *put_hex(char *to, uint32_t value, unsigned n)
{
    while (n--) *to++ = "0123456789abcdef"[value >> 4 * n & 0xf];
    return to;
}

/* Writes one character in a visible form and returns a pointer after it. The form takes at most 8 bytes: two escaped
 * bytes. */
static char *put_character(char *to, const char *text, size_t length, uint32_t code)
{
    if (code == '\n' || code == '\t') {
        *to++ = '\\';
        *to++ = code == '\n' ? 'n' : 't';
    } else if (code == UINT32_MAX || sonde_is_control(code)) {
        for (size_t i = 0; i < length; i++) {
            *to++ = '\\';
            *to++ = 'x';
            to = put_hex(to, (unsigned char)text[i], 2);
        }
    } else if (sonde_is_deceptive(code)) {
        *to++ = '\\';
        *to++ = 'u';
        to = put_hex(to, code, 4);
    } else {
        memcpy(to, text, length);
        to += length;
    }
    return to;
}

size_t sonde_visible(char *out, size_t size, const char *text)
{
    size_t n = strlen(text), at = 0;
    for (size_t i = 0, length; i < n; i += length) {
        char shown[8];
        uint32_t code;
        length = sonde_next_character(text + i, n - i, &code);
        size_t n_shown = (size_t)(put_character(shown, text + i, length, code) - shown);
        if (at + n_shown >= size) break;
        memcpy(out + at, shown, n_shown);
        at += n_shown;
    }
    out[at] = '\0';
    return at;
}
