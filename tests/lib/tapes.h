/* Tapes written by hand, value by value, as a case would record them. */
#ifndef SONDE_TESTS_TAPES_H
#define SONDE_TESTS_TAPES_H

#include "tape/label.h"
#include "tape/tape.h"

#include <string.h>

struct tapes {
    struct sonde_tape tape;
    struct sonde_labels labels;
    uint32_t span;
};

static inline void tapes_begin(struct tapes *b)
{
    memset(b, 0, sizeof *b);
    sonde_tape_begin(&b->tape);
}

static inline void tapes_clear(struct tapes *b)
{
    sonde_tape_clear(&b->tape);
    sonde_labels_clear(&b->labels);
}

static inline void tapes_open(struct tapes *b, const char *label, uint32_t flags)
{
    b->span = sonde_tape_open(&b->tape, b->span, sonde_label_intern(&b->labels, label), flags);
}

static inline void tapes_close(struct tapes *b)
{
    sonde_tape_close(&b->tape, b->span);
    b->span = b->tape.spans[b->span].parent;
}

static inline void tapes_add(struct tapes *b, const char *label, struct sonde_choice c)
{
    c.label = sonde_label_intern(&b->labels, label);
    c.span = b->span;
    uint32_t span_label = c.kind == SONDE_KIND_SIZE ? 0 : b->tape.spans[b->span].label;
    c.site = sonde_site(c.label, span_label, (enum sonde_kind)c.kind);
    if (c.max == 0 && c.kind != SONDE_KIND_BLOB) c.flags |= SONDE_CHOICE_FORCED;
    sonde_tape_add(&b->tape, &c);
}

static inline void tapes_int(struct tapes *b, const char *label, int64_t lo, int64_t hi, int64_t value)
{
    uint64_t max = (uint64_t)hi - (uint64_t)lo;
    struct sonde_choice c = {.kind = SONDE_KIND_INT, .base = (uint64_t)lo, .max = max};
    c.index = sonde_int_index(lo, max, value);
    tapes_add(b, label, c);
}

/* UINT and LENGTH, or with lo = 0 BOOL, PICK, WEIGHTED and SIZE. */
static inline void tapes_uint(struct tapes *b, enum sonde_kind kind, const char *label, uint64_t lo, uint64_t hi,
                              uint64_t value)
{
    tapes_add(b, label, (struct sonde_choice){.kind = (uint8_t)kind, .base = lo, .max = hi - lo, .index = value - lo});
}

static inline void tapes_chance(struct tapes *b, const char *label, double p, bool value)
{
    struct sonde_choice c = {.kind = SONDE_KIND_CHANCE, .max = p > 0, .index = value};
    memcpy(&c.base, &p, sizeof p);
    tapes_add(b, label, c);
}

static inline void tapes_double(struct tapes *b, const char *label, double lo, double hi, double value)
{
    struct sonde_double_bounds bounds = {lo, hi};
    struct sonde_choice c = {.kind = SONDE_KIND_DOUBLE, .max = sonde_double_max(bounds)};
    c.base = sonde_tape_add_bytes(&b->tape, &bounds, sizeof bounds);
    c.index = sonde_double_index(bounds, value);
    tapes_add(b, label, c);
}

/* At most 256 symbols. */
static inline void tapes_blob(struct tapes *b, const char *label, struct sonde_alphabet alphabet, uint32_t min,
                              uint32_t max, const char *text, size_t n)
{
    struct sonde_blob shape = {.alphabet = alphabet, .min = min, .max = max};
    uint32_t symbols[256], len = 0, code;
    for (size_t i = 0; i < n && len < 256; len++) {
        if (alphabet.kind == SONDE_ALPHABET_BYTES) code = (unsigned char)text[i++];
        else i += sonde_utf8_decode(text + i, n - i, &code);
        symbols[len] = sonde_alphabet_symbol(&alphabet, code);
    }
    struct sonde_choice c = {.kind = SONDE_KIND_BLOB, .max = max - min, .index = len - min};
    c.base = sonde_tape_add_blob(&b->tape, &shape, symbols, len);
    tapes_add(b, label, c);
}

static inline void tapes_text(struct tapes *b, const char *label, const char *text)
{
    tapes_blob(b, label, sonde_alphabet_make(SONDE_ALPHABET_UTF8, NULL), 0, 256, text, strlen(text));
}

/* One of everything: each kind of choice, a list with a rejected element, nested and empty spans. */
static inline void tapes_everything(struct tapes *b)
{
    tapes_begin(b);
    tapes_uint(b, SONDE_KIND_SIZE, SONDE_LABEL_SIZE, 0, 100, 30);
    tapes_int(b, "n", -10, 10, -3);
    tapes_int(b, "wide", INT64_MIN, INT64_MAX, INT64_MIN);
    tapes_uint(b, SONDE_KIND_UINT, "u", 5, UINT64_MAX, UINT64_MAX);
    tapes_uint(b, SONDE_KIND_BOOL, "yes no", 0, 1, 1);
    tapes_chance(b, "often", 0.75, true);
    tapes_uint(b, SONDE_KIND_PICK, "pick", 0, 4, 2);
    tapes_uint(b, SONDE_KIND_WEIGHTED, "weighted", 0, 3, 1);
    tapes_uint(b, SONDE_KIND_PICK, "only", 0, 0, 0);
    tapes_double(b, "x", -1, 1, 0.1);
    tapes_double(b, "x", -1, 1, -0.0);
    tapes_double(b, "any", -__builtin_inf(), __builtin_inf(), -__builtin_inf());
    tapes_blob(b, "bytes", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 8, "\0\xff", 2);
    tapes_blob(b, "empty", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 8, "", 0);
    tapes_blob(b, "dna", sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "acgt"), 1, 9, "gattaca", 7);
    tapes_blob(b, "dna", sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "acgt"), 1, 9, "cat", 3);
    tapes_text(b, "text", "h\xc3\xa9 \xf0\x9f\x98\x80\n");
    tapes_open(b, "xs", SONDE_SPAN_LIST);
    tapes_uint(b, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 1, 5, 2);
    for (int i = 0; i < 3; i++) {
        tapes_open(b, "xs[]", SONDE_SPAN_ELEMENT | (i == 1 ? SONDE_SPAN_REJECTED : 0));
        tapes_int(b, "x", 0, 9, i / 2);
        tapes_close(b);
    }
    tapes_close(b);
    tapes_open(b, "tree", 0);
    tapes_open(b, "tree", 0);
    tapes_close(b);
    tapes_int(b, "n", -10, 10, 7);
    tapes_close(b);
    tapes_open(b, "nothing", 0);
    tapes_close(b);
    sonde_tape_end(&b->tape);
}

#endif
