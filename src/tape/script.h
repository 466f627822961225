/* Replay by script: a tape followed by labels, not by position.
 *
 * The reader walks the script's span tree in step with the run. `open` enters the next unused child of that label;
 * a draw takes the next unused choice of its label within the span. So mutants that add, drop or move parts stay
 * aligned, tapes survive edits of the generator, and a tape made where f(draw a, draw b) evaluates right to left
 * replays where it evaluates left to right. What is missing, or a hole, is the guide's to answer.
 *
 * A choice that a mutation turned (a flag, mostly: is there a left subtree?) says more: what follows it up to the next
 * choice was its doing. So a span opened there is new, and one that is there no more is not taken for the next.
 *
 * Example. The script is `a=1 xs[{v=2} {v=3}] b=4`; the generator has since learned to draw c between a and
 * the list. The run draws a (takes 1), c (no such label: the guide answers), opens xs, opens an element twice
 * (takes 2, then 3), closes, draws b (takes 4). By position, everything behind a would have been off by one. */
#ifndef SONDE_TAPE_SCRIPT_H
#define SONDE_TAPE_SCRIPT_H

#include "tape/tape.h"

struct sonde_script_frame {
    uint32_t span;                      /* of the script, or SONDE_NO_SPAN: everything here is missing */
    uint32_t end;                       /* of its choices; 0 if everything is missing */
    uint32_t choice;                    /* no unused direct choice before it */
    uint32_t child;                     /* no unused direct child before it */
    uint32_t after_choice, after_child; /* just behind the last one taken: where the next one nearly always is */
    bool turned;                        /* the last choice taken was turned: see SONDE_CHOICE_TURNED */
};
#define SONDE_NO_SPAN UINT32_MAX
/* For `open`, in the place of a label: the next element of the list, whatever its label. A call of a machine is opened before
 * it is known which rule, and so which label, it has. */
#define SONDE_ANY_ELEMENT 0
/* What a span of a run was opened by. */
static inline uint32_t sonde_span_opener(const struct sonde_tape_span *span)
{
    return span->flags & SONDE_SPAN_CALL ? SONDE_ANY_ELEMENT : span->label;
}

struct sonde_script_reader {
    const struct sonde_tape *script;
    struct sonde_script_frame *frames;
    uint32_t depth, cap;
    uint8_t *used; /* per choice, then per span */
    uint32_t used_cap;
    uint32_t drawn;       /* draws so far */
    bool strayed;         /* something was missing, folded, or left over before a later one */
    uint32_t first_stray; /* how many choices had been drawn when that first happened */
};

/* The order of calls: init once; for each run begin, then open/next/close as the run does; clear in the
 * end. `script` is borrowed from begin to the last call of the run and must not change. The reader's
 * arrays grow in the heap that is current at begin and at open; a reader belongs to one heap for its
 * life. */
void sonde_script_init(struct sonde_script_reader *reader);
void sonde_script_clear(struct sonde_script_reader *reader);
/* From within a span of the script on; SONDE_NO_SPAN: everything is missing. Linear in the script,
 * which is borrowed until the next _begin. One reader serves one run at a time. */
void sonde_script_begin_at(struct sonde_script_reader *reader, const struct sonde_tape *script, uint32_t span);
static inline void sonde_script_begin(struct sonde_script_reader *reader, const struct sonde_tape *script)
{
    sonde_script_begin_at(reader, script, script->n_spans ? 0 : SONDE_NO_SPAN);
}
/* The run opens a span of this label: from here on, draws are answered from the part of the script that
 * fits it; from nothing, if there is none. */
void sonde_script_open(struct sonde_script_reader *reader, uint32_t label);
/* And leaves it. What the script had in it and was not asked for is skipped. The lowest frame stays: a property may close more
 * spans than the script has, and every call needs a top. */
static inline void sonde_script_close(struct sonde_script_reader *reader)
{
    if (reader->depth > 1) reader->depth--;
}
/* Each frame stands for a span within the span of the frame below it, and points at parts of that span only. */
SONDE_CHECKER(sonde_script_check, struct sonde_script_reader);
/* The script's choice for a draw of this label, or NULL: missing or a hole. Marks what it returns as
 * used. The pointer is into the script. */
const struct sonde_choice *sonde_script_next(struct sonde_script_reader *reader, uint32_t label);
/* What sonde_script_next would return, where that takes one look: all was drawn in the order of the script so far. NULL: ask
 * sonde_script_next. It is not used before sonde_script_take. */
static inline const struct sonde_choice *sonde_script_peek(const struct sonde_script_reader *reader, uint32_t label)
{
    const struct sonde_script_frame *f = &reader->frames[reader->depth - 1];
    const struct sonde_choice *c = &reader->script->choices[f->choice];
    if (f->choice >= f->end || f->choice != f->after_choice || f->turned) return NULL;
    if (c->span != f->span || c->label != label || reader->used[f->choice]) return NULL;
    return c->flags & (SONDE_CHOICE_HOLE | SONDE_CHOICE_TURNED) ? NULL : c;
}
static inline void sonde_script_take(struct sonde_script_reader *reader)
{
    struct sonde_script_frame *f = &reader->frames[reader->depth - 1];
    reader->used[f->choice] = 1;
    reader->drawn++;
    f->after_choice = ++f->choice;
}
/* Elements of the list that the reader is in that were not opened yet. Takes linear time. */
uint32_t sonde_script_elements_left(const struct sonde_script_reader *reader);
/* Of two doubles. */
bool sonde_script_same_bounds(const struct sonde_tape *a, const struct sonde_choice *x, const struct sonde_tape *b,
                              const struct sonde_choice *y);
/* A script's choice has the domain of the point, so its index is the answer. */
static inline bool sonde_script_is_same(const struct sonde_script_reader *reader, const struct sonde_choice *from,
                                        const struct sonde_tape *tape, const struct sonde_choice *point)
{
    if (from->kind != point->kind || from->max != point->max || from->index > point->max) return false;
    if (from->kind != SONDE_KIND_DOUBLE) return from->base == point->base;
    return sonde_script_same_bounds(reader->script, from, tape, point);
}
/* The index that a script's choice means at a point of the tape being recorded: the same index where the domains
 * agree, else the same value, else folded. Not for blobs. */
uint64_t sonde_script_index(const struct sonde_script_reader *reader, const struct sonde_choice *from,
                            const struct sonde_tape *tape, const struct sonde_choice *point);
/* Symbols that a script's choice means in a blob; returns how many, at most `max`. */
uint32_t sonde_script_symbols(const struct sonde_script_reader *reader, const struct sonde_choice *from,
                              const struct sonde_alphabet *alphabet, uint32_t *symbols, uint32_t max);

/* ---- Editing: scripts are made by copying parts of tapes. Ranges are of choices and whole spans; the result is a
 * proper tape (spans nested, `next` right), ready to be read. Used by the shrinker and by structural mutation; those that
 * every author of a guide may need are in sonde/extend.h. */

/* A copy in which span `by` of `other` stands once more, as the sibling before span `before` of `from` (or last in
 * `parent` when before is SONDE_NO_SPAN); a list's length grows with it. `to` must be neither `from`
 * nor `other`; it is emptied first, and its memory is reused. Linear in both tapes. */
void sonde_script_insert(struct sonde_tape *to, const struct sonde_tape *from, uint32_t parent, uint32_t before,
                         const struct sonde_tape *other, uint32_t by);
/* A copy with two disjoint spans in each other's place. */
void sonde_script_swap(struct sonde_tape *to, const struct sonde_tape *from, uint32_t a, uint32_t b);
/* A copy without choices [start, end) that are direct choices of their spans (spans stay, possibly empty). */
void sonde_script_without_choices(struct sonde_tape *to, const struct sonde_tape *from, uint32_t start, uint32_t end);
/* A copy that ends after n choices. */
void sonde_script_prefix(struct sonde_tape *to, const struct sonde_tape *from, uint32_t n);

#endif
