/* Which input was the first to reach a place in the code: for each place the verdicts of the runs that reached it, and
 * the first of them, a valid one if there is any. For people: guides have the corpus.
 *
 * Memory is bounded: so many inputs, so many bytes of their tokens. Beyond that the verdicts go on being noted, and only
 * the inputs are missing. */
#ifndef SONDE_FEEDBACK_FIRSTS_H
#define SONDE_FEEDBACK_FIRSTS_H

#include "base/limit.h"
#include "case/case.h"

enum {
    SONDE_FIRSTS_MAX = SONDE_LIMIT(1024, 8), /* inputs */
    SONDE_FIRSTS_TOKEN = 2048,               /* bytes of one; a longer one is cut off, and cannot be replayed */
    SONDE_FIRSTS_BYTES = SONDE_LIMIT(1 << 20, 4096),
    SONDE_FIRSTS_FAILING = 256 /* failing runs that are looked at */
};

struct sonde_first {
    char *token;
    uint64_t test;
    uint32_t n_choices, owns; /* owns: places for which it is the first */
    bool is_valid, is_cut;
};

struct sonde_firsts {
    uint8_t *by;     /* by feature id: enum sonde_reached_by; features that are no places stay 0 */
    uint32_t *first; /* index + 1 */
    uint32_t cap_by, cap_first;
    struct sonde_first *all;
    uint32_t n, cap, left_out, n_failing;
    size_t bytes;
};

void sonde_firsts_clear(struct sonde_firsts *firsts);
/* After a case that was judged to have reached a new place, or failed. `test`: its number. */
void sonde_firsts_add(struct sonde_firsts *firsts, const sonde *t, const struct sonde_coverage_view *seen,
                      uint64_t test);
/* Adds what another search noted, whose features are called ids[their id] here. */
void sonde_firsts_merge(struct sonde_firsts *firsts, const struct sonde_firsts *other, const uint32_t *ids);

/* A token for people, of at most SONDE_FIRSTS_TOKEN bytes; whether it was cut off. To be freed by sonde_free. */
char *sonde_firsts_token(const struct sonde_tape *tape, const struct sonde_labels *labels, bool *is_cut);

#endif
