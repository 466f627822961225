/* A guide inside a guide: what composed guides need to hand the seam on.
 *
 * The outer guide decides whose case the next one is; that inner guide starts it, answers its draws and is its author.
 * Every inner guide learns from every case, so that what one finds the others can use. An outer guide's `wants` must be
 * the union of what its inner guides want: the engine asks the outer one only.
 *
 * Use, in the outer guide's operations:
 *
 *     create    setup = sonde_guide_part(outer, 1); sonde_inner_init(&g->part, &sonde_guide_rl, setup);
 *     start     return sonde_inner_start(&g->part, guide, script);     also hands on `plain`
 *     choose    return sonde_inner_choose(&g->part, view);
 *     fill      return sonde_inner_fill(&g->part, view, symbols, min, max);
 *     learn     sonde_inner_learn(&g->part, run, whether this part made it);
 *     destroy   sonde_inner_clear(&g->part); */
#ifndef SONDE_GUIDE_INNER_H
#define SONDE_GUIDE_INNER_H

#include <sonde/extend.h>

struct sonde_inner {
    struct sonde_guide *guide;
    struct sonde_guide_setup setup; /* borrowed by the guide: must not move while it lives */
};

/* The setup, of sonde_guide_part, is kept here, because a guide may borrow it as long as it lives: do not move *inner
 * afterwards. */
void sonde_inner_init(struct sonde_inner *inner, const struct sonde_guide_ops *ops, struct sonde_guide_setup setup);
void sonde_inner_clear(struct sonde_inner *inner);

/* The next case is the inner guide's: its plan is the outer one's, and so is whether plain draws need no call. */
enum sonde_plan sonde_inner_start(struct sonde_inner *inner, struct sonde_guide *outer, struct sonde_tape *script);

static inline uint64_t sonde_inner_choose(const struct sonde_inner *inner, const struct sonde_view *view)
{
    return inner->guide->ops->choose(inner->guide, view);
}
/* A guide without fill is asked symbol by symbol. */
size_t sonde_inner_fill(const struct sonde_inner *inner, const struct sonde_view *view, uint32_t *symbols, size_t min,
                        size_t max);

/* `is_own`: it made this case, and will find itself as its author. */
void sonde_inner_learn(struct sonde_inner *inner, const struct sonde_run *run, bool is_own);

/* "NAME: " and its line of numbers; nothing if it has none. */
void sonde_inner_stats(const struct sonde_inner *inner, FILE *out);
void sonde_inner_explain(const struct sonde_inner *inner, const struct sonde_labels *names, FILE *out);

/* A guide of scripts, which leaves to another what they do not answer. It begins with this, and has these for its `choose`
 * and `fill`. */
struct sonde_scripter {
    struct sonde_guide guide;
    struct sonde_inner fresh;
};
/* For `choose` and `fill` of guides that plan scripts: what a script leaves open is drawn by `fresh`.
 * Such a guide begins with struct sonde_scripter. */
uint64_t sonde_scripter_choose(struct sonde_guide *guide, const struct sonde_view *view);
size_t sonde_scripter_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max);

#endif
