/* A walk over a tape in the order in which it was recorded: spans opening and closing, choices between them. The text
 * form and the byte form of a tape are written in the order of this walk.
 *
 * The walk follows the `span` of the choices and the parents of the spans. So it also works on tapes whose last spans
 * were never closed, because the case ended early. It needs no stack, whatever the depth.
 *
 * Example: `tree{value=3 tree{value=4}} x=5` is walked as OPEN 1, CHOICE 0, OPEN 2, CHOICE 1, CLOSE, CLOSE, CHOICE
 * 2, END. The root is open from the start. */
#ifndef SONDE_TAPE_WALK_H
#define SONDE_TAPE_WALK_H

#include <sonde/extend.h>

/* Steps of a walk. */
enum sonde_step { SONDE_STEP_OPEN, SONDE_STEP_CHOICE, SONDE_STEP_CLOSE, SONDE_STEP_END };

/* The state of a walk. */
struct sonde_walk {
    const struct sonde_tape *tape;
    uint32_t span;   /* index of the innermost open span after the step */
    uint32_t closed; /* after CLOSE: index of the span that was closed */
    uint32_t choice; /* after CHOICE: index of the choice */
    uint32_t next_span;
    uint32_t next_choice;
};

/* Returns a walk that has not taken its first step. The tape is borrowed, and must not change during the walk. */
static inline struct sonde_walk sonde_walk_start(const struct sonde_tape *tape)
{
    return (struct sonde_walk){.tape = tape, .next_span = 1};
}

/* Takes the next step. Span 0 is open from the start; at its end the step is END. */
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

/* Skips the content of a span, right after its OPEN. Only for tapes whose spans were closed. */
static inline void sonde_walk_skip(struct sonde_walk *walk)
{
    const struct sonde_tape_span *span = &walk->tape->spans[walk->span];
    walk->next_span = span->next;
    walk->next_choice = span->end;
}

#endif
