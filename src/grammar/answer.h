/* Draws whose values are known: when a file is imported, its derivation says what is drawn. Such a draw gets its value
 * from a guide that has one answer; for other draws the guide of the search stays. */
#ifndef SONDE_GRAMMAR_ANSWER_H
#define SONDE_GRAMMAR_ANSWER_H

#include "case/case.h"
#include "grammar/syntax.h"

/* The guide with one answer. */
struct sonde_grammar_answers {
    struct sonde_guide guide;
    uint64_t index;
    const uint32_t *symbols; /* of a string */
    uint32_t n_symbols;
};

/* The guide and the script of a case, while an answer replaces them. */
struct sonde_asked {
    struct sonde_guide *guide;
    struct sonde_script_reader *script;
    uint64_t (*choose)(struct sonde_guide *guide, const struct sonde_view *view);
    bool was_plain;
};

/* Makes the next draw take an index, and for a string the symbols of the guide. Returns the state to give to
 * sonde_answer_end after that draw. */
struct sonde_asked sonde_answer_begin(sonde *t, struct sonde_grammar_answers *answers, uint64_t index);
/* Makes further draws as before. */
void sonde_answer_end(sonde *t, const struct sonde_asked *asked);

/* Makes a draw. Its index is `answer`, unless that is NONE. */
#define SONDE_DRAW(d, answer, draw)                                                                                    \
    __extension__({                                                                                                    \
        __typeof__(draw) drawn_;                                                                                       \
        if (__builtin_expect((answer) != SONDE_SYNTAX_NONE, 0)) {                                                      \
            struct sonde_asked asked_ = sonde_answer_begin((d)->t, &(d)->answers, (answer));                           \
            drawn_ = (draw);                                                                                           \
            sonde_answer_end((d)->t, &asked_);                                                                         \
        } else drawn_ = (draw);                                                                                        \
        drawn_;                                                                                                        \
    })

#endif
