/* Implements sonde_open_again: a span whose draws start out equal to the draws of the previous span with the same
 * label. This is FuzzChick's generator of pairs, `st <- arbitrary;; ret (st, st)`, but both parts of the pair can be
 * mutated separately.
 *
 * The draws of the second span are on the tape like any others. So a script can set them, and a mutator can change each
 * alone. If no script has the span at all, a copy of the previous span is followed as a script. The guide chooses what
 * that copy lacks. */
#include "case/case.h"

/* Returns the last child of the innermost open span that has this label; SONDE_NO_SPAN if there is none. */
static uint32_t part_before(const sonde *t, uint32_t label)
{
    uint32_t found = SONDE_NO_SPAN;
    for (uint32_t i = t->span + 1; i < t->tape.n_spans; i = t->tape.spans[i].next)
        if (t->tape.spans[i].label == label) found = i;
    return found;
}

static bool is_scripted(const sonde *t)
{
    return t->script && t->script->frames[t->script->depth - 1].span != SONDE_NO_SPAN;
}

/* Opens an ordinary span inside a span that already follows a copy: a copy of a copy would follow the wrong span. The
 * tape is copied because it grows, and may move, while the copy is followed. */
void sonde_case_open_again(sonde *t, uint32_t label)
{
    uint32_t before = part_before(t, label);
    sonde_case_open(t, label, 0);
    if (before == SONDE_NO_SPAN || t->again.depth || is_scripted(t)) return;
    sonde_tape_copy(&t->again.tape, &t->tape);
    sonde_script_begin_at(&t->again.reader, &t->again.tape, before);
    t->again.outer = t->script;
    t->again.depth = t->view.depth;
    t->again.was_plain = t->plain_end > 0;
    t->script = &t->again.reader;
    t->plain_end = 0;
}

/* After the case has ended nothing may be drawn, so plain_end stays 0 then, which disables the quick path of draws. */
void sonde_case_leave_again(sonde *t)
{
    t->script = t->again.outer;
    t->again.depth = 0;
    t->plain_end = t->again.was_plain && t->owner ? t->tape.cap_choices : 0;
}
