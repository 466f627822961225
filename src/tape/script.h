/* Replay by script: a tape that a run follows by labels, not by position.
 *
 * The reader walks the script's span tree in step with the run. `open` enters the next unused child of that label; a
 * draw takes the next unused choice of its label within the span. So mutants that add, drop or move parts stay
 * aligned, and tapes survive edits of the generator. A tape made where f(draw a, draw b) evaluates right to left also
 * replays where it evaluates left to right. Draws that the script lacks, or for which it has a hole, are left to the
 * guide.
 *
 * A mutation may turn a choice, which means changing a flag such as "is there a left subtree?". Everything between
 * that choice and the next one depended on it. So a span opened there is new, and a span that has disappeared is not
 * mistaken for the next one.
 *
 * Example. The script is `a=1 xs[{v=2} {v=3}] b=4`; the generator has since learned to draw c between a and the list.
 * The run draws a (takes 1) and c (no such label: the guide chooses). It opens xs, opens an element twice (takes 2,
 * then 3), closes, and draws b (takes 4). A replay by position would have given every draw after a the wrong value. */
#ifndef SONDE_TAPE_SCRIPT_H
#define SONDE_TAPE_SCRIPT_H

#include "tape/tape.h"

/* The reader's state in one open span. */
struct sonde_script_frame {
    uint32_t span;                      /* index of the span in the script; SONDE_NO_SPAN: the script lacks it */
    uint32_t end;                       /* one past the last choice of the span; 0 if the script lacks the span */
    uint32_t choice;                    /* all direct choices of the span before this number were used */
    uint32_t child;                     /* all direct children of the span before this number were used */
    uint32_t after_choice, after_child; /* one past the last choice and the last child taken: nearly always the next */
    bool turned;                        /* the choice last taken was turned: see SONDE_CHOICE_TURNED */
};
#define SONDE_NO_SPAN UINT32_MAX
/* A label for `open` that matches the next element of the list, whatever its label. The span of a state machine's
 * call is opened before its rule is drawn, and the rule gives the label. */
#define SONDE_ANY_ELEMENT 0
/* Returns the label that a span of a run was opened with. */
static inline uint32_t sonde_span_opener(const struct sonde_tape_span *span)
{
    return span->flags & SONDE_SPAN_CALL ? SONDE_ANY_ELEMENT : span->label;
}

/* A reader of a script. */
struct sonde_script_reader {
    const struct sonde_tape *script;
    struct sonde_script_frame *frames;
    uint32_t depth, cap;
    uint8_t *used; /* an entry for each choice of the script, then for each span; 1: it was used */
    uint32_t used_cap;
    uint32_t drawn;       /* number of draws of the run so far */
    bool strayed;         /* the run did not follow the script: a value was missing, folded or skipped */
    uint32_t first_stray; /* value of `drawn` when the run first left the script */
};

/* Initialises a reader. Call init once; for each run begin, then open, next and close as the run does; clear at the
 * end. The reader's arrays grow in the heap that is current at begin and at open; a reader belongs to one heap for
 * its life. */
void sonde_script_init(struct sonde_script_reader *reader);
/* Frees the memory of a reader. */
void sonde_script_clear(struct sonde_script_reader *reader);
/* Begins a run within a span of the script; SONDE_NO_SPAN: everything is missing. Takes time linear in the script,
 * which is borrowed until the next _begin and must not change. One reader serves one run at a time. */
void sonde_script_begin_at(struct sonde_script_reader *reader, const struct sonde_tape *script, uint32_t span);
/* Begins a run with the whole script, like sonde_script_begin_at. */
static inline void sonde_script_begin(struct sonde_script_reader *reader, const struct sonde_tape *script)
{
    sonde_script_begin_at(reader, script, script->n_spans ? 0 : SONDE_NO_SPAN);
}
/* Enters a span: from here on, draws take their values from the matching part of the script. If the script lacks that
 * part, every draw in the span is missing. */
void sonde_script_open(struct sonde_script_reader *reader, uint32_t label);
/* Leaves the span and skips its unused rest. The lowest frame stays: a property may close more spans than the script
 * has, and every call needs a top frame. */
static inline void sonde_script_close(struct sonde_script_reader *reader)
{
    if (reader->depth > 1) reader->depth--;
}
/* Asserts that the span of each frame is inside the span of the frame below it. Asserts that each frame refers only to
 * parts of its span. */
SONDE_CHECKER(sonde_script_check, struct sonde_script_reader);
/* Returns the script's choice for a draw of this label, and marks it as used; NULL if the script lacks it or has a
 * hole. The pointer is into the script. */
const struct sonde_choice *sonde_script_next(struct sonde_script_reader *reader, uint32_t label);
/* Returns the choice that sonde_script_next would return, if the draws so far were in the order of the script.
 * Otherwise returns NULL; call sonde_script_next. The choice counts as used only after sonde_script_take. */
static inline const struct sonde_choice *sonde_script_peek(const struct sonde_script_reader *reader, uint32_t label)
{
    const struct sonde_script_frame *f = &reader->frames[reader->depth - 1];
    if (f->choice >= f->end || f->choice != f->after_choice || f->turned) return NULL;
    const struct sonde_choice *c = &reader->script->choices[f->choice];
    if (c->span != f->span || c->label != label || reader->used[f->choice]) return NULL;
    return c->flags & (SONDE_CHOICE_HOLE | SONDE_CHOICE_TURNED) ? NULL : c;
}
/* Marks the choice that sonde_script_peek has just returned as used. */
static inline void sonde_script_take(struct sonde_script_reader *reader)
{
    struct sonde_script_frame *f = &reader->frames[reader->depth - 1];
    sonde_assert(f->choice < f->end && !reader->used[f->choice]); /* each choice is used at most once */
    reader->used[f->choice] = 1;
    reader->drawn++;
    f->after_choice = ++f->choice;
}
/* Returns how many elements of the current list were not opened yet. Takes time linear in the elements. */
uint32_t sonde_script_elements_left(const struct sonde_script_reader *reader);
/* Returns whether two DOUBLE choices have the same bounds. */
bool sonde_script_same_bounds(const struct sonde_tape *a, const struct sonde_choice *x, const struct sonde_tape *b,
                              const struct sonde_choice *y);
/* Returns whether a script's choice has the domain of the point, so that its index can be taken as it is. */
static inline bool sonde_script_is_same(const struct sonde_script_reader *reader, const struct sonde_choice *from,
                                        const struct sonde_tape *tape, const struct sonde_choice *point)
{
    if (from->kind != point->kind || from->max != point->max || from->index > point->max) return false;
    if (from->kind != SONDE_KIND_DOUBLE) return from->base == point->base;
    return sonde_script_same_bounds(reader->script, from, tape, point);
}
/* Returns the index that a script's choice means at a point of the tape being recorded. It is the same index if the
 * domains agree, else the index of the same value, else folded. Not for blobs. */
uint64_t sonde_script_index(const struct sonde_script_reader *reader, const struct sonde_choice *from,
                            const struct sonde_tape *tape, const struct sonde_choice *point);
/* Fills `symbols` with the symbols that a script's choice stands for in a blob; returns how many, at most `max`. */
uint32_t sonde_script_symbols(const struct sonde_script_reader *reader, const struct sonde_choice *from,
                              const struct sonde_alphabet *alphabet, uint32_t *symbols, uint32_t max);

/* ---- Editing: scripts are made by copying parts of tapes. Ranges are of choices and whole spans. The result is a
 * proper tape (spans nested, `next` right), ready to be read. The shrinker and structural mutation use these;
 * functions that every author of a guide may need are in sonde/extend.h. */

/* Copies `from` and inserts a copy of span `by` of `other`, before span `before` (SONDE_NO_SPAN: last in `parent`).
 * If the parent is a list, its length grows, too. `to` is overwritten, reuses its memory, and must be neither `from`
 * nor `other`. Linear in both tapes. */
void sonde_script_insert(struct sonde_tape *to, const struct sonde_tape *from, uint32_t parent, uint32_t before,
                         const struct sonde_tape *other, uint32_t by);
/* Copies `from` with the contents of two disjoint spans exchanged. */
void sonde_script_swap(struct sonde_tape *to, const struct sonde_tape *from, uint32_t a, uint32_t b);
/* Copies `from` without choices [start, end); their spans stay, possibly empty. */
void sonde_script_without_choices(struct sonde_tape *to, const struct sonde_tape *from, uint32_t start, uint32_t end);
/* Copies the first n choices of `from`. */
void sonde_script_prefix(struct sonde_tape *to, const struct sonde_tape *from, uint32_t n);

#endif
