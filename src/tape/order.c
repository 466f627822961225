/* Converts between indices and values for integers, doubles and the symbols of alphabets. See order.h for what
 * "simple" means.
 *
 * The shrinker and every guide rely on two properties, which tests/unit/order_test.c checks. value(index(v)) == v
 * for every v of the domain; and a smaller index never means a value that people find more complicated. No function
 * here allocates or fails; an index above max is a bug of the caller. */
#include "tape/order.h"

#include "base/check.h"

#include <math.h>
#include <string.h>

/* ---- Integers. All arithmetic is on uint64_t, so the full width works: lo = INT64_MIN, max = UINT64_MAX. */

int64_t sonde_int_value(int64_t lo, uint64_t max, uint64_t index)
{
    uint64_t ulo = (uint64_t)lo, uhi = ulo + max;
    if (lo >= 0) return (int64_t)(ulo + index);
    if ((int64_t)uhi <= 0) return (int64_t)(uhi - index);
    /* The range contains zero. The two signs alternate while both have numbers left; then the longer side continues
     * alone. */
    uint64_t negatives = 0 - ulo, positives = uhi;
    uint64_t both = negatives < positives ? negatives : positives;
    if (index / 2 < both || index == 2 * both) /* 0, 1, -1, 2, -2, ... */
        return (int64_t)(index & 1 ? index / 2 + 1 : 0 - index / 2);
    uint64_t beyond = index - both; /* only one sign is left: both + 1, both + 2, ... */
    return (int64_t)(positives > negatives ? beyond : 0 - beyond);
}

uint64_t sonde_int_index(int64_t lo, uint64_t max, int64_t value)
{
    uint64_t ulo = (uint64_t)lo, uhi = ulo + max, v = (uint64_t)value;
    if (lo >= 0) return v - ulo;
    if ((int64_t)uhi <= 0) return uhi - v;
    uint64_t negatives = 0 - ulo, positives = uhi;
    uint64_t both = negatives < positives ? negatives : positives;
    uint64_t size = value < 0 ? 0 - v : v;
    if (size > both) return size + both;
    return value > 0 ? 2 * size - 1 : 2 * size;
}

/* ---- Doubles. The domain is laid out in four regions, the simplest first:
 *
 *     A  integers of the range with |x| <= 2^51, in the order of integers
 *     B  numbers with a fraction, by the number of binary places k, then by magnitude: .5 1.5 2.5 ... .25 .75 1.25 ...
 *        |x| = odd * 2^-k; code = (k - 1) * 2^53 + (odd / 2) * 2 + (x < 0)
 *     C  |x| > 2^51, by magnitude
 *     D  -0.0, inf, -inf, nan, -nan
 *
 * Regions B to D cover all doubles; an index whose value lies outside the range is folded into it. */

#define WHOLE_MAX 2251799813685248.0 /* 2^51 */
#define B_SIZE (UINT64_C(1074) << 53)
#define C_SIZE (UINT64_C(973) << 53)
#define D_SIZE 5
_Static_assert(B_SIZE + C_SIZE < UINT64_MAX - (UINT64_C(1) << 52) - 1 - D_SIZE, "every double has an index");

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns whether the range is all doubles. Either both bounds are infinite or neither is (order.h). */
static bool is_any(struct sonde_double_bounds b)
{
    return isinf(b.lo);
}

/* Returns how many integers region A of a range has, and the lowest of them in *lo. */
static uint64_t whole_numbers(struct sonde_double_bounds b, int64_t *lo)
{
    double first = ceil(b.lo < -WHOLE_MAX ? -WHOLE_MAX : b.lo);
    double last = floor(b.hi > WHOLE_MAX ? WHOLE_MAX : b.hi);
    if (!(first <= last)) return 0;
    *lo = (int64_t)first;
    return (uint64_t)((int64_t)last - *lo) + 1;
}

/* Only region A depends on the range. Counting which fractions a range holds would cost more than folding the
 * others. */
uint64_t sonde_double_max(struct sonde_double_bounds b)
{
    int64_t lo;
    if (b.lo == b.hi) return 0;
    return whole_numbers(b, &lo) + B_SIZE + C_SIZE + D_SIZE - 1;
}

/* Encodes a number that is not an integer: the number k of fraction bits, then the odd number |x| * 2^k. */
static uint64_t fraction_code(double x)
{
    int exponent;
    double m = frexp(fabs(x), &exponent); /* |x| = m * 2^exponent, m in [.5, 1) */
    uint64_t odd = (uint64_t)ldexp(m, 53);
    int places = 53 - exponent; /* |x| = odd * 2^-places, odd still even */
    unsigned zeros = (unsigned)__builtin_ctzll(odd);
    odd >>= zeros;
    places -= (int)zeros;
    sonde_assert(places > 0 && places <= 1074); /* x has a fraction, and no double has more than 1,074 fraction bits */
    return ((uint64_t)(places - 1) << 53) + ((odd >> 1) << 1) + (x < 0);
}

/* Returns the number of a code; the inverse of fraction_code. Bit 0 is the sign; the bits above it, with bit 0 set
 * again, are the odd number. */
static double fraction_value(uint64_t code)
{
    int places = (int)(code >> 53) + 1;
    uint64_t odd = (code & ((UINT64_C(1) << 53) - 1)) | 1;
    double x = ldexp((double)odd, -places);
    return code & 1 ? -x : x;
}

static double special_value(uint64_t code)
{
    switch (code) {
    case 0: return -0.0;
    case 1: return INFINITY;
    case 2: return -INFINITY;
    case 3: return NAN;
    default: return -NAN;
    }
}

static uint64_t special_code(double x)
{
    if (x == 0) return 0;
    if (isnan(x)) return signbit(x) ? 4 : 3;
    return x > 0 ? 1 : 2;
}

static double nearest_to_zero(struct sonde_double_bounds b)
{
    return b.lo > 0 ? b.lo : b.hi < 0 ? b.hi : 0.0;
}

/* Folds any number into the range, keeping its fraction if possible. A range that starts at 0 has no -0.0: a user
 * who asks for 0..1 does not expect a sign. */
static double fold_double(struct sonde_double_bounds b, double x)
{
    if (x == 0 && b.lo == 0 && !signbit(b.lo)) return 0;
    if (x >= b.lo && x <= b.hi) return x;
    if (!isfinite(x)) return nearest_to_zero(b);
    /* The width overflows for ranges such as -1e308..1e308; then the result is the lower bound. */
    double width = b.hi - b.lo;
    double y = b.lo + (isfinite(width) ? fmod(fabs(x), width) : 0);
    return y >= b.lo && y <= b.hi ? y : nearest_to_zero(b);
}

double sonde_double_value(struct sonde_double_bounds b, uint64_t index)
{
    int64_t lo = 0;
    if (b.lo == b.hi) return b.lo;
    uint64_t whole = whole_numbers(b, &lo);
    if (index < whole) return (double)sonde_int_value(lo, whole - 1, index);
    index -= whole;
    double x;
    if (index < B_SIZE) {
        x = fraction_value(index);
    } else if (index < B_SIZE + C_SIZE) {
        uint64_t code = index - B_SIZE;
        x = from_bits(bits_of(WHOLE_MAX) + (code >> 1));
        if (code & 1) x = -x;
    } else {
        x = special_value(index - B_SIZE - C_SIZE);
    }
    return is_any(b) ? x : fold_double(b, x);
}

uint64_t sonde_double_index(struct sonde_double_bounds b, double x)
{
    int64_t lo = 0;
    if (b.lo == b.hi) return 0;
    /* Values outside the range are folded first, so the index always lies in the domain. */
    if (!is_any(b)) x = fold_double(b, x);
    uint64_t whole = whole_numbers(b, &lo);
    if (!isfinite(x) || (x == 0 && signbit(x))) return whole + B_SIZE + C_SIZE + special_code(x);
    double size = fabs(x);
    if (size > WHOLE_MAX) return whole + B_SIZE + ((bits_of(size) - bits_of(WHOLE_MAX)) << 1) + (x < 0);
    sonde_assert(whole > 0 || size != floor(size)); /* if x is an integer, region A is not empty */
    if (size == floor(size)) return sonde_int_index(lo, whole - 1, (int64_t)x);
    return whole + fraction_code(x);
}

/* ---- Alphabets */

/* Ordered by simplicity: letters, digits, blank, punctuation. Index 0 is 'a', so shrunk strings consist of that
 * letter. */
static const char printable[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 "
                                "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
enum { N_PRINTABLE = sizeof printable - 1 };
_Static_assert(N_PRINTABLE == 127 - 32, "all of printable ASCII");

/* Code points that are not printable ASCII, NUL or surrogates, in their order: 1..31, 127..0xd7ff, 0xe000..0x10ffff. */
enum { N_LOW = 31, N_MIDDLE = 0xd800 - 127, N_HIGH = 0x110000 - 0xe000 };

/* Returns how many ASCII characters the string begins with. Reads whole words, because alphabets are mostly ASCII
 * and symbols are looked up one by one in every run. */
static size_t ascii_length(const char *text, size_t n)
{
    uint64_t word = 0;
    size_t i = 0;
    for (; n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, text + i, sizeof word);
        if (word & UINT64_C(0x8080808080808080)) break;
    }
    while (i < n && !(text[i] & 0x80)) i++;
    return i;
}

struct sonde_alphabet sonde_alphabet_make(enum sonde_alphabet_kind kind, const char *text)
{
    struct sonde_alphabet a = {.kind = kind, .text = text};
    switch (kind) {
    case SONDE_ALPHABET_BYTES: a.size = 256; break;
    case SONDE_ALPHABET_PRINTABLE: a.size = N_PRINTABLE; break;
    case SONDE_ALPHABET_UTF8: a.size = N_PRINTABLE + N_LOW + N_MIDDLE + N_HIGH; break;
    case SONDE_ALPHABET_CUSTOM: {
        size_t n = strlen(text), i = ascii_length(text, n);
        for (a.size = (uint32_t)i; i < n; a.size++) {
            uint32_t code;
            i += sonde_utf8_decode(text + i, n - i, &code);
        }
    }
    }
    return a;
}

/* Returns the code point of a symbol. Takes time linear in the alphabet: custom alphabets are short, and a table would
 * need memory. Each symbol takes at least one byte, so the string has at least `symbol` bytes before this symbol. */
static uint32_t custom_code(const char *text, uint32_t symbol)
{
    uint32_t code = UINT32_MAX;
    size_t i = ascii_length(text, (size_t)symbol + 1);
    if (i > symbol) return (unsigned char)text[symbol];
    symbol -= (uint32_t)i;
    for (size_t n = i + strlen(text + i); i < n; symbol--) {
        i += sonde_utf8_decode(text + i, n - i, &code);
        if (symbol == 0) return code;
    }
    return UINT32_MAX;
}

uint32_t sonde_alphabet_code(const struct sonde_alphabet *a, uint32_t symbol)
{
    if (symbol >= a->size) return UINT32_MAX;
    if (a->kind == SONDE_ALPHABET_BYTES) return symbol;
    if (a->kind == SONDE_ALPHABET_CUSTOM) return custom_code(a->text, symbol);
    if (symbol < N_PRINTABLE) return (unsigned char)printable[symbol];
    symbol -= N_PRINTABLE;
    if (symbol < N_LOW) return symbol + 1;
    symbol -= N_LOW;
    return symbol < N_MIDDLE ? symbol + 127 : symbol - N_MIDDLE + 0xe000;
}

const char *sonde_alphabet_plain(const struct sonde_alphabet *a, uint32_t *n)
{
    bool is_custom = a->kind == SONDE_ALPHABET_CUSTOM;
    *n = is_custom ? (uint32_t)ascii_length(a->text, a->size) : N_PRINTABLE;
    if (a->kind == SONDE_ALPHABET_BYTES) *n = 0;
    return is_custom ? a->text : *n ? printable : NULL;
}

static uint32_t custom_symbol(const char *text, uint32_t wanted)
{
    size_t n = strlen(text), i = ascii_length(text, n);
    const char *found = wanted < 0x80 ? memchr(text, (int)wanted, i) : NULL;
    if (found) return (uint32_t)(found - text);
    uint32_t code, symbol = (uint32_t)i;
    for (; i < n; symbol++) {
        i += sonde_utf8_decode(text + i, n - i, &code);
        if (code == wanted) return symbol;
    }
    return UINT32_MAX;
}

uint32_t sonde_alphabet_symbol(const struct sonde_alphabet *a, uint32_t code)
{
    if (a->kind == SONDE_ALPHABET_BYTES) return code < 256 ? code : UINT32_MAX;
    if (a->kind == SONDE_ALPHABET_CUSTOM) return custom_symbol(a->text, code);
    /* Both PRINTABLE and UTF8 begin with printable ASCII in the order above. */
    if (code >= 32 && code < 127) return (uint32_t)(strchr(printable, (int)code) - printable);
    if (a->kind == SONDE_ALPHABET_PRINTABLE || code == 0) return UINT32_MAX;
    if (code < 32) return N_PRINTABLE + code - 1;
    if (code < 0xd800) return N_PRINTABLE + N_LOW + code - 127;
    if (code < 0xe000 || code > 0x10ffff) return UINT32_MAX;
    return N_PRINTABLE + N_LOW + N_MIDDLE + code - 0xe000;
}

/* Returns how many bytes a lead byte announces, and in *least the smallest code point that needs so many. */
static unsigned utf8_length(unsigned char lead, uint32_t *least)
{
    if (lead >= 0xc2 && lead <= 0xdf) return *least = 0x80, 2;
    if (lead >= 0xe0 && lead <= 0xef) return *least = 0x800, 3;
    if (lead >= 0xf0 && lead <= 0xf4) return *least = 0x10000, 4;
    return *least = 0, 1;
}

unsigned sonde_utf8_decode(const char *text, size_t n, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)text;
    uint32_t least;
    unsigned length = utf8_length(p[0], &least);
    *code = p[0];
    if (length == 1 || length > n) return 1;
    uint32_t c = p[0] & (0xffu >> (length + 1));
    for (unsigned i = 1; i < length; i++) {
        if ((p[i] & 0xc0) != 0x80) return 1;
        c = (c << 6) | (p[i] & 0x3fu);
    }
    /* Overlong forms, surrogates and numbers beyond Unicode are invalid. The lead byte then counts as a character,
     * and decoding continues after it. */
    if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return 1;
    *code = c;
    return length;
}

unsigned sonde_utf8_encode(uint32_t code, char out[4])
{
    sonde_assert(code <= 0x10ffff);
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    unsigned length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (unsigned i = length; i-- > 1; code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)((0xf00u >> length) | code);
    return length;
}
