/* The tape: append, compare, hash, copy. Only a case writes a tape during a run; everything else reads it or makes a
 * script, which is a tape too (see script.h).
 *
 * Tapes are ordered shortlex: fewer choices first (a symbol of a blob counts as one), then smaller indices from the
 * left. The shrinker only ever moves down this order, which is why it terminates.
 *
 * In arrays, the tape of `tree{value=3 left=yes tree{value=4}} x=5` (root left out: it is span 0, #case):
 *
 *     choices   0 value   span 1        spans   0 #case  start 0  end 4  next 3  depth 0
 *               1 left    span 1                1 tree   start 0  end 3  next 3  depth 1  parent 0
 *               2 value   span 2                2 tree   start 2  end 3  next 3  depth 2  parent 1
 *               3 x       span 0
 *
 * `start` and `end` count choices, `next` is the first span behind the whole subtree: so the choices of a
 * subtree are choices[start..end), its spans are spans[i..next), and siblings are found by following next. */
#ifndef SONDE_TAPE_TAPE_H
#define SONDE_TAPE_TAPE_H

#include "base/check.h"
#include "tape/order.h"

#include <sonde/extend.h>

/* ---- Life. A tape owns heap arrays that grow, unless it was laid into memory of a fixed size (shared with a
 * supervisor), where the caps are the limit. sonde/extend.h has those functions that guides need. */
void sonde_tape_reserve(struct sonde_tape *tape, uint32_t choices, uint32_t spans, uint32_t bytes);
/* Empties it, keeping the memory. A tape always has span 0 once `begin` was called. */
static inline void sonde_tape_begin(struct sonde_tape *tape)
{
    tape->n_choices = tape->n_bytes = 0;
    if (!tape->cap_spans) sonde_tape_reserve(tape, 0, 1, 0);
    tape->n_spans = 1;
    tape->spans[0] = (struct sonde_tape_span){0};
}

/* The caller names the parent, which must be open; tapes do not keep a stack. The case and the readers
 * have theirs. */
uint32_t sonde_tape_open(struct sonde_tape *tape, uint32_t parent, uint32_t label, uint32_t flags);
static inline void sonde_tape_close(struct sonde_tape *tape, uint32_t span)
{
    tape->spans[span].end = tape->n_choices;
    tape->spans[span].next = tape->n_spans;
}
uint32_t sonde_tape_add(struct sonde_tape *tape, const struct sonde_choice *choice);
uint32_t sonde_tape_add_bytes(struct sonde_tape *tape, const void *data, uint32_t n); /* offset of the copy */
/* Spans are nested and lie in the order in which they opened; every choice lies in its span and refers to side bytes
 * that are there. Holds for every tape that was ended, and for every script. */
SONDE_CHECKER(sonde_tape_check, struct sonde_tape);

/* Returns whether counts, pointers and indices fit each other and the heap that the tape lies in, whatever was written over them.
 * `has_ended`: sonde_tape_end was called, so no span is open. */
bool sonde_tape_is_sound(const struct sonde_tape *tape, bool has_ended);

/* Where in the generator a draw stands: label, label of the innermost open span, kind. Not the whole path, or every
 * depth of a recursion would be another site and nothing would generalise. */
static inline uint32_t sonde_site(uint32_t label, uint32_t span_label, enum sonde_kind kind)
{
    uint64_t x = ((uint64_t)span_label << 32 | label) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(x >> 32) ^ ((uint32_t)kind * UINT32_C(0x85ebca6b));
}

/* ---- Reading. */
/* How many choices, each symbol of a blob counted as one more. */
uint64_t sonde_tape_size(const struct sonde_tape *tape);
/* <0, 0, >0: shortlex. Total, and 0 only for tapes with the same choices. Spans do not count. */
int sonde_tape_compare(const struct sonde_tape *a, const struct sonde_tape *b);
/* Over the choices; equal tapes have equal hashes. Kinds, labels and domains do not count: equal
 * indices under another generator give the same hash. Costs about a nanosecond per choice. Not stored
 * in files, so it may change. */
uint64_t sonde_tape_hash(const struct sonde_tape *tape);
/* Over the choices of one span. */
uint64_t sonde_span_hash(const struct sonde_tape *tape, uint32_t span);

/* The value of a choice. A BLOB gives only its type; its text comes from sonde_choice_blob and
 * sonde_blob_text. */
struct sonde_value {
    enum { SONDE_VALUE_INT, SONDE_VALUE_UINT, SONDE_VALUE_BOOL, SONDE_VALUE_DOUBLE, SONDE_VALUE_BLOB } type;
    union {
        int64_t i;
        uint64_t u;
        bool b;
        double d;
    } as;
};
/* Of any choice but a LITERAL; a BLOB gives only the type. */
struct sonde_value sonde_choice_value(const struct sonde_tape *tape, const struct sonde_choice *choice);
/* The index in the domain of `point` (a choice of `tape`) that stands for a value, folded into the domain where the
 * value lies outside; *fits says whether it had to be. Not for blobs. */
uint64_t sonde_choice_index(const struct sonde_tape *tape, const struct sonde_choice *point, struct sonde_value value,
                            bool *fits);

enum { SONDE_CONSTRUCTORS = 32 };
/* Does it say what is built, rather than a value in it? So do choices of few answers that are no numbers. */
static inline bool sonde_choice_is_constructor(const struct sonde_choice *c)
{
    const unsigned kinds = 1u << SONDE_KIND_BOOL | 1u << SONDE_KIND_CHANCE | 1u << SONDE_KIND_PICK
                           | 1u << SONDE_KIND_WEIGHTED | 1u << SONDE_KIND_LENGTH;
    return (kinds >> c->kind & 1) && c->max < SONDE_CONSTRUCTORS;
}

/* The bounds of a DOUBLE choice. */
struct sonde_double_bounds sonde_choice_bounds(const struct sonde_tape *tape, const struct sonde_choice *choice);

/* ---- Blobs: one choice whose symbols lie in the side buffer. */
/* Appends a record with these symbols (folded into the alphabet) to the side buffer; returns its offset, for
 * choice->base. `symbols` may be NULL: room for len symbols, all 0. */
uint32_t sonde_tape_add_blob(struct sonde_tape *tape, const struct sonde_blob *shape, const uint32_t *symbols,
                             uint32_t len);
/* Sets one symbol of a blob already in the tape. */
void sonde_tape_set_symbol(struct sonde_tape *tape, const struct sonde_choice *choice, uint32_t i, uint32_t symbol);
/* Its symbols, at most so many; answers how many. */
uint32_t sonde_blob_read(const struct sonde_blob *blob, uint32_t *symbols, uint32_t max);
/* The text or bytes it stands for, into a buffer of at least 4 * len + 1 bytes, NUL-terminated; returns the length. */
size_t sonde_blob_text(const struct sonde_blob *blob, char *out);

#endif
