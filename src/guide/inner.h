/* A guide inside a guide: composed guides forward the guide operations to their inner guides with these functions.
 *
 * The outer guide decides which inner guide makes the next case. That inner guide starts the case, makes its choices
 * and is its author. Every inner guide learns from every case, so each can use what another one finds. An outer
 * guide's `wants` must be the union of what its inner guides want: the engine asks only the outer guide.
 *
 * Use, in the outer guide's operations:
 *
 *     create    setup = sonde_guide_part(outer, 1); sonde_inner_init(&g->part, &sonde_guide_rl, setup);
 *     start     return sonde_inner_start(&g->part, guide, script);     also forwards `plain`
 *     choose    return sonde_inner_choose(&g->part, view);
 *     fill      return sonde_inner_fill(&g->part, view, symbols, min, max);
 *     learn     sonde_inner_learn(&g->part, run, whether this part made it);
 *     destroy   sonde_inner_clear(&g->part); */
#ifndef SONDE_GUIDE_INNER_H
#define SONDE_GUIDE_INNER_H

#include <sonde/extend.h>

struct sonde_inner {
    struct sonde_guide *guide;
    struct sonde_guide_setup setup; /* borrowed by the guide: must not move while the guide lives */
};

/* Creates the inner guide; sonde_inner_clear frees it. The setup comes from sonde_guide_part and is copied into *inner,
 * because a guide may borrow its setup as long as it lives. Do not move *inner afterwards. */
void sonde_inner_init(struct sonde_inner *inner, const struct sonde_guide_ops *ops, struct sonde_guide_setup setup);
void sonde_inner_clear(struct sonde_inner *inner);

/* Starts the next case with the inner guide. Returns that guide's plan, and copies its `plain` to the outer guide. */
enum sonde_plan sonde_inner_start(struct sonde_inner *inner, struct sonde_guide *outer, struct sonde_tape *script);

static inline uint64_t sonde_inner_choose(const struct sonde_inner *inner, const struct sonde_view *view)
{
    return inner->guide->ops->choose(inner->guide, view);
}
/* Fills a blob; returns the number of symbols. A guide without `fill` is asked symbol by symbol. */
size_t sonde_inner_fill(const struct sonde_inner *inner, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max);

/* Lets the inner guide learn from a case. `is_own`: the inner guide made this case and sees itself as the author. */
void sonde_inner_learn(struct sonde_inner *inner, const struct sonde_run *run, bool is_own);

/* Prints "NAME: " and the guide's line of numbers; prints nothing for a guide without `stats`. */
void sonde_inner_stats(const struct sonde_inner *inner, FILE *out);
/* Prints the guide's explanation; prints nothing for a guide without `explain`. */
void sonde_inner_explain(const struct sonde_inner *inner, const struct sonde_labels *names, FILE *out);

/* The beginning of every guide that plans scripts. The inner guide `fresh` makes the choices that a script leaves open.
 * Such a guide uses the two functions below as its `choose` and `fill`. */
struct sonde_scripter {
    struct sonde_guide guide;
    struct sonde_inner fresh;
};
/* Returns the answer of `fresh`. The guide must begin with struct sonde_scripter. */
uint64_t sonde_scripter_choose(struct sonde_guide *guide, const struct sonde_view *view);
/* Fills a blob with `fresh`; returns the number of symbols. The guide must begin with struct sonde_scripter. */
size_t sonde_scripter_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max);

#endif
