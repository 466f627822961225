/* See filter_draws.h. Two tapes of one input, one recorded and one read from its text form, must give the same
 * features. So kinds and domains are not used, and numbers are compared by value. */
#include "corpus/filter_draws.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/wide.h"
#include "tape/literal.h"
#include "tape/text.h"

#include <string.h>

/* ---- Draws */

enum {
    SMALL = 8,      /* each number below 8 is a class by itself */
    NEGATIVE = 128, /* added to the class of a negative number; above SMALL + 64, the largest class by bit length */
    TEXT = 256,     /* added for blobs */
    NUMBER = 512    /* added to the class of a double that is not whole */
};

/* Returns a class: the number itself below 8, because small numbers often select a branch; above, its bit length. */
static uint32_t class_of_size(uint64_t x)
{
    return x < SMALL ? (uint32_t)x : SMALL + sonde_bit_length(x);
}

static void set_integer(struct sonde_drawn *out, uint64_t magnitude, bool is_negative)
{
    out->value = sonde_fold32(sonde_mix(magnitude + is_negative * UINT64_C(0x9e3779b97f4a7c15)));
    out->class = class_of_size(magnitude) + (is_negative ? NEGATIVE : 0);
}

static const double whole_max = 9e15; /* below 2^53, up to which every whole number is a double */

/* Treats a whole double as an integer: the text form of a tape does not show how a number was drawn. */
static void set_double(struct sonde_drawn *out, double d)
{
    bool is_negative = d < 0;
    double magnitude = is_negative ? -d : d;
    bool is_small = magnitude < whole_max;
    uint64_t bits, whole = is_small ? (uint64_t)magnitude : 0;
    if (is_small && (double)whole == magnitude) {
        set_integer(out, whole, is_negative);
        return;
    }
    memcpy(&bits, &d, sizeof bits);
    out->value = sonde_fold32(sonde_mix(bits));
    out->class = NUMBER + (is_small ? class_of_size(whole) : SMALL + 64) + (is_negative ? NEGATIVE : 0);
}

static void set_number(struct sonde_drawn *out, struct sonde_value v)
{
    switch (v.type) {
    case SONDE_VALUE_INT: set_integer(out, v.as.i < 0 ? 0 - (uint64_t)v.as.i : (uint64_t)v.as.i, v.as.i < 0); break;
    case SONDE_VALUE_DOUBLE: set_double(out, v.as.d); break;
    case SONDE_VALUE_BOOL: set_integer(out, v.as.b, false); break;
    case SONDE_VALUE_UINT:
    case SONDE_VALUE_BLOB: set_integer(out, v.as.u, false); break;
    }
}

static void set_text(struct sonde_drawn *out, const void *text, size_t n)
{
    out->value = sonde_fold32(sonde_mix(sonde_hash_bytes(n, text, n)));
    out->class = TEXT + class_of_size(n);
}

static void set_literal(struct sonde_drawn *out, const struct sonde_tape *tape, const struct sonde_choice *c)
{
    struct sonde_value v;
    uint32_t n;
    const char *text = sonde_literal_text(tape, c, &n);
    if (sonde_literal_value(tape, c, &v)) set_number(out, v);
    else set_text(out, text, n);
}

static void set_blob(struct sonde_drawn *out, const struct sonde_tape *tape, const struct sonde_choice *c)
{
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    set_text(out, blob.symbols, (size_t)blob.len * sonde_alphabet_width(&blob.alphabet));
}

struct sonde_drawn sonde_drawn_read(const struct sonde_tape *tape, uint32_t choice)
{
    const struct sonde_choice *c = &tape->choices[choice];
    /* The site has a constant as its kind, because a literal has no kind yet. */
    struct sonde_drawn drawn = {.place = sonde_site(c->label, tape->spans[c->span].label, SONDE_KIND_INT)};
    if (c->flags & SONDE_CHOICE_HOLE) return drawn;
    if (c->kind == SONDE_KIND_LITERAL) set_literal(&drawn, tape, c);
    else if (c->kind == SONDE_KIND_BLOB) set_blob(&drawn, tape, c);
    else set_number(&drawn, sonde_choice_value(tape, c));
    return drawn;
}

/* ---- Transitions */

static void count(struct sonde_transitions *t, uint64_t key)
{
    uint32_t *known = sonde_map_at(&t->index, key);
    if (*known) {
        t->all[*known - 1].count++;
        return;
    }
    t->all = sonde_grow(t->all, &t->cap, (size_t)t->n + 1, sizeof *t->all);
    t->all[t->n++] = (struct sonde_transition){.key = key, .count = 1};
    *known = t->n;
}

static void empty(struct sonde_transitions *t)
{
    sonde_map_empty(&t->index);
    t->n = t->n_branches = 0;
}

static void add_branch(struct sonde_transitions *t, uint64_t key)
{
    t->branches = sonde_grow(t->branches, &t->cap_branches, (size_t)t->n_branches + 1, sizeof *t->branches);
    t->branches[t->n_branches++] = key;
}

void sonde_transitions_of(struct sonde_transitions *t, const struct sonde_tape *tape)
{
    const struct sonde_drawn end = {.place = UINT32_MAX};
    struct sonde_drawn last = {0};
    empty(t);
    /* One iteration more than choices: the end follows the last choice. */
    for (uint32_t i = 0; i <= tape->n_choices; i++) {
        struct sonde_drawn now = i < tape->n_choices ? sonde_drawn_read(tape, i) : end;
        uint64_t key = sonde_mix((uint64_t)last.place << 32 | now.place);
        count(t, key);
        add_branch(t, sonde_mix(key + last.class + 1));
        last = now;
    }
}

void sonde_transitions_of_answers(struct sonde_transitions *t, const struct sonde_tape *tape)
{
    uint64_t last = 0;
    empty(t);
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        struct sonde_drawn now = sonde_drawn_read(tape, i);
        uint64_t entry = sonde_mix((uint64_t)now.place << 32 | now.value);
        if (i) count(t, sonde_mix(last + entry * UINT64_C(0x9e3779b97f4a7c15)));
        last = entry;
    }
}

void sonde_transitions_clear(struct sonde_transitions *t)
{
    sonde_free(t->all);
    sonde_map_clear(&t->index);
    sonde_free(t->branches);
    memset(t, 0, sizeof *t);
}
