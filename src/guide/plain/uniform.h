/* What the guide `uniform` answers, for guides that have nothing better to say about a draw. */
#ifndef SONDE_GUIDE_PLAIN_UNIFORM_H
#define SONDE_GUIDE_PLAIN_UNIFORM_H

#include <sonde/extend.h>

/* As the guide `uniform` answers, for guides that draw in the same way as long as they know nothing. */
uint64_t sonde_uniform_index(struct sonde_rng *rng, const struct sonde_view *view);
/* Answers how many symbols; `symbols` has room for the longest that the point allows. */
size_t sonde_uniform_fill(struct sonde_rng *rng, const struct sonde_view *view, uint32_t *symbols, size_t min);

/* The probability that uniform draws this tape, but for the alternatives of weighted draws, whose weights a tape does not
 * have; the case that drew them knows (case.h, `weighted_p`). Negative if it cannot be known exactly: of doubles. */
double sonde_uniform_probability(const struct sonde_tape *tape);

#endif
