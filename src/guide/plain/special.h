/* Special values, which programs often get wrong: ends of ranges, neighbours of powers of two, equal values, unusual
 * doubles, words of the user's dictionary. They are a guide's policy, never extra choices: each is an index of the
 * ordinary domain. */
#ifndef SONDE_GUIDE_PLAIN_SPECIAL_H
#define SONDE_GUIDE_PLAIN_SPECIAL_H

#include <sonde/extend.h>

/* The user's dictionary of words and numbers. */
struct sonde_special {
    const char *const *words; /* borrowed from the guide's setup */
    size_t n_words;
    const int64_t *numbers;
    size_t n_numbers;
};

/* Borrows words and numbers of the setup; there is nothing to free. */
void sonde_special_init(struct sonde_special *special, const struct sonde_guide_setup *setup);

/* Returns a special index for a point of kind INT, UINT or DOUBLE; any index if no special value fits the domain. */
uint64_t sonde_special_index(const struct sonde_special *special, struct sonde_rng *rng, const struct sonde_view *view);

/* The content of a blob while it is made: n symbols, of which min..max are allowed. The array holds max symbols. */
struct sonde_text {
    uint32_t *symbols;
    size_t n, min, max;
};
/* Makes the content special: changes it, or replaces it. */
void sonde_special_text(const struct sonde_special *special, struct sonde_rng *rng, const struct sonde_view *view,
                        struct sonde_text *text);

/* Returns a random symbol: uniform in small alphabets; in large ones mostly from the printable first part. */
uint32_t sonde_special_symbol(struct sonde_rng *rng, const struct sonde_alphabet *alphabet);

#endif
