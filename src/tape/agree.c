/* See agree.h. Values are compared, not indices: the same value has another index if the range changed. */
#include "tape/agree.h"

#include "base/mem.h"
#include "tape/literal.h"
#include "tape/order.h"

#include <string.h>

uint32_t sonde_tape_skip_taken_back(const struct sonde_tape *tape, uint32_t i)
{
    const uint32_t taken_back = SONDE_SPAN_CALL | SONDE_SPAN_REJECTED;
    if (i >= tape->n_choices) return i;
    for (uint32_t span = tape->choices[i].span; span; span = tape->spans[span].parent)
        if ((tape->spans[span].flags & taken_back) == taken_back)
            return sonde_tape_skip_taken_back(tape, tape->spans[span].end);
    return i;
}

/* Returns the value as in a token, in memory that the caller frees. */
static char *print(const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    struct sonde_sink count = {.out = NULL};
    sonde_put_value(&count, tape, choice);
    struct sonde_sink sink = {.out = sonde_malloc(count.n + 1), .size = count.n + 1};
    sonde_put_value(&sink, tape, choice);
    sink.out[sink.n] = '\0';
    return sink.out;
}

static bool are_printed_the_same(const struct sonde_tape *a, const struct sonde_choice *x, const struct sonde_tape *b,
                                 const struct sonde_choice *y)
{
    char *first = print(a, x), *second = print(b, y);
    bool same = !strcmp(first, second);
    sonde_free(first);
    sonde_free(second);
    return same;
}

/* Returns whether two strings have the same symbols; they must have the same alphabet. */
static bool have_same_symbols(const struct sonde_blob *v, const struct sonde_blob *w)
{
    if (v->len != w->len) return false;
    for (uint32_t i = 0; i < v->len; i++)
        if (sonde_blob_symbol(v, i) != sonde_blob_symbol(w, i)) return false;
    return true;
}

static bool have_same_value(const struct sonde_tape *a, const struct sonde_choice *x, const struct sonde_tape *b,
                            const struct sonde_choice *y)
{
    if (x->kind != y->kind) return are_printed_the_same(a, x, b, y);
    if (x->kind == SONDE_KIND_BLOB) {
        struct sonde_blob v = sonde_choice_blob(a, x), w = sonde_choice_blob(b, y);
        bool is_plain = v.alphabet.kind == w.alphabet.kind && v.alphabet.kind == SONDE_ALPHABET_BYTES;
        return is_plain ? have_same_symbols(&v, &w) : are_printed_the_same(a, x, b, y);
    }
    if (x->kind != SONDE_KIND_DOUBLE && x->max == y->max && x->base == y->base) return x->index == y->index;
    return are_printed_the_same(a, x, b, y);
}

/* Writes "draw 3 ("n") is 7 in one and 9 in the other", or that only one of the runs made the draw. */
static void describe(struct sonde_agreed a, struct sonde_agreed b, const struct sonde_labels *labels,
                     struct sonde_disagreement *where)
{
    uint32_t i = where->in_first, k = where->in_second;
    const struct sonde_choice *x = i < a.tape->n_choices ? &a.tape->choices[i] : NULL;
    const struct sonde_choice *y = k < b.tape->n_choices ? &b.tape->choices[k] : NULL;
    if (x && y && x->label == y->label) {
        char *first = print(a.tape, x), *second = print(b.tape, y);
        snprintf(where->text, sizeof where->text,
                 "draw %u (\"%.60s\") is %.60s in the new program and %.60s in the old", i + 1,
                 sonde_label_text(labels, x->label), first, second);
        sonde_free(first);
        sonde_free(second);
    } else if (x && y) {
        snprintf(where->text, sizeof where->text, "draw %u is \"%.60s\" in the new program and \"%.60s\" in the old",
                 i + 1, sonde_label_text(labels, x->label), sonde_label_text(labels, y->label));
    } else {
        const struct sonde_choice *one = x ? x : y;
        snprintf(where->text, sizeof where->text, "draw %u (\"%.60s\") is made in the %s program only", (x ? i : k) + 1,
                 sonde_label_text(labels, one->label), x ? "new" : "old");
    }
}

bool sonde_tape_agrees(struct sonde_agreed a, struct sonde_agreed b, const struct sonde_labels *labels,
                       struct sonde_disagreement *where)
{
    for (uint32_t i = 0, k = 0;; i++, k++) {
        i = sonde_tape_skip_taken_back(a.tape, i);
        k = sonde_tape_skip_taken_back(b.tape, k);
        bool first_ended = i >= a.tape->n_choices, second_ended = k >= b.tape->n_choices;
        if (first_ended && second_ended) return true;
        if ((first_ended && a.is_cut) || (second_ended && b.is_cut)) return true;
        if (!first_ended && !second_ended) {
            const struct sonde_choice *x = &a.tape->choices[i], *y = &b.tape->choices[k];
            if (x->label == y->label && have_same_value(a.tape, x, b.tape, y)) continue;
        }
        where->in_first = i;
        where->in_second = k;
        describe(a, b, labels, where);
        return false;
    }
}
