/* What the guide `uniform` answers, for guides that have nothing better to say about a draw. */
#ifndef SONDE_GUIDE_UNIFORM_H
#define SONDE_GUIDE_UNIFORM_H

#include <sonde/extend.h>

uint64_t sonde_uniform_index(struct sonde_rng *rng, const struct sonde_view *view);
size_t sonde_uniform_fill(struct sonde_rng *rng, const struct sonde_view *view, uint32_t *symbols, size_t min);

#endif
