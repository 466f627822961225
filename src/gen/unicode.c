/* Implements sonde_utf8_broken: strings of valid UTF-8 characters, with every kind of invalid piece among them. */
#include "gen/text.h"

#include <string.h>

/* Kinds of pieces. No piece has a NUL byte, which would end the string. Valid characters come first, as the simplest;
 * then sequences that a decoder must refuse. */
enum piece { ASCII, CHARACTER, CUT_SHORT, OVERLONG, SURROGATE, TOO_LARGE, STRAY, PIECES };

/* Encodes a number as UTF-8. Unlike sonde_utf8_encode (tape/order.h), also encodes surrogates and numbers beyond
 * Unicode, which this generator must produce. */
static size_t encode(uint32_t code, char *out)
{
    if (code < 0x80) return out[0] = (char)code, (size_t)1;
    if (code < 0x800) return out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 63)), (size_t)2;
    size_t n = code < 0x10000 ? 3 : 4;
    out[0] = (char)(n == 3 ? 0xe0 | code >> 12 : 0xf0 | code >> 18);
    for (size_t i = 1; i < n; i++) out[i] = (char)(0x80 | (code >> 6 * (n - 1 - i) & 63));
    return n;
}

static void put_code(struct sonde_gen_text *text, uint32_t code)
{
    char bytes[4];
    sonde_gen_put(text, bytes, encode(code, bytes));
}

/* Writes the first bytes of a character that takes several. */
static void put_cut(struct sonde_gen_text *text, uint32_t code)
{
    char bytes[4];
    size_t n = encode(code, bytes);
    sonde_gen_put(text, bytes, 1 + sonde_pick(text->t, "bytes", n - 1));
}

/* Writes an ASCII character in two, three or four bytes. This includes NUL, which "modified UTF-8" writes in two
 * bytes. */
static void put_overlong(struct sonde_gen_text *text, uint32_t code, size_t n)
{
    char bytes[4] = {(char)(n == 2 ? 0xc0 | code >> 6 : n == 3 ? 0xe0 : 0xf0)};
    for (size_t i = 1; i < n; i++) bytes[i] = (char)(0x80 | (code >> 6 * (n - 1 - i) & 63));
    sonde_gen_put(text, bytes, n);
}

static void put_piece(struct sonde_gen_text *text, enum piece piece)
{
    sonde *t = text->t;
    switch (piece) {
    case ASCII: sonde_gen_print(text, "%c", sonde_int(t, "char", 'a', 'z')); return;
    case CHARACTER: {
        uint32_t code = (uint32_t)sonde_u64(t, "code", 0x80, 0x10ffff - 0x800);
        /* The domain excludes the surrogates, so that every index is a valid character. */
        put_code(text, code < 0xd800 ? code : code + 0x800);
        return;
    }
    case CUT_SHORT: put_cut(text, (uint32_t)sonde_u64(t, "code", 0x80, 0xd7ff)); return;
    case OVERLONG: {
        uint32_t code = (uint32_t)sonde_u64(t, "code", 0, 0x7f);
        put_overlong(text, code, 2 + sonde_pick(t, "more", 3));
        return;
    }
    case SURROGATE: put_code(text, (uint32_t)sonde_u64(t, "code", 0xd800, 0xdfff)); return;
    case TOO_LARGE: put_code(text, (uint32_t)sonde_u64(t, "code", 0x110000, 0x1fffff)); return;
    case STRAY: sonde_gen_print(text, "%c", sonde_int(t, "byte", 0x80, 0xff)); return;
    case PIECES: return;
    }
}

char *sonde_utf8_broken(sonde *t, const char *label, size_t min, size_t max)
{
    static const unsigned weights[PIECES] = {8, 4, 1, 1, 1, 1, 1};
    struct sonde_gen_text text;
    sonde_gen_begin(&text, t, label);
    sonde_list pieces = sonde_list_of(t, "pieces", min, max);
    while (sonde_more(&pieces)) put_piece(&text, (enum piece)sonde_weighted(t, "kind", weights, PIECES));
    return sonde_gen_end(&text);
}
