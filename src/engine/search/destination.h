/* Code that valid inputs are to reach: the line or function of --goal. cli/goal.c finds its counters before the first
 * case. After each case the search checks the counters that were hit. The guide `goal` first solves comparisons in the
 * functions that have this code. */
#ifndef SONDE_ENGINE_DESTINATION_H
#define SONDE_ENGINE_DESTINATION_H

#include "case/case.h"
#include "engine/search/options.h"

/* The cases of a search that reached the code. */
struct sonde_arrivals {
    struct sonde_destination at; /* a copy: a spawned worker lacks this process's memory */
    uint8_t *is_it;              /* by id of a feature: 0 unknown, 1 another, 2 a counter of the code */
    uint32_t cap;
    uint64_t valid, failed, discarded;
    uint64_t test; /* number of the first valid case that reached it */
    char *token;   /* token of that case; NULL: there was none, or its token is too long */
};

/* Returns empty counts for a copy of this destination; free them with sonde_arrivals_free. */
struct sonde_arrivals *sonde_arrivals_create(const struct sonde_destination *destination);
/* Frees the counts; NULL is allowed. */
void sonde_arrivals_free(struct sonde_arrivals *arrivals);
/* Counts a case if it reached the code; `test` is its number. */
void sonde_arrivals_case(struct sonde_arrivals *arrivals, const struct sonde_coverage *coverage, const sonde *t,
                         const struct sonde_coverage_view *seen, uint64_t test);
/* Adds the cases of another search. */
void sonde_arrivals_merge(struct sonde_arrivals *arrivals, const struct sonde_arrivals *other);

/* ---- Code that changed (--since) */

/* The cases of a search that came near changed code. */
struct sonde_vicinity {
    struct sonde_changed_counter *counters; /* a copy: a spawned worker lacks this process's memory */
    uint8_t *by;                            /* for each counter: bits of enum sonde_reached_by */
    uint32_t n;
    uint32_t *of_id; /* of_id[feature] is 0 if unknown, 1 if not near, else 2 + index of the counter */
    uint32_t cap_ids;
    enum sonde_nearness best; /* the greatest nearness of any case so far */
};

/* Returns an empty record for a copy of the counters of this change; free it with sonde_vicinity_free. */
struct sonde_vicinity *sonde_vicinity_create(const struct sonde_changed_code *change);
/* Frees the record; NULL is allowed. */
void sonde_vicinity_free(struct sonde_vicinity *vicinity);
/* Records what a case reached. Returns how near it came. */
enum sonde_nearness sonde_vicinity_case(struct sonde_vicinity *vicinity, const struct sonde_coverage *coverage,
                                        enum sonde_verdict verdict, const struct sonde_coverage_view *seen);
/* Adds the cases of another search. */
void sonde_vicinity_merge(struct sonde_vicinity *vicinity, const struct sonde_vicinity *other);

#endif
