/* See bits.h. Gaussian elimination over GF(2), with whole words. */
#include "guide/goal/bits.h"

#include "base/check.h"

#include <string.h>

static void add_flips(struct sonde_flips *to, const struct sonde_flips *from)
{
    for (uint32_t i = 0; i < SONDE_BITS_SET; i++) to->bits[i] ^= from->bits[i];
}

/* Removes from an effect all leading bits of the basis. The flips that do so are added to `flips`. */
static void reduce(const struct sonde_bits *b, uint64_t *effect, struct sonde_flips *flips)
{
    for (uint32_t k = 0; k < b->n_basis; k++) {
        const struct sonde_bits_basis *x = &b->basis[k];
        if (!(effect[x->word] >> x->bit & 1)) continue;
        for (uint32_t w = 0; w < b->n_words; w++) effect[w] ^= x->effect[w];
        add_flips(flips, &x->flips);
    }
}

/* Returns the first word from `from` on that is not 0; n_words if all are. */
static uint32_t first_word(const struct sonde_bits *b, const uint64_t *effect, uint32_t from)
{
    while (from < b->n_words && !effect[from]) from++;
    return from;
}

static void extend_basis(struct sonde_bits *b, const uint64_t *effect, const struct sonde_flips *flips, uint32_t word)
{
    sonde_assert(b->n_basis < 64 * SONDE_BITS_WORDS);
    struct sonde_bits_basis *x = &b->basis[b->n_basis++];
    memcpy(x->effect, effect, sizeof x->effect);
    x->flips = *flips;
    x->word = word;
    x->bit = (uint32_t)__builtin_ctzll(effect[word]);
}

static void shuffle(uint32_t *order, uint32_t n, struct sonde_rng *rng)
{
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    for (uint32_t i = n; rng && i > 1; i--) {
        uint32_t k = (uint32_t)sonde_rng_upto(rng, i - 1), other = order[i - 1];
        order[i - 1] = order[k];
        order[k] = other;
    }
}

bool sonde_bits_solve(struct sonde_bits *b, const uint64_t *need, struct sonde_rng *rng, struct sonde_flips *out,
                      uint64_t *work)
{
    uint32_t order[SONDE_BITS_FLIPS];
    uint64_t rest[SONDE_BITS_WORDS] = {0};
    shuffle(order, b->n, rng);
    b->n_basis = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t effect[SONDE_BITS_WORDS];
        struct sonde_flips flips = b->unknowns[order[i]];
        memcpy(effect, b->effects[order[i]], sizeof effect);
        reduce(b, effect, &flips);
        *work += 1 + b->n_basis / 2;
        uint32_t word = first_word(b, effect, 0);
        if (word < b->n_words) extend_basis(b, effect, &flips, word);
    }
    memcpy(rest, need, b->n_words * sizeof *rest);
    *out = (struct sonde_flips){{0}};
    reduce(b, rest, out);
    return first_word(b, rest, 0) == b->n_words;
}

void sonde_bits_keep_others(struct sonde_bits *b, uint64_t *work)
{
    uint32_t n = 0;
    b->n_basis = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t effect[SONDE_BITS_WORDS];
        struct sonde_flips flips = b->unknowns[i];
        memcpy(effect, b->effects[i], sizeof effect);
        effect[0] = 0;
        reduce(b, effect, &flips);
        *work += 1 + b->n_basis / 2;
        uint32_t word = first_word(b, effect, 1);
        if (word < b->n_words) extend_basis(b, effect, &flips, word);
        else b->unknowns[n++] = flips; /* n <= i: read before */
    }
    b->n = n;
    memset(b->effects, 0, sizeof b->effects);
}
