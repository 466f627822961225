/* The tape: the record of the random choices that one case made, and sonde's only representation of an input. Guides
 * plan tapes, cases record them, the shrinker makes them smaller, the store keeps them.
 *
 * A *choice* is one draw (sonde_int, sonde_pick, ...). Its domain is the indices 0..max; `index` is the one taken.
 * Index 0 is the simplest value (order.h), so smaller indices mean simpler inputs. The label that the property gave
 * the draw is kept as an id (label.h). A string is one choice, a *blob*, whose symbols lie in the side buffer
 * `bytes`.
 *
 * A *span* is a part of the input: everything drawn between sonde_open and its close, or in an element of a list.
 * Spans nest, so a tape is a tree. Guides and the shrinker use this to cut, copy and repeat whole parts.
 *
 * A *token* is a tape written as a string (`text.h`). Reports print it and --replay reads it. The byte form
 * (codec.h) serves stores and byte-level fuzzers. A *script* is a tape that a run follows by labels (script.h): a
 * token, or a tape that a guide or the shrinker has edited. Only the case itself records.
 *
 * In arrays, the tape of `tree{value=3 left=yes tree{value=4}} x=5` (the root is span 0, #case):
 *
 *     choices   0 value   span 1        spans   0 #case  start 0  end 4  next 3  depth 0
 *               1 left    span 1                1 tree   start 0  end 3  next 3  depth 1  parent 0
 *               2 value   span 2                2 tree   start 2  end 3  next 3  depth 2  parent 1
 *               3 x       span 0
 *
 * `start` and `end` count choices; `next` is the first span after the whole subtree. So the choices of a subtree are
 * choices[start..end), its spans are spans[i..next), and following `next` visits siblings.
 *
 * Tapes are ordered shortlex: fewer choices first (a symbol of a blob counts as one), then smaller indices from the
 * left. The shrinker only ever moves down this order, which is why it terminates. */
#ifndef SONDE_TAPE_TAPE_H
#define SONDE_TAPE_TAPE_H

#include "base/check.h"
#include "tape/order.h"

#include <sonde/extend.h>

/* ---- Life. A tape owns heap arrays that grow. Functions that guides need are in sonde/extend.h. */
/* Reserves room for this many choices, spans and side bytes in total. */
void sonde_tape_reserve(struct sonde_tape *tape, uint32_t choices, uint32_t spans, uint32_t bytes);
/* Empties the tape and keeps its memory. From then on it always has span 0. */
static inline void sonde_tape_begin(struct sonde_tape *tape)
{
    tape->n_choices = tape->n_bytes = 0;
    if (!tape->cap_spans) sonde_tape_reserve(tape, 0, 1, 0);
    tape->n_spans = 1;
    tape->spans[0] = (struct sonde_tape_span){0};
}

/* Opens a span and returns its number. The caller names the parent, which must be open: a tape has no stack, but the
 * case and the readers have one. */
uint32_t sonde_tape_open(struct sonde_tape *tape, uint32_t parent, uint32_t label, uint32_t flags);
/* Closes a span: sets its end and next. */
static inline void sonde_tape_close(struct sonde_tape *tape, uint32_t span)
{
    tape->spans[span].end = tape->n_choices;
    tape->spans[span].next = tape->n_spans;
}
/* Appends a choice and returns its number. */
uint32_t sonde_tape_add(struct sonde_tape *tape, const struct sonde_choice *choice);
/* Appends a copy of n bytes to the side buffer and returns its offset. */
uint32_t sonde_tape_add_bytes(struct sonde_tape *tape, const void *data, uint32_t n);
/* Asserts that spans nest and lie in the order in which they opened. Asserts that every choice lies in its span and
 * refers to side bytes that exist. Both hold for every ended tape and for every script. */
SONDE_CHECKER(sonde_tape_check, struct sonde_tape);

/* Returns whether counts, pointers and indices fit each other and the heap of the tape; the code under test may have
 * overwritten them. `has_ended`: sonde_tape_end was called, so no span is open. */
bool sonde_tape_is_sound(const struct sonde_tape *tape, bool has_ended);

/* Returns the site of a draw in the generator: a hash of its label, the label of the innermost open span, and its
 * kind. The whole path does not count: otherwise every depth of a recursion would be another site and nothing would
 * generalise. */
static inline uint32_t sonde_site(uint32_t label, uint32_t span_label, enum sonde_kind kind)
{
    uint64_t x = ((uint64_t)span_label << 32 | label) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32) ^ ((uint32_t)kind * UINT32_C(0x85ebca6b));
}

/* ---- Reading. */
/* Returns the number of choices, each symbol of a blob counted as one more. */
uint64_t sonde_tape_size(const struct sonde_tape *tape);
/* Compares shortlex: <0, 0, >0. A total order; 0 only for tapes with the same choices. Spans do not count. */
int sonde_tape_compare(const struct sonde_tape *a, const struct sonde_tape *b);
/* Returns a hash of the choices; equal tapes have equal hashes. Kinds, labels and domains do not count: equal
 * indices under another generator give the same hash. Costs about a nanosecond per choice. Not stored in files, so
 * it may change. */
uint64_t sonde_tape_hash(const struct sonde_tape *tape);
/* Returns a hash of the choices of one span. */
uint64_t sonde_span_hash(const struct sonde_tape *tape, uint32_t span);

/* The value of a choice. For a BLOB only the type is set; sonde_choice_blob and sonde_blob_text give the content. */
struct sonde_value {
    enum { SONDE_VALUE_INT, SONDE_VALUE_UINT, SONDE_VALUE_BOOL, SONDE_VALUE_DOUBLE, SONDE_VALUE_BLOB } type;
    union {
        int64_t i;
        uint64_t u;
        bool b;
        double d;
    } as;
};
/* Returns the value of any choice but a LITERAL; for a BLOB only its type. */
struct sonde_value sonde_choice_value(const struct sonde_tape *tape, const struct sonde_choice *choice);
/* Returns the index that means `value` in the domain of `point`, a choice of `tape`. A value outside the domain is
 * folded into it, and *fits is false then. Not for blobs. */
uint64_t sonde_choice_index(const struct sonde_tape *tape, const struct sonde_choice *point, struct sonde_value value,
                            bool *fits);

/* Only a choice whose last index is below this number can be a constructor. */
enum { SONDE_CONSTRUCTORS = 32 };
/* Returns whether a choice is a constructor: it decides what is built, rather than a value in it. Constructors are
 * bools, chances, picks and lengths with few possible values. */
static inline bool sonde_choice_is_constructor(const struct sonde_choice *c)
{
    const unsigned kinds = 1u << SONDE_KIND_BOOL | 1u << SONDE_KIND_CHANCE | 1u << SONDE_KIND_PICK
                           | 1u << SONDE_KIND_WEIGHTED | 1u << SONDE_KIND_LENGTH;
    return (kinds >> c->kind & 1) && c->max < SONDE_CONSTRUCTORS;
}

/* Returns the bounds of a DOUBLE choice. */
struct sonde_double_bounds sonde_choice_bounds(const struct sonde_tape *tape, const struct sonde_choice *choice);

/* ---- Blobs: one choice whose symbols lie in the side buffer. */
/* Appends a record with these symbols (folded into the alphabet) to the side buffer; returns its offset, for
 * choice->base. `symbols` may be NULL: then all len symbols are 0. */
uint32_t sonde_tape_add_blob(struct sonde_tape *tape, const struct sonde_blob *shape, const uint32_t *symbols,
                             uint32_t len);
/* Sets one symbol of a blob already in the tape. */
void sonde_tape_set_symbol(struct sonde_tape *tape, const struct sonde_choice *choice, uint32_t i, uint32_t symbol);
/* Copies the symbols of a blob, at most `max`; returns how many. */
uint32_t sonde_blob_read(const struct sonde_blob *blob, uint32_t *symbols, uint32_t max);
/* Writes the characters or bytes of a blob to a buffer of at least 4 * len + 1 bytes, and a NUL; returns the length. */
size_t sonde_blob_text(const struct sonde_blob *blob, char *out);

#endif
