/* Invariants of every finished tape: spans nested and in order, choices inside the spans they name. */
#ifndef SONDE_TESTS_PROPER_H
#define SONDE_TESTS_PROPER_H

#include "lib/mocka.h"

#include "tape/tape.h"

static inline void assert_proper(const struct sonde_tape *tape)
{
    assert_true(tape->n_spans > 0);
    assert_int_equal(tape->spans[0].start, 0);
    assert_int_equal(tape->spans[0].end, tape->n_choices);
    assert_int_equal(tape->spans[0].next, tape->n_spans);
    for (uint32_t i = 1; i < tape->n_spans; i++) {
        const struct sonde_tape_span *s = &tape->spans[i], *parent = &tape->spans[s->parent];
        assert_true(s->parent < i && i < parent->next);
        assert_true(s->next > i && s->next <= parent->next);
        assert_true(s->start <= s->end && s->start >= parent->start && s->end <= parent->end);
        assert_true(s->start >= tape->spans[i - 1].start);
        assert_int_equal(s->depth, parent->depth + 1);
    }
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        const struct sonde_tape_span *s = &tape->spans[c->span];
        assert_true(c->index <= c->max || c->kind == SONDE_KIND_BLOB);
        assert_true(i >= s->start && i < s->end);
        for (uint32_t child = c->span + 1; child < s->next; child = tape->spans[child].next)
            assert_false(i >= tape->spans[child].start && i < tape->spans[child].end);
    }
}

#endif
