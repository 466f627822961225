/* The walk through a tape in the order in which it was made: spans opening and closing, choices between them. Both
 * written forms of a tape are this walk written down.
 *
 * It follows the choices' own `span` fields and the spans' parents, so it also works on tapes whose last spans were
 * never closed (a case that was left in the middle). It needs no stack, whatever the depth.
 *
 * Example: `tree{value=3 tree{value=4}} x=5` is walked as OPEN 1, CHOICE 0, OPEN 2, CHOICE 1, CLOSE, CLOSE,
 * CHOICE 2, END. The root is not opened: it is there. */
#ifndef SONDE_TAPE_WALK_H
#define SONDE_TAPE_WALK_H

#include <sonde/extend.h>

enum sonde_step { SONDE_STEP_OPEN, SONDE_STEP_CHOICE, SONDE_STEP_CLOSE, SONDE_STEP_END };

struct sonde_walk {
    const struct sonde_tape *tape;
    uint32_t span;   /* innermost open one, after the step */
    uint32_t closed; /* after CLOSE: which */
    uint32_t choice; /* after CHOICE: which */
    uint32_t next_span;
    uint32_t next_choice;
};

static inline struct sonde_walk sonde_walk_start(const struct sonde_tape *tape)
{
    return (struct sonde_walk){.tape = tape, .next_span = 1};
}

/* Span 0 is open from the start and its end is END. */
static inline enum sonde_step sonde_walk_next(struct sonde_walk *walk)
{
    const struct sonde_tape *tape = walk->tape;
    uint32_t s = walk->next_span, c = walk->next_choice;
    if (s < tape->n_spans && tape->spans[s].parent == walk->span && tape->spans[s].start <= c) {
        walk->span = s;
        walk->next_span++;
        return SONDE_STEP_OPEN;
    }
    if (c < tape->n_choices && tape->choices[c].span == walk->span) {
        walk->choice = c;
        walk->next_choice++;
        return SONDE_STEP_CHOICE;
    }
    if (walk->span == 0) return SONDE_STEP_END;
    walk->closed = walk->span;
    walk->span = tape->spans[walk->span].parent;
    return SONDE_STEP_CLOSE;
}

/* Right after OPEN: leaves out what the span holds. Only where spans were closed. */
static inline void sonde_walk_skip(struct sonde_walk *walk)
{
    const struct sonde_tape_span *span = &walk->tape->spans[walk->span];
    walk->next_span = span->next;
    walk->next_choice = span->end;
}

#endif
