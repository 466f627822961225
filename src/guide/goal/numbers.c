/* See numbers.h. */
#include "guide/goal/numbers.h"

#include "guide/plain/number.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 1024 }; /* symbols of a blob whose length may change */
static const uint32_t last_code = 0x10ffff;

static bool read_real(const struct sonde_tape *tape, const struct sonde_choice *c, struct sonde_number *out)
{
    struct sonde_double_bounds bounds = sonde_choice_bounds(tape, c);
    out->part = SONDE_NUMBER_REAL;
    out->real = sonde_choice_value(tape, c).as.d;
    out->lo = fmax(bounds.lo, -0x1p1023);
    out->hi = fmin(bounds.hi, 0x1p1023);
    return isfinite(out->real);
}

/* Finds the least and the greatest code of an alphabet. A large custom one counts as having all codes. */
static void read_codes(const struct sonde_alphabet *a, uint32_t *least, uint32_t *most)
{
    enum { LARGE = 256 };
    *least = a->kind == SONDE_ALPHABET_PRINTABLE ? ' ' : 0;
    *most = a->kind == SONDE_ALPHABET_PRINTABLE ? '~' : a->kind == SONDE_ALPHABET_BYTES ? UINT8_MAX : last_code;
    if (a->kind != SONDE_ALPHABET_CUSTOM || a->size > LARGE) return;
    *least = last_code, *most = 0;
    for (uint32_t i = 0; i < a->size; i++) {
        uint32_t code = sonde_alphabet_code(a, i);
        if (code < *least) *least = code;
        if (code > *most) *most = code;
    }
}

static bool read_symbol(const struct sonde_blob *b, uint32_t i, struct sonde_number *out)
{
    uint32_t least, most;
    out->part = SONDE_NUMBER_SYMBOL;
    out->symbol = i;
    if (i >= b->len) return false;
    read_codes(&b->alphabet, &least, &most);
    out->base = least;
    out->at = sonde_alphabet_code(&b->alphabet, sonde_blob_symbol(b, i)) - least;
    out->max = most - least;
    return true;
}

static bool read_length(const struct sonde_blob *b, struct sonde_number *out)
{
    out->part = SONDE_NUMBER_LENGTH;
    out->base = b->min;
    out->at = b->len - b->min;
    out->max = b->max - b->min;
    return out->max > 0;
}

static bool read_value(const struct sonde_tape *tape, const struct sonde_choice *c, struct sonde_number *out)
{
    if (c->max == 0 || c->kind == SONDE_KIND_SIZE || c->kind == SONDE_KIND_LITERAL) return false;
    if (c->kind == SONDE_KIND_DOUBLE) return read_real(tape, c, out);
    if (c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT) out->base = c->base;
    out->part = SONDE_NUMBER_VALUE;
    out->at = sonde_choice_offset(c);
    out->max = c->max;
    return true;
}

bool sonde_number_read(const struct sonde_tape *tape, uint32_t choice, enum sonde_number_part part, uint32_t symbol,
                       struct sonde_number *out)
{
    const struct sonde_choice *c = &tape->choices[choice];
    bool is_blob = c->kind == SONDE_KIND_BLOB;
    *out = (struct sonde_number){.choice = choice};
    if (is_blob != (part == SONDE_NUMBER_SYMBOL || part == SONDE_NUMBER_LENGTH)) return false;
    if (!is_blob) return read_value(tape, c, out) && out->part == part;
    struct sonde_blob b = sonde_choice_blob(tape, c);
    return part == SONDE_NUMBER_SYMBOL ? read_symbol(&b, symbol, out) : read_length(&b, out);
}

static uint32_t read_blob(const struct sonde_tape *tape, uint32_t choice, struct sonde_number *out, uint32_t max)
{
    struct sonde_blob b = sonde_choice_blob(tape, &tape->choices[choice]);
    uint32_t n = 0;
    for (uint32_t i = 0; i <= b.len && n < max; i++) {
        bool is_like = i > 1 && n > 0; /* the codes of an alphabet are looked for once */
        out[n] = is_like ? out[n - 1] : (struct sonde_number){.choice = choice};
        if (is_like) {
            out[n].symbol = i - 1;
            out[n].at = sonde_alphabet_code(&b.alphabet, sonde_blob_symbol(&b, i - 1)) - out[n].base;
            n++;
        } else n += i == 0 ? read_length(&b, &out[n]) : read_symbol(&b, i - 1, &out[n]);
    }
    return n;
}

uint32_t sonde_numbers_read(const struct sonde_tape *tape, struct sonde_number *out, uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < tape->n_choices && n < max; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        out[n] = (struct sonde_number){.choice = i};
        n += c->kind == SONDE_KIND_BLOB ? read_blob(tape, i, out + n, max - n) : read_value(tape, c, &out[n]);
    }
    return n;
}

/* Replaces the symbols of a blob. */
static bool put_symbols(struct sonde_tape *script, uint32_t choice, const uint32_t *symbols, uint32_t len)
{
    struct sonde_blob b = sonde_choice_blob(script, &script->choices[choice]);
    if (len < b.min || len > b.max) return false;
    uint32_t base = sonde_tape_add_blob(script, &b, symbols, len);
    script->choices[choice].base = base;
    script->choices[choice].index = len - b.min;
    return true;
}

/* New symbols repeat the old ones. */
static bool put_length(struct sonde_tape *script, uint32_t choice, uint32_t len)
{
    uint32_t symbols[LONGEST];
    struct sonde_blob b = sonde_choice_blob(script, &script->choices[choice]);
    if (len > LONGEST || b.len > LONGEST) return false;
    sonde_blob_read(&b, symbols, b.len);
    for (uint32_t i = b.len; i < len; i++) symbols[i] = b.len ? symbols[i % b.len] : 0;
    return put_symbols(script, choice, symbols, len);
}

bool sonde_numbers_splice(struct sonde_tape *script, uint32_t choice, const struct sonde_splice *by)
{
    uint32_t symbols[LONGEST + SONDE_SPLICE_MOST];
    struct sonde_blob b = sonde_choice_blob(script, &script->choices[choice]);
    if (b.len > LONGEST || by->at > b.len) return false;
    uint32_t n_old = by->n_old < b.len - by->at ? by->n_old : b.len - by->at, rest = b.len - by->at - n_old;
    sonde_blob_read(&b, symbols, b.len);
    memmove(&symbols[by->at + by->n], &symbols[by->at + n_old], rest * sizeof *symbols);
    for (uint32_t i = 0; i < by->n; i++) {
        if (by->symbols[i] >= b.alphabet.size) return false;
        symbols[by->at + i] = by->symbols[i];
    }
    return put_symbols(script, choice, symbols, b.len - n_old + by->n);
}

static bool put_symbol(struct sonde_tape *script, const struct sonde_number *n, uint32_t code)
{
    const struct sonde_choice *c = &script->choices[n->choice];
    struct sonde_blob b = sonde_choice_blob(script, c);
    uint32_t symbol = sonde_alphabet_symbol(&b.alphabet, code);
    if (symbol >= b.alphabet.size || n->symbol >= b.len) return false;
    sonde_tape_set_symbol(script, c, n->symbol, symbol);
    return true;
}

bool sonde_number_put(struct sonde_tape *script, const struct sonde_number *n, uint64_t at)
{
    struct sonde_choice *c = &script->choices[n->choice];
    if (at > n->max || n->part == SONDE_NUMBER_REAL) return false;
    if (n->part == SONDE_NUMBER_SYMBOL) return put_symbol(script, n, (uint32_t)(n->base + at));
    if (n->part == SONDE_NUMBER_LENGTH) return put_length(script, n->choice, (uint32_t)(n->base + at));
    c->index = sonde_choice_at(c, at);
    return true;
}

bool sonde_number_put_real(struct sonde_tape *script, const struct sonde_number *n, double value)
{
    struct sonde_choice *c = &script->choices[n->choice];
    if (n->part != SONDE_NUMBER_REAL || !(value >= n->lo && value <= n->hi)) return false;
    c->index = sonde_double_index(sonde_choice_bounds(script, c), value);
    return true;
}
