/* See numbers.h. */
#include "tape/numbers.h"

#include "base/hash.h"

#include <string.h>

enum { WORDS = sizeof(struct sonde_numbers) / sizeof(uint64_t) };

static uint64_t *word_of(const struct sonde_numbers *n, uint64_t value, uint64_t *bit)
{
    uint64_t hash = sonde_mix(value);
    *bit = UINT64_C(1) << (hash & 63);
    return (uint64_t *)&n->bits[(hash >> 6) % WORDS];
}

static void add(struct sonde_numbers *n, uint64_t value)
{
    uint64_t bit, *word = word_of(n, value, &bit);
    *word |= bit;
}

static bool has(const struct sonde_numbers *n, uint64_t value)
{
    uint64_t bit;
    return *word_of(n, value, &bit) & bit;
}

void sonde_numbers_of(struct sonde_numbers *n, const struct sonde_tape *tape)
{
    memset(n, 0, sizeof *n);
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        if (c->kind == SONDE_KIND_BLOB) {
            struct sonde_blob b = sonde_choice_blob(tape, c);
            for (uint32_t k = 0; k < b.len; k++) add(n, sonde_alphabet_code(&b.alphabet, sonde_blob_symbol(&b, k)));
        } else if (c->kind != SONDE_KIND_LITERAL && c->kind != SONDE_KIND_DOUBLE) {
            add(n, sonde_choice_value(tape, c).as.u);
        }
    }
}

static bool has_value(const struct sonde_numbers *n, uint64_t side, uint32_t bytes)
{
    return has(n, side) || (bytes < 8 && has(n, side & ((UINT64_C(1) << 8 * bytes) - 1)));
}

bool sonde_numbers_has_side(const struct sonde_numbers *n, const struct sonde_hint *hint)
{
    return has_value(n, hint->a, hint->bytes) || has_value(n, hint->b, hint->bytes);
}
