/* See fuzz_edit.h. Each change is tried at a random place; one that does not fit there gives way to another. */
#include "engine/fuzz_edit.h"

#include "base/mem.h"
#include "tape/script.h"

enum { TRIES = 20 };

static uint32_t any_below(struct sonde_rng *rng, uint32_t n)
{
    return (uint32_t)sonde_rng_upto(rng, n - 1);
}

/* A span other than the whole; 0 if there is none. */
static uint32_t any_span(const struct sonde_tape *tape, struct sonde_rng *rng)
{
    return tape->n_spans > 1 ? 1 + any_below(rng, tape->n_spans - 1) : 0;
}

static bool lies_within(const struct sonde_tape *tape, uint32_t inner, uint32_t outer)
{
    return inner >= outer && inner < tape->spans[outer].next;
}

/* ---- One value */

static uint64_t other_index(const struct sonde_choice *c, struct sonde_rng *rng)
{
    uint64_t step = 1 + sonde_rng_upto(rng, 15);
    switch (sonde_rng_upto(rng, 4)) {
    case 0: return c->index > step ? c->index - step : 0;
    case 1: return c->max - c->index > step ? c->index + step : c->max;
    case 2: return sonde_rng_upto(rng, 1) ? c->max : 0;
    default: return sonde_rng_upto(rng, c->max);
    }
}

/* Symbols are set, put in and taken out; the choice then refers to a new record. */
static void change_blob(struct sonde_tape *to, uint32_t at, struct sonde_rng *rng)
{
    struct sonde_blob blob = sonde_choice_blob(to, &to->choices[at]);
    uint32_t cap = 0, n = 0, where = any_below(rng, blob.len + 1), last = blob.alphabet.size - 1;
    uint32_t *symbols = sonde_grow(NULL, &cap, (size_t)blob.len + 8, sizeof *symbols);
    uint64_t what = sonde_rng_upto(rng, 2);
    uint32_t count = 1 + any_below(rng, 4);
    for (uint32_t i = 0; i <= blob.len; i++) {
        for (uint32_t k = 0; i == where && what == 0 && k < count && blob.len + k < blob.max; k++)
            symbols[n++] = (uint32_t)sonde_rng_upto(rng, last);
        if (i == blob.len) break;
        bool is_dropped = what == 1 && i >= where && i < where + count && blob.len - count >= blob.min;
        if (!is_dropped || blob.len < count) symbols[n++] = sonde_blob_symbol(&blob, i);
        if (what == 2 && i == where) symbols[n - 1] = (uint32_t)sonde_rng_upto(rng, last);
    }
    to->choices[at].base = sonde_tape_add_blob(to, &blob, symbols, n);
    to->choices[at].index = n - blob.min;
    sonde_free(symbols);
}

static bool change_value(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng)
{
    if (from->n_choices == 0) return false;
    uint32_t at = any_below(rng, from->n_choices);
    const struct sonde_choice *c = &from->choices[at];
    if (c->kind == SONDE_KIND_LITERAL || (c->max == 0 && c->kind != SONDE_KIND_BLOB)) return false;
    sonde_tape_copy(to, from);
    if (c->kind == SONDE_KIND_BLOB) change_blob(to, at, rng);
    else to->choices[at].index = other_index(c, rng);
    return true;
}

/* The value of another draw of the same site: equal values are what random ones hardly ever are. */
static bool repeat_value(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng)
{
    if (from->n_choices < 2) return false;
    uint32_t at = any_below(rng, from->n_choices), by = any_below(rng, from->n_choices);
    const struct sonde_choice *a = &from->choices[at], *b = &from->choices[by];
    if (a->kind != b->kind || a->kind == SONDE_KIND_LITERAL || a->max != b->max || a->index == b->index) return false;
    sonde_tape_copy(to, from);
    to->choices[at].index = b->index;
    to->choices[at].base = b->base; /* of a blob: the record, shared */
    return true;
}

/* ---- Spans */

static bool drop(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng)
{
    uint32_t span = any_span(from, rng);
    if (!span) return false;
    sonde_script_without(to, from, &span, 1);
    return true;
}

static bool duplicate(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng)
{
    uint32_t span = any_span(from, rng);
    if (!span || !(from->spans[span].flags & SONDE_SPAN_ELEMENT)) return false;
    sonde_script_insert(to, from, from->spans[span].parent, span, from, span);
    return true;
}

static bool swap(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng)
{
    uint32_t a = any_span(from, rng), b = any_span(from, rng);
    if (!a || from->spans[a].label != from->spans[b].label) return false;
    if (lies_within(from, a, b) || lies_within(from, b, a)) return false;
    sonde_script_swap(to, from, a < b ? a : b, a < b ? b : a);
    return true;
}

static bool copy_over(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng)
{
    uint32_t at = any_span(from, rng), by = any_span(from, rng);
    if (!at || at == by || from->spans[at].label != from->spans[by].label) return false;
    sonde_script_replace(to, from, at, from, by);
    return true;
}

static bool regenerate(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng)
{
    uint32_t span = any_span(from, rng);
    if (!span) return false;
    sonde_tape_copy(to, from);
    to->spans[span].flags |= SONDE_SPAN_HOLE;
    return true;
}

bool sonde_fuzz_splice(struct sonde_tape *to, const struct sonde_tape *from, const struct sonde_tape *other,
                       struct sonde_rng *rng)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t at = any_span(from, rng), by = any_span(other, rng);
        if (!at || !by || from->spans[at].label != other->spans[by].label) continue;
        sonde_script_replace(to, from, at, other, by);
        return true;
    }
    return false;
}

bool sonde_fuzz_edit(struct sonde_tape *to, const struct sonde_tape *from, struct sonde_rng *rng)
{
    static bool (*const edits[])(struct sonde_tape *, const struct sonde_tape *,
                                 struct sonde_rng *) = {change_value, change_value, repeat_value, drop,
                                                        duplicate,    swap,         copy_over,    regenerate};
    for (int i = 0; i < TRIES; i++) {
        if (edits[sonde_rng_upto(rng, sizeof edits / sizeof *edits - 1)](to, from, rng)) return true;
    }
    return false;
}
