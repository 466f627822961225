/* What a guide answered in the case that is running, by number of the choice.
 *
 * A case may record another answer than it got: the first name of a double that has several, the next alternative
 * where one has weight 0. The trie must hear of it, or it would offer such an answer as untried for ever. */
#ifndef SONDE_GUIDE_ANSWERS_H
#define SONDE_GUIDE_ANSWERS_H

#include "base/mem.h"
#include "tape/trie.h"

struct sonde_answers {
    uint64_t *index;
    uint32_t n, cap;
};

static inline void sonde_answers_clear(struct sonde_answers *answers)
{
    sonde_free(answers->index);
    *answers = (struct sonde_answers){0};
}

/* Of the choice about to be made. Choices that were not asked for read as 0. */
static inline void sonde_answers_add(struct sonde_answers *answers, const struct sonde_tape *tape, uint64_t index)
{
    uint32_t choice = tape->n_choices;
    if (choice >= answers->cap)
        answers->index = sonde_grow(answers->index, &answers->cap, (size_t)choice + 1, sizeof *answers->index);
    while (answers->n < choice) answers->index[answers->n++] = 0;
    answers->index[choice] = index;
    answers->n = choice + 1;
}

/* Marks the first answer that the tape does not show as used up. Call it before the tape is inserted. */
static inline void sonde_answers_close(const struct sonde_answers *answers, struct sonde_trie *trie,
                                       const struct sonde_tape *tape)
{
    for (uint32_t i = 0; i < answers->n && i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->index == answers->index[i] || c->max == 0 || c->kind == SONDE_KIND_BLOB) continue;
        sonde_trie_close(trie, tape, i, answers->index[i]);
        return;
    }
}

#endif
