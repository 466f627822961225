/* Checks of whole tapes: sonde_tape_is_sound for memory that the code under test can overwrite, sonde_tape_check for
 * mistakes of sonde itself. No pointer or index is followed before it was checked. */
#include "tape/tape.h"

#include "base/heap.h"
#include "tape/blob.h"

static bool has_arrays(const struct sonde_tape *t)
{
    return t->n_choices <= t->cap_choices && t->n_bytes <= t->cap_bytes && t->n_spans > 0 && t->n_spans <= t->cap_spans
           && sonde_heap_holds(t, t->choices, (size_t)t->cap_choices * sizeof *t->choices)
           && sonde_heap_holds(t, t->spans, (size_t)t->cap_spans * sizeof *t->spans)
           && sonde_heap_holds(t, t->bytes, t->cap_bytes);
}

/* Returns whether the members of a span are within their bounds. `end` and `next` of an open span are not known yet. */
static bool is_sound_span(const struct sonde_tape *tape, uint32_t i, bool has_ended)
{
    const struct sonde_tape_span *s = &tape->spans[i];
    bool is_open = !has_ended && s->next == 0;
    if (s->start > tape->n_choices) return false;
    if (!is_open && (s->start > s->end || s->end > tape->n_choices || s->next <= i || s->next > tape->n_spans))
        return false;
    if (i == 0) return s->parent == 0 && s->depth == 0;
    if (s->parent >= i) return false;
    const struct sonde_tape_span *up = &tape->spans[s->parent], *before = &tape->spans[i - 1];
    if (s->depth != up->depth + 1 || s->start < up->start || (i > 1 && s->start < before->start)) return false;
    bool is_in_open = !has_ended && up->next == 0;
    return is_in_open || (!is_open && s->next <= up->next && s->end <= up->end); /* s ends no later than its parent */
}

/* Returns whether n bytes of the side buffer begin at `at`. */
static bool has_bytes(const struct sonde_tape *tape, uint64_t at, uint64_t n)
{
    return at <= tape->n_bytes && n <= tape->n_bytes - at;
}

static bool is_sound_alphabet(const struct sonde_tape *tape, uint32_t alphabet)
{
    if (alphabet < ALPHABET_TEXT) return alphabet < SONDE_ALPHABET_CUSTOM;
    uint32_t at = alphabet - ALPHABET_TEXT;
    return at >= sizeof(uint32_t) && at < tape->n_bytes && memchr(tape->bytes + at, 0, tape->n_bytes - at);
}

static bool is_sound_blob(const struct sonde_tape *tape, const struct sonde_choice *c)
{
    if (!has_bytes(tape, c->base, BLOB_SYMBOLS)) return false;
    if (!is_sound_alphabet(tape, sonde_load32(tape->bytes + c->base + BLOB_ALPHABET))) return false;
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    return has_bytes(tape, c->base + BLOB_SYMBOLS, (uint64_t)blob.len * sonde_alphabet_width(&blob.alphabet));
}

static bool is_sound_choice(const struct sonde_tape *tape, uint32_t i, bool has_ended)
{
    const struct sonde_choice *c = &tape->choices[i];
    if (c->kind >= SONDE_KIND_COUNT || c->span >= tape->n_spans) return false;
    const struct sonde_tape_span *s = &tape->spans[c->span];
    if (s->start > i || ((has_ended || s->next) && i >= s->end)) return false;
    if (c->kind == SONDE_KIND_BLOB) return is_sound_blob(tape, c);
    return c->kind != SONDE_KIND_DOUBLE || has_bytes(tape, c->base, sizeof(struct sonde_double_bounds));
}

bool sonde_tape_is_sound(const struct sonde_tape *tape, bool has_ended)
{
    if (!has_arrays(tape)) return false;
    for (uint32_t i = 0; i < tape->n_spans; i++)
        if (!is_sound_span(tape, i, has_ended)) return false;
    for (uint32_t i = 0; i < tape->n_choices; i++)
        if (!is_sound_choice(tape, i, has_ended)) return false;
    return true;
}

#ifdef SONDE_CHECKED
void sonde_tape_check(const struct sonde_tape *tape)
{
    sonde_assert(sonde_tape_is_sound(tape, true));
}
#endif
