/* One search of one subject, in a separate process, and the row that it leaves. */
#ifndef BENCH_ZOO_TRIAL_H
#define BENCH_ZOO_TRIAL_H

#include "lib/bench.h"
#include "zoo/workshop.h"

struct zoo_trial {
    uint64_t tests, valid, discarded, unique_valid, cost;
    double cpu_s;
    bool found; /* the fault, or each of the canaries */
    uint64_t tests_to_failure;
    uint64_t first[ZOO_BUGS]; /* the case that met each canary; 0: none did */
    /* Different valid inputs: by the structure alone; with what was picked, without numbers; by the path in the code;
     * whole. */
    uint64_t shapes, skeletons, traces, payloads;
    char stopped[16];
};

/* False if it did not end well. Limits are the bench's. */
bool zoo_try(struct bench *b, const char *library, uint64_t number, unsigned n_canaries, const char *guide,
             uint64_t seed, struct zoo_trial *out);

/* Does `enumerate` meet a fault within 20 cases? For the workshop. */
bool zoo_is_simple(const struct zoo_workshop *shop, const char *library, uint64_t number, unsigned n_bugs);

/* The row as JSON, with a newline. */
void zoo_print_row(struct zoo_text *out, const struct bench *b, const struct zoo_trial *trial,
                   const struct zoo_animal *a, const struct zoo_workshop *shop, const char *guide, uint64_t seed);
/* The beginning of such a row: what makes it this one and no other. */
void zoo_print_row_key(struct zoo_text *out, const struct bench *b, uint64_t number, const struct zoo_workshop *shop,
                       const char *guide, uint64_t seed);

/* The class of a fault: the kind of its atoms, "two kinds", or "coincidence" of more. Static. */
const char *zoo_bug_kind(const struct zoo_subject *z, uint32_t atoms);

#endif
