/* The guide's answer to each choice of the running case.
 *
 * A case may record another answer than the guide gave. Of several indices of one double it records the first; of an
 * alternative of weight 0, the next one. The trie must then close the given answer, or it would offer that answer as
 * untried forever. */
#ifndef SONDE_GUIDE_PLAIN_ANSWERS_H
#define SONDE_GUIDE_PLAIN_ANSWERS_H

#include "base/mem.h"
#include "tape/trie.h"

/* An answer that the case cannot record at this choice. */
struct sonde_never {
    uint64_t index;
    uint32_t choice;
};

/* The list of one case: index[i] is the answer to choice i, for i in [0, n). Both arrays are reused from case to case.
 * `never` is in the order of choices. */
struct sonde_answers {
    uint64_t *index;
    struct sonde_never *never; /* indices that the case cannot record: alternatives of weight 0 */
    uint32_t n, cap;
    uint32_t n_never, cap_never;
};

static inline void sonde_answers_begin(struct sonde_answers *answers)
{
    answers->n = answers->n_never = 0;
}

static inline void sonde_answers_clear(struct sonde_answers *answers)
{
    sonde_free(answers->index);
    sonde_free(answers->never);
    *answers = (struct sonde_answers){0};
}

/* Records the answer to the choice about to be made. Choices for which the guide was not asked read as 0. */
static inline void sonde_answers_add(struct sonde_answers *answers, const struct sonde_tape *tape, uint64_t index)
{
    uint32_t choice = tape->n_choices;
    if (choice >= answers->cap)
        answers->index = sonde_grow(answers->index, &answers->cap, (size_t)choice + 1, sizeof *answers->index);
    while (answers->n < choice) answers->index[answers->n++] = 0;
    answers->index[choice] = index;
    answers->n = choice + 1;
}

/* Records the alternatives of weight 0 of the choice about to be made. */
static inline void sonde_answers_exclude(struct sonde_answers *answers, const struct sonde_view *view)
{
    for (uint64_t i = 0; i <= view->point->max; i++) {
        if (view->weights[i]) continue;
        answers->never =
            sonde_grow(answers->never, &answers->cap_never, (size_t)answers->n_never + 1, sizeof *answers->never);
        answers->never[answers->n_never++] = (struct sonde_never){.index = i, .choice = view->tape->n_choices};
    }
}

/* Marks as tried in the trie: the excluded alternatives, and the first answer that differs from the tape. Every later
 * answer is ignored: the guide gave it for a path that the case did not take. Call this before the tape is
 * inserted. */
static inline void sonde_answers_close(const struct sonde_answers *answers, struct sonde_trie *trie,
                                       const struct sonde_tape *tape)
{
    uint32_t i = 0, n = answers->n < tape->n_choices ? answers->n : tape->n_choices;
    for (; i < n; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->index != answers->index[i] && c->max > 0 && c->kind != SONDE_KIND_BLOB) break;
    }
    if (i < n) sonde_trie_close(trie, tape, i, answers->index[i]);
    for (uint32_t k = 0; k < answers->n_never && answers->never[k].choice < tape->n_choices; k++)
        sonde_trie_close(trie, tape, answers->never[k].choice, answers->never[k].index);
}

#endif
