/* See special.h. Special numbers are made as 64-bit patterns and measured from the lowest value of the domain, modulo
 * 2^64. So one comparison tells whether a value lies inside, for signed and unsigned ranges of every width.
 *
 * If a special value does not fit the domain, another is tried a few times, and then an ordinary value is taken. So
 * callers need not know what is special in a domain.
 *
 * Examples:
 * - INT 0..1000: 0, 1000, 1, 999, 2; powers of two and their neighbours (127, 128, 129).
 * - Numbers: a number of the dictionary, a value drawn before or its neighbour.
 * - Blobs: the shortest one, a repetition of one or two symbols, an earlier blob, a word of the dictionary alone or
 *   inside the content. */
#include "guide/plain/special.h"

#include "tape/tape.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    /* number of special values tried before an ordinary one: bounds the cost where few special values fit */
    ATTEMPTS = 4,
    WORD_MAX = 64 /* maximum number of symbols of a dictionary word; longer words are not used */
};

void sonde_special_init(struct sonde_special *special, const struct sonde_guide_setup *setup)
{
    *special = (struct sonde_special){.words = setup->words, .numbers = setup->numbers, .n_numbers = setup->n_numbers};
    while (setup->words && setup->words[special->n_words]) special->n_words++;
}

/* Returns a choice of the same kind made earlier in the case, or NULL. Equal and nearly equal values find faults that
 * unequal values cannot. */
static const struct sonde_choice *earlier(struct sonde_rng *rng, const struct sonde_view *view)
{
    uint32_t n = view->tape->n_choices;
    if (n == 0) return NULL;
    const struct sonde_choice *c = &view->tape->choices[sonde_rng_upto(rng, n - 1)];
    return c->kind == view->point->kind ? c : NULL;
}

/* ---- Integers. */

/* Returns 2^k, or -2^k, for a k that the domain has room for or that is the width of a machine integer. */
static uint64_t power_of_two(uint64_t x, const struct sonde_choice *point)
{
    /* Limits of int8, uint8, int16, uint16, int32, uint32, int64; and 24, the precision of a float. */
    static const uint8_t widths[] = {7, 8, 15, 16, 31, 32, 63, 24};
    unsigned bits = 64 - (unsigned)__builtin_clzll(point->max | 1);
    unsigned exponent = bits > 16 && x & 8 ? widths[x >> 4 & 7] : (unsigned)((x >> 4 & 0xff) * bits >> 8);
    uint64_t power = UINT64_C(1) << exponent;
    return point->base >> 63 && x >> 63 ? 0 - power : power;
}

static uint64_t special_number(const struct sonde_special *special, struct sonde_rng *rng,
                               const struct sonde_view *view)
{
    const struct sonde_choice *point = view->point, *before;
    uint64_t x = sonde_rng_next(rng), near = ((x >> 32 & 0xff) * 3 >> 8) - 1; /* -1, 0, 1 */
    switch (x & 7) {
    case 0: return point->base;
    case 1: return point->base + point->max;
    case 2: return point->base + (x & 8 ? 1 : point->max - 1);
    case 3: return x & 8 ? near : 2 * near;
    case 4:
        if (special->n_numbers == 0) return near;
        return (uint64_t)special->numbers[sonde_rng_upto(rng, special->n_numbers - 1)];
    case 5:
        before = earlier(rng, view);
        if (!before) return near;
        if (before->kind == SONDE_KIND_UINT) return before->base + before->index + near;
        return (uint64_t)sonde_int_value((int64_t)before->base, before->max, before->index) + near;
    default: return power_of_two(x, point) + near;
    }
}

static uint64_t integer_index(const struct sonde_special *special, struct sonde_rng *rng, const struct sonde_view *view)
{
    const struct sonde_choice *point = view->point;
    for (int i = 0; i < ATTEMPTS; i++) {
        uint64_t value = special_number(special, rng, view), offset = value - point->base;
        if (offset > point->max) continue;
        if (point->kind == SONDE_KIND_UINT) return offset;
        return sonde_int_index((int64_t)point->base, point->max, (int64_t)value);
    }
    return sonde_rng_upto(rng, point->max);
}

/* ---- Doubles. */

static const double odd_doubles[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    0.1,
    0.25,
    1.5,
    1.0 / 3.0,
    10.0,
    100.0,
    INFINITY,
    -INFINITY,
    NAN,
    DBL_MIN,
    -DBL_MIN,
    DBL_MAX,
    -DBL_MAX,
    DBL_EPSILON,
    1.0 + DBL_EPSILON,
    1.0 - DBL_EPSILON / 2,
    0x1p-1074,
    -0x1p-1074,
    0x0.fffffffffffffp-1022, /* the greatest subnormal; the two lines above are the least ones */
    0x1p53,
    0x1p53 + 2,
    0x1p53 - 1,
    -0x1p53,
    0x1p31,
    0x1p31 - 1,
    -0x1p31,
    0x1p32,
    0x1p63,
    -0x1p63,
    0x1p64,
    (double)FLT_MAX,
    (double)FLT_MIN,
    16777217.0, /* 2^24 + 1, which a float cannot hold */
};
enum { N_ODD_DOUBLES = sizeof odd_doubles / sizeof *odd_doubles };

static double special_double(const struct sonde_special *special, struct sonde_rng *rng, const struct sonde_view *view,
                             struct sonde_double_bounds bounds)
{
    const struct sonde_choice *before;
    switch (sonde_rng_upto(rng, 7)) {
    case 0: return bounds.lo;
    case 1: return bounds.hi;
    /* The neighbour of the lower end in the direction of 0; it is inside only if the end is negative. */
    case 2: return nextafter(bounds.lo, 0);
    case 3:
        if (special->n_numbers > 0) return (double)special->numbers[sonde_rng_upto(rng, special->n_numbers - 1)];
        break;
    case 4:
        before = earlier(rng, view);
        if (before) return sonde_choice_value(view->tape, before).as.d;
        break;
    default: break;
    }
    return odd_doubles[sonde_rng_upto(rng, N_ODD_DOUBLES - 1)];
}

static uint64_t double_index(const struct sonde_special *special, struct sonde_rng *rng, const struct sonde_view *view)
{
    struct sonde_double_bounds bounds = sonde_choice_bounds(view->tape, view->point);
    double value = bounds.lo;
    for (int i = 0; i < ATTEMPTS; i++) {
        value = special_double(special, rng, view, bounds);
        if (isinf(bounds.lo) || (value >= bounds.lo && value <= bounds.hi)) break;
        value = bounds.hi;
    }
    return sonde_double_index(bounds, value);
}

uint64_t sonde_special_index(const struct sonde_special *special, struct sonde_rng *rng, const struct sonde_view *view)
{
    switch (view->point->kind) {
    case SONDE_KIND_INT:
    case SONDE_KIND_UINT: return integer_index(special, rng, view);
    case SONDE_KIND_DOUBLE: return double_index(special, rng, view);
    default: return sonde_rng_upto(rng, view->point->max);
    }
}

/* ---- Blobs. */

/* In a large alphabet such as Unicode, one symbol in eight comes from the whole alphabet and one in eight from its
 * common first part. The rest is printable ASCII, because programs mostly see ASCII. */
uint32_t sonde_special_symbol(struct sonde_rng *rng, const struct sonde_alphabet *alphabet)
{
    enum { PRINTABLE = 95, COMMON = 2048 };
    uint32_t last = alphabet->size - 1;
    if (last > COMMON) {
        uint64_t x = sonde_rng_upto(rng, 7);
        if (x > 1) last = PRINTABLE - 1;
        else if (x == 1) last = COMMON;
    }
    return (uint32_t)sonde_rng_upto(rng, last);
}

/* Writes the symbols of a word; returns their number. Returns 0 if the alphabet lacks one of them or there are more
 * than max. */
static size_t spell(const struct sonde_alphabet *alphabet, const char *word, uint32_t *symbols, size_t max)
{
    size_t length = strlen(word), n = 0;
    for (size_t i = 0; i < length; n++) {
        uint32_t code = (unsigned char)word[i];
        if (alphabet->kind == SONDE_ALPHABET_BYTES) i++;
        else i += sonde_utf8_decode(word + i, length - i, &code);
        uint32_t symbol = sonde_alphabet_symbol(alphabet, code);
        if (symbol == UINT32_MAX || n == max) return 0;
        symbols[n] = symbol;
    }
    return n;
}

/* Inserts a word at a random position. The symbols after it move back as far as there is room; the rest is cut off. */
static void insert_word(const struct sonde_alphabet *alphabet, struct sonde_rng *rng, const char *word,
                        struct sonde_text *text)
{
    uint32_t spelled[WORD_MAX];
    size_t length = spell(alphabet, word, spelled, text->max < WORD_MAX ? text->max : WORD_MAX);
    if (length == 0) return;
    size_t at = (size_t)sonde_rng_upto(rng, text->n), tail = text->n - at;
    if (at + length > text->max) at = text->max - length;
    if (at + length + tail > text->max) tail = text->max - at - length;
    memmove(text->symbols + at + length, text->symbols + at, tail * sizeof *spelled);
    memcpy(text->symbols + at, spelled, length * sizeof *spelled);
    if (at + length + tail > text->n) text->n = at + length + tail;
}

/* Copies the content of an earlier blob over the same alphabet, if there is one. */
static void copy_earlier(struct sonde_rng *rng, const struct sonde_view *view, struct sonde_text *text)
{
    const struct sonde_choice *before = earlier(rng, view);
    if (!before) return;
    struct sonde_blob blob = sonde_choice_blob(view->tape, before);
    if (blob.alphabet.kind != view->alphabet->kind || blob.alphabet.size != view->alphabet->size) return;
    text->n = blob.len < text->max ? blob.len : text->max;
    sonde_blob_read(&blob, text->symbols, (uint32_t)text->n);
}

/* Replaces every symbol by a or b at random. */
static void two_symbols(struct sonde_rng *rng, struct sonde_text *text, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < text->n; i++) text->symbols[i] = sonde_rng_next(rng) >> 63 ? a : b;
}

/* Cases of the switch in sonde_special_text. The first WITHOUT_WORDS need no dictionary. From there up to ALONE a word
 * replaces the content; from ALONE up to WITH_WORDS a word is inserted. */
enum { WITHOUT_WORDS = 8, ALONE = 12, WITH_WORDS = 16 };

void sonde_special_text(const struct sonde_special *special, struct sonde_rng *rng, const struct sonde_view *view,
                        struct sonde_text *text)
{
    const struct sonde_alphabet *alphabet = view->alphabet;
    uint64_t x = sonde_rng_upto(rng, special->n_words ? WITH_WORDS - 1 : WITHOUT_WORDS - 1);
    uint32_t a = sonde_special_symbol(rng, alphabet), b = sonde_special_symbol(rng, alphabet);
    switch (x) {
    case 0: text->n = text->min; break;
    case 1: two_symbols(rng, text, 0, alphabet->size - 1); break;
    case 2: two_symbols(rng, text, a, b); break;
    case 3:
    case 4: two_symbols(rng, text, a, a); break;
    case 5:
    case 6:
    case 7: copy_earlier(rng, view, text); break;
    default: /* with a dictionary: a word alone, or inserted */
        if (x < ALONE) text->n = 0;
        insert_word(alphabet, rng, special->words[sonde_rng_upto(rng, special->n_words - 1)], text);
        break;
    }
    /* Every case above may have made the content too short. */
    while (text->n < text->min) text->symbols[text->n++] = sonde_special_symbol(rng, alphabet);
}
