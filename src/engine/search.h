/* The search: run case after case, add up what they showed, keep what failed, until a bound is met. It is the loop
 * that a worker owns; everything it learns lies in this struct. */
#ifndef SONDE_ENGINE_SEARCH_H
#define SONDE_ENGINE_SEARCH_H

#include "engine/engine.h"
#include "engine/tally.h"
#include "feedback/novelty.h"
#include "feedback/unique.h"
#include "observe/coverage.h"

/* A failure as it was found: what tells it from others, and the smallest tape that showed it. */
struct sonde_found {
    uint64_t identity;
    struct sonde_tape tape;
    struct sonde_claim claim;
    uint64_t test; /* number of the first test that showed it, from 1 */
    uint64_t hits;
    uint64_t size; /* of the first tape */
};

enum { SONDE_FOUND_MAX = 256 };

struct sonde_search {
    const sonde_property *property;
    const struct sonde_options *options; /* with the property's own settings worked in */
    struct sonde_labels labels;
    sonde *t;
    struct sonde_guide_setup setups[3]; /* what the guides were made from */
    struct sonde_guide *guide;          /* of the user's choice */
    struct sonde_guide *sampler;        /* uniform: for cover claims */
    struct sonde_guide *simplest;       /* fills gaps in replays */
    struct sonde_tape script;           /* scratch for the guide */
    struct sonde_tape before;           /* scratch: a tape being run again */

    struct sonde_stats stats;
    struct sonde_unique unique;
    struct sonde_coverage *coverage;
    const struct sonde_coverage_view *seen; /* of the last case; NULL when no code is instrumented */
    struct sonde_novelty novelty;
    uint64_t replays; /* to find unstable features */
    struct sonde_tally tally;
    struct sonde_found *found[SONDE_FOUND_MAX];
    uint32_t n_found;
    uint32_t deepest; /* most assumes passed */
    enum sonde_stop stopped;
    bool exhausted;
    char misuse[1024];   /* what the property did wrong, or "" */
    char warning[512];   /* that it is not deterministic, or "" */
    const char *overrun; /* what cases had too much of; static */

    double started, cpu_started;
    double found_at;      /* seconds, of the first failure */
    uint64_t clock_every; /* cases between looks at the clock */
    uint64_t quota;       /* cases before the bounds must be looked at again */
    double clock_last, told_last;
    void (*progress)(struct sonde_search *search, void *user); /* now and then; may be NULL */
    void *user;
    volatile const int *interrupted; /* set from outside to stop; may be NULL */
};

void sonde_search_init(struct sonde_search *s, const sonde_property *property, const struct sonde_options *options);
void sonde_search_clear(struct sonde_search *s);
void sonde_search_run(struct sonde_search *s);
/* Runs a script once, filling gaps with the simplest, and counts it like any other case. */
void sonde_search_example(struct sonde_search *s, const struct sonde_tape *script);
/* Runs a script once without counting it; true if it fails with that identity (0: with any). */
bool sonde_search_fails(struct sonde_search *s, const struct sonde_tape *script, uint64_t identity);

uint64_t sonde_claim_identity(const struct sonde_claim *claim);
double sonde_now(void);
double sonde_cpu(void);

#endif
