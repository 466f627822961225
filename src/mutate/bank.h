/* The valid inputs that are kept to judge mutants with, chosen by the sites that they reach.
 *
 * An input is kept if one of its sites has fewer than SONDE_BANK_QUOTA inputs so far, or if it showed new code. When
 * the bank is full, it is kept only if one of its sites has fewer than SONDE_BANK_LEAST. So a site that the search
 * reaches late still gets inputs, whatever came before. Measured on cJSON: the first input tried kills 94 % of the
 * mutants that are killed at all, and 50 inputs kill 98 %. */
#ifndef SONDE_MUTATE_BANK_H
#define SONDE_MUTATE_BANK_H

#include "base/check.h"
#include "tape/tape.h"

enum {
    SONDE_BANK_QUOTA = 10,
    SONDE_BANK_LEAST = 2,
    SONDE_BANK_NEWS = 1000 /* number of inputs up to which new code alone is a reason to keep one */
};

/* One input. */
struct sonde_banked {
    struct sonde_tape tape;
    uint64_t *sites;  /* set of the sites that it reaches, as in program/mutants.h */
    uint32_t n_sites; /* how many these are */
    uint64_t size;    /* of the tape */
    uint32_t kills;   /* number of mutants that it killed first */
};

/* A bank; belongs to one property. */
struct sonde_bank {
    struct sonde_banked *inputs; /* in the order in which they were found */
    uint32_t n, cap;
    uint32_t n_sites;  /* number of sites in the program */
    uint32_t *have;    /* [n_sites + 1] number of kept inputs that reach a site */
    uint64_t *reached; /* [n_sites + 1] number of all valid inputs that reached a site */
    size_t bytes, limit;
};

/* Creates an empty bank in the current heap. `limit` is in bytes of tapes. */
void sonde_bank_init(struct sonde_bank *bank, uint32_t n_sites, size_t limit);
void sonde_bank_clear(struct sonde_bank *bank);
/* Copies a bank to the current heap; `to` is uninitialised memory. */
void sonde_bank_copy(struct sonde_bank *to, const struct sonde_bank *from);
/* Counts a valid input, and keeps a copy if one of its sites needs it. `sites` has n bits set, at least one. `is_news`:
 * the input showed new code. */
void sonde_bank_offer(struct sonde_bank *bank, const struct sonde_tape *tape, const uint64_t *sites, uint32_t n,
                      bool is_news);
/* Keeps a copy of an input in any case, and does not count it as reached. */
void sonde_bank_add(struct sonde_bank *bank, const struct sonde_tape *tape, const uint64_t *sites, uint32_t n);
/* Removes the inputs i for which is_bad[i] is not 0. */
void sonde_bank_remove(struct sonde_bank *bank, const unsigned char *is_bad);
/* Fills order[] with at most `max` inputs that reach the site, the best ones first. Returns their number. The best ones
 * have most kills, then reach more sites; or are the smallest. Among equals, older ones come first. */
enum sonde_bank_by { SONDE_BANK_BY_KILLS, SONDE_BANK_BY_SIZE };
uint32_t sonde_bank_order(const struct sonde_bank *bank, uint32_t site, enum sonde_bank_by by, uint32_t *order,
                          uint32_t max);
/* Checks that `have` counts the inputs of each site. */
SONDE_CHECKER(sonde_bank_check, struct sonde_bank);

static inline bool sonde_set_has(const uint64_t *set, uint32_t site)
{
    return set[site / 64] >> site % 64 & 1;
}

#endif
