/* What the code under test did: counters of every instrumented module, and the comparisons it made.
 *
 * The compiler puts the counters into the program (clang: inline-8bit-counters, pc-table) or calls us at every edge
 * (gcc: trace-pc) and at every comparison (both: trace-cmp). Registered counters and the tables that calls write to
 * are facts of the process; what they mean, the ids of features, belongs to one run of a property and lives in
 * memory that outlasts a crashed worker. The library itself is never instrumented.
 *
 * Order: create once for each search, reset when a worker begins, begin before and end after each case. The
 * view that end answers is good until the next end. */
#ifndef SONDE_OBSERVE_COVERAGE_H
#define SONDE_OBSERVE_COVERAGE_H

#include <sonde/extend.h>

struct sonde_coverage;

/* Never NULL, whether anything is instrumented by now or not: modules may be loaded later. */
struct sonde_coverage *sonde_coverage_create(void);
void sonde_coverage_free(struct sonde_coverage *coverage);

/* Before a case: calls from the compiler's instrumentation in this thread count from here on. Counters
 * are expected to be zero already, as `end` leaves them. `compares`: also record what was compared,
 * which takes time. */
void sonde_coverage_begin(struct sonde_coverage *coverage, bool compares);
/* After it: reads what was hit and clears it. Returns NULL while no code is known to be instrumented.
 * The view lives until the next `end`. */
const struct sonde_coverage_view *sonde_coverage_end(struct sonde_coverage *coverage);
/* Clears whatever ran outside of cases. */
void sonde_coverage_reset(struct sonde_coverage *coverage);

/* Marks of a comparison besides its distances, in views of a coverage that is kept: the first side was less, or greater. */
enum { SONDE_MARK_LESS = 64, SONDE_MARK_GREATER = 65 };

/* ---- Of a case that ends its process. Counters are memory of that process, so they go with it unless they are saved.
 * Saves the counters of the cases from now on, and notes the signs of comparisons: whoever notices the end (sonde_at_death) copies them. */
void sonde_coverage_keep(struct sonde_coverage *coverage);
/* In another process: what the last case hit, whether it came to its end or not; NULL if that is not known. */
const struct sonde_coverage_view *sonde_coverage_last(struct sonde_coverage *coverage);

/* The same tape was run twice, and this is what was seen the first time (a copy of the features) and just now: what
 * differs is set aside from now on; comparisons only if they were watched both times. Returns how many features that
 * were. */
uint32_t sonde_coverage_compare(struct sonde_coverage *coverage, const struct sonde_feature *first, size_t n,
                                bool compared);

/* The feature was set aside: it is not the input's doing. */
bool sonde_coverage_is_unstable(const struct sonde_coverage *coverage, uint32_t id);

/* The name of a feature that other processes know it by: which build of which module, and where in it. */
struct sonde_feature_name {
    uint64_t module; /* hash of the build id */
    uint64_t offset; /* of the code, from where the module is loaded; of the counter where the code is not known */
};
/* False if there is no such feature. */
bool sonde_coverage_name(const struct sonde_coverage *coverage, uint32_t id, struct sonde_feature_name *name);

/* A place in the code. */
struct sonde_coverage_place {
    uint32_t id;     /* UINT32_MAX: no run has come by, and its module is not known to the search */
    uint64_t module; /* as in the name */
    uint64_t
        offset; /* of the code, from where the module is loaded; of one that is_called, of the instruction after the call */
    uintptr_t address; /* of the code, here */
    bool is_called;    /* it is known by its calls, not by a table: places that never called are not known */
};
/* Every place whose address is known: those of tables, whether reached or not, and those that called. */
void sonde_coverage_each_place(const struct sonde_coverage *coverage,
                               void (*visit)(void *user, const struct sonde_coverage_place *place), void *user);
/* Where the code of a feature lies in this process, to be looked up in its line table; NULL if that is not known. */
const void *sonde_coverage_code(const struct sonde_coverage *coverage, uint32_t id);
/* The next place behind it that is counted as reached, where its block ends at the latest; NULL if none is known. */
const void *sonde_coverage_next(const struct sonde_coverage *coverage, const void *code);

/* For each id of another run of the same program: the id that means the same here, a new one if there was none. To be
 * freed by sonde_free. */
uint32_t *sonde_coverage_translate(struct sonde_coverage *coverage, const struct sonde_coverage *other);

/* Sets aside what another run has set aside, whose features are called ids[their id] here. */
void sonde_coverage_merge(struct sonde_coverage *coverage, const struct sonde_coverage *other, const uint32_t *ids);

struct sonde_coverage_size {
    uint32_t modules, counters, comparisons, unstable;
};
/* As of now: modules may be loaded later. */
struct sonde_coverage_size sonde_coverage_size(const struct sonde_coverage *coverage);

#endif
