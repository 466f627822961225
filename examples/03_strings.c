/* 03: strings. Percent-encoding for URLs, and the oldest property of all: decoding returns what was encoded.
 *
 * Look for: a round trip needs no second implementation to compare with. sonde_check_eq compares char pointers as
 * strings and prints both. The counterexample is one character that comes back as another. */
#include <sonde.h>
#include <string.h>

/* ---- The code under test. It has a bug: the two functions were written for different standards. */

static bool is_plain(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-_.~+", c);
}

static void percent_encode(const char *text, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (is_plain(c)) {
            *out++ = (char)c;
        } else {
            *out++ = '%';
            *out++ = digits[c >> 4];
            *out++ = digits[c & 15];
        }
    }
    *out = '\0';
}

static int digit_value(char c)
{
    return c <= '9' ? c - '0' : c - 'A' + 10;
}

static void percent_decode(const char *text, char *out)
{
    while (*text) {
        if (text[0] == '%' && text[1] && text[2]) {
            *out++ = (char)(digit_value(text[1]) * 16 + digit_value(text[2]));
            text += 3;
        } else {
            *out++ = *text == '+' ? ' ' : *text; /* as in HTML forms */
            text++;
        }
    }
    *out = '\0';
}

/* ---- The property. */

static void encoding_round_trips(sonde *t)
{
    const char *text = sonde_utf8(t, "text", 0, 40); /* up to 40 characters, so up to 160 bytes */
    char *encoded = sonde_alloc(t, 3 * strlen(text) + 1);
    char *decoded = sonde_alloc(t, 3 * strlen(text) + 1);
    percent_encode(text, encoded);
    percent_decode(encoded, decoded);
    sonde_note(t, "encoded as \"%s\"", encoded);
    sonde_check_eq(t, decoded, text);
}

SONDE_MAIN(encoding_round_trips)
