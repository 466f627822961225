/* See answer.h. The script of a run is not followed meanwhile: it was made by the same derivation. */
#include "grammar/answer.h"

#include <string.h>

static uint64_t answer_index(struct sonde_guide *guide, const struct sonde_view *view)
{
    (void)view;
    return ((struct sonde_grammar_answers *)guide)->index;
}

static size_t answer_symbols(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                             size_t max)
{
    (void)view, (void)min;
    const struct sonde_grammar_answers *a = (struct sonde_grammar_answers *)guide;
    size_t n = a->n_symbols < max ? a->n_symbols : max;
    memcpy(symbols, a->symbols, n * sizeof *symbols);
    return n;
}

static const struct sonde_guide_ops answering = {.name = "grammar", .choose = answer_index, .fill = answer_symbols};

struct sonde_asked sonde_answer_begin(sonde *t, struct sonde_grammar_answers *answers, uint64_t index)
{
    struct sonde_asked asked = {t->guide, t->script, t->choose, t->plain_end > 0};
    answers->guide.ops = &answering;
    answers->index = index;
    t->guide = &answers->guide;
    t->choose = answer_index;
    t->script = NULL;
    t->plain_end = 0;
    return asked;
}

void sonde_answer_end(sonde *t, const struct sonde_asked *asked)
{
    t->guide = asked->guide;
    t->script = asked->script;
    t->choose = asked->choose;
    t->plain_end = asked->was_plain ? t->tape.cap_choices : 0;
}
